"""Decisions about users, audited: nobody pays too much and no unit is used twice."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.dps.windows import ps_side, worker_side
from farkas.online import algorithms
from farkas.online.dps import environment
from farkas.online.dps.environment import Environment, entries, run_bound
from farkas.online.dps.offers import Decision
from farkas.online.driver import environments
from tests.generators.dps import empty_market, random_market

NAMES = [
    "dps.dps_pairs", "dps.bwk", "dps.bfp_coord", "dps.bfp_fluid", "dps.dps", "dps.simple",
    "dps.top", "dps.dps_scaled", "dps.dps_random_placement", "dps.random", "dps.pa",
    "dps.best_fit",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_runs_break_no_rule_and_stay_below_the_bound(name, seed):
    market = random_market(seed, jobs=25)
    run = algorithms[name].run(market)
    assert not run.violations
    assert run.certificate is not None
    assert run.value <= float(run.certificate) + 1e-9


@pytest.mark.parametrize("name", [*NAMES, "dps.bfp_grid", "dps.fixed_price"])
def test_nobody_comes(name):
    market = empty_market().replace(
        price_grid=[0.5], fixed_prices={"worker": [0.5] * 2, "ps": [0.5]}, server_ps=[[1]],
        server_workers=[[1, 1]], worker_bandwidth=[None, None], ps_bandwidth=[None],
    )  # fmt: skip
    assert algorithms[name].run(market).value == 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"payment": 9.0}, "with a budget of"),
        ({"servers": (), "workers": (), "ps": ()}, "without being served"),
        ({"workers": (3,)}, "takes units that are not idle"),
        ({"workers": (1,)}, "without all its units"),
        ({"servers": (0, 1), "workers": (2, 0), "ps": (1, 0)}, "without units there"),
    ],
)
def test_the_audit_names_what_is_wrong(change, words):
    market, world = library.load("dps/tiny"), environments["dps"]
    honest = Decision("sold", 3.0, 1.0, 1.0, (0,), (2,), (1,))
    rest = [Decision("declined")] * 4
    assert not world.evaluate(market, [honest, *rest]).violations
    fields = {name: getattr(honest, name) for name in Decision.__slots__}
    wrong = Decision(**{**fields, **change})
    faults = world.evaluate(market, [wrong, *rest]).violations
    assert any(words in fault for fault in faults), faults


def test_the_audit_sees_two_jobs_on_one_unit():
    market, world = library.load("dps/one_server"), environments["dps"]
    take = Decision("sold", 0.5, 0.25, 0.25, (0,), (1,), (1,))
    # Closed: the job of slot 0 still holds the server in slot 1, not in slot 2.
    faults = world.evaluate(market, [take, take, Decision("declined")]).violations
    assert faults == ["job 1 takes units that are not idle"]
    assert not world.evaluate(market, [take, Decision("full"), take]).violations


def test_a_job_that_nothing_was_decided_about_leaves_no_value():
    market = library.load("dps/tiny")
    found = Environment().evaluate(market, [Decision("declined")] * 4)
    assert found.violations == ["4 decisions for 5 jobs"]
    assert np.isnan(found.total)


def test_payments_are_those_of_their_slot_and_outcomes_are_counted():
    market = library.load("dps/tiny")
    sold = Decision("sold", 3.0, 1.0, 1.0, (0,), (2,), (1,))
    spread = Decision("explored", 0.0, None, None, (0, 1), (1, 2), (1, 0), exploring=True)
    turned = Decision("full", exploring=True)
    decisions = [sold, Decision("declined", 0.0, 1.0, 1.0), spread, turned, Decision("full")]
    found = Environment().evaluate(market, decisions)
    assert [slot["profit"] for slot in found.costs] == [3.0] + [0.0] * 9
    runtime = market.colocated_runtime[0] + market.spread_runtime[2]
    assert found.numbers == {
        "offered": 2, "sold": 1, "explored": 2, "served": 2, "colocated": 1,
        "total_runtime": runtime,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_entries_are_at_least_those_of_the_interval_program(seed):
    market = random_market(seed, jobs=9)
    wanted = 0
    for side in (worker_side(market), ps_side(market)):
        for job in range(market.num_jobs):
            # one row for every arrival slot of the type that the job's window meets
            slots = {
                int(side.start[other])
                for other in range(market.num_jobs)
                if side.types[other] == side.types[job]
            }
            wanted += sum(side.start[job] <= t <= market.last_slot[job] for t in slots)
    assert entries(market) == wanted


def test_prices_are_found_by_subgradients_where_the_program_is_too_large(monkeypatch):
    market = random_market(4, jobs=8).replace(price_cap=1.0)
    exact = run_bound(market, "capped")
    run_bound.cache_clear()
    monkeypatch.setattr(environment, "LARGEST_PROGRAM", -1)
    rough = run_bound(market, "capped")
    run_bound.cache_clear()
    assert "subgradient" in rough.method
    assert float(rough) >= float(exact) * (1 - 1e-9)
    free = market.replace(price_cap=None)
    assert float(Environment().bound(free)) >= float(exact) * (1 - 1e-9)
