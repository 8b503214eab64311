"""Decisions about users, audited: nobody pays too much and no unit is used twice."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps import environment
from farkas.online.dps.environment import (
    Environment,
    entries,
    keeps_all,
    numbers_of,
    run_bound,
    summary,
)
from farkas.online.dps.kernel import EXPLORED, FULL
from farkas.online.dps.learning import Simple
from farkas.online.dps.offers import Decision
from farkas.online.dps.posted import FreeOfCharge
from farkas.online.dps.sales import Sales
from farkas.online.driver import environments
from farkas.relaxations.dps.interval import IntervalLP
from tests.generators.dps import empty_market, posted, random_market

NAMES = [
    "dps.dps_pairs", "dps.bwk", "dps.bfp_coord", "dps.bfp_fluid", "dps.dps", "dps.simple",
    "dps.top", "dps.dps_scaled", "dps.dps_random_placement", "dps.random", "dps.pa",
    "dps.best_fit",
]  # fmt: skip


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


@pytest.mark.parametrize("seed", range(20))
def test_entries_are_those_of_the_interval_program_in_its_scarce_rows(seed):
    market = random_market(seed, jobs=9)
    form = IntervalLP(shape="scarce").form(market)
    assert entries(market) == form.num_entries


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


def beside(job, **changes):
    """Decisions about `tiny`: the job has its units on the first servers, all others declined."""
    honest = {
        0: Decision("sold", 3.0, 1.0, 1.0, (0,), (2,), (1,)),
        2: Decision("sold", 2.0, 0.5, 0.5, (0, 1), (1, 2), (1, 0)),
    }[job]
    fields = {name: getattr(honest, name) for name in Decision.__slots__}
    rest = [Decision("declined")] * 5
    return [*rest[:job], Decision(**{**fields, **changes}), *rest[job + 1 :]]


@pytest.mark.parametrize(
    ("job", "change", "fault"),
    [
        (0, {}, ""),
        (2, {}, ""),
        # a budget of 3.5, and 3 units at 1 USD
        (0, {"payment": 3.0000001}, "job 0 pays 3, the price cap allows 3"),
        (2, {"payment": 2.0000001}, "job 2 pays 2 with a budget of 2"),
        (0, {"ps": (0,)}, "job 0 is served without all its units"),
        (0, {"ps": (2,)}, "job 0 is served without all its units"),
        (0, {"workers": (1,)}, "job 0 is served without all its units"),
        # there is one parameter server on the second server, and two workers
        (2, {"workers": (1, 2), "ps": (-1, 2)}, "job 2 holds a server without units there"),
        (2, {"servers": (1, 0)}, "job 2 takes units that are not idle"),
    ],
)
def test_a_single_fault_is_named(job, change, fault):
    faults = (
        environments["dps"].evaluate(library.load("dps/tiny"), beside(job, **change)).violations
    )
    assert faults[:1] == ([fault] if fault else [])


def test_parameter_servers_are_used_once_and_held_as_long_as_a_spread_job_runs():
    # 60 Gbit there and back at 1 Gbps twice: one slot of 120 s more each epoch than on one server
    market = library.load("dps/tiny").replace(server_ps=[[1], [1]])
    assert market.colocated_runtime[0] < 3 <= market.spread_runtime[0]
    world = environments["dps"]
    spread = Decision("sold", 3.0, 1.0, 1.0, (0, 1), (1, 1), (1, 0))
    later = [Decision("declined")] * 4
    third = Decision("sold", 0.5, 0.125, 0.125, (0, 1), (1, 2), (1, 0))
    faults = world.evaluate(market, [spread, *later[:1], third, *later[:2]]).violations
    assert faults == ["job 2 takes units that are not idle"]  # the one parameter server there
    whole = Decision("sold", 3.0, 1.0, 1.0, (0,), (2,), (1,))
    arrivals = (0, 1, 3, 3, 9)
    jobs = zip(market.jobs, arrivals, strict=True)
    soon = market.replace(jobs=[msgspec.structs.replace(job, arrival=at) for job, at in jobs])
    assert world.evaluate(soon, [spread, *later[:1], third, *later[:2]]).violations == faults
    assert not world.evaluate(soon, [whole, *later[:1], third, *later[:2]]).violations


def test_a_sale_is_earned_in_the_slot_of_its_job_and_bounded_below_the_cap():
    market, world = library.load("dps/tiny"), Environment()
    found = world.evaluate(market, beside(2))
    assert [slot["profit"] for slot in found.costs] == [0.0, 0.0, 2.0] + [0.0] * 7
    assert float(world.bound(market)) == float(run_bound(market, "capped"))
    assert float(run_bound(market, "capped")) < float(run_bound(market, "budget"))
    assert float(world.bound(market.replace(price_cap=None))) == float(run_bound(market, "budget"))


CHANGES = [
    ("payment", 1.0), ("payment", 0.5), ("servers", 1), ("servers", 1000), ("workers", 1),
    ("workers", -1), ("workers", -9), ("ps", 1), ("ps", -1), ("ps", -9),
]  # fmt: skip


def sales(market: Market, seller: Any) -> Sales:
    return Sales.of(seller.simulate(market, log=True))


def markets() -> list[Market]:
    found = [random_market(seed, jobs=10, servers=3) for seed in range(12)]
    found += [
        generate("dps", "small", seed, occupancy=occupancy, runtime_rounding=rounding)
        for seed, occupancy in enumerate(["closed", "half_open"])
        for rounding in ("ceil", "none")
    ]
    return found


def words(market: Market, decisions: Any) -> list[str] | None:
    """Faults as the environment finds them one by one; None where it cannot read them."""
    try:
        return Environment().broken(market, list(decisions))
    except (IndexError, KeyError):
        return None


@pytest.mark.parametrize("seller", [Simple(), FreeOfCharge()], ids=repr)
def test_honest_sales_keep_all_and_are_counted_alike(seller: Any) -> None:
    for market in markets():
        found = sales(market, seller)
        assert keeps_all(market, found)
        assert numbers_of(market, found) == summary(market, list(found))
        outcome = Environment().evaluate(market, found)
        assert outcome == Environment().evaluate(market, list(found))
        assert not outcome.violations


@pytest.mark.ids(3)
@pytest.mark.parametrize(("field", "change"), CHANGES, ids=str)
def test_changed_sales_are_broken_if_the_words_say_so(field: str, change: float) -> None:
    seen = 0
    for market in markets():
        for seller in (Simple(), FreeOfCharge()):
            found = sales(market, seller)
            for place in range(min(12, len(getattr(found, field)))):
                column = getattr(found, field).copy()
                column[place] += change
                changed = dataclasses.replace(found, **{field: column})
                faults = words(market, changed)
                assert keeps_all(market, changed) is (faults == []), (place, faults)
                assert Environment().broken(market, changed) == faults if faults else True
                seen += faults != []
    assert seen > 3


def test_servers_before_the_first_and_units_of_who_is_not_served_are_none() -> None:
    market = generate("dps", "small", 1)
    found = sales(market, FreeOfCharge())
    assert found.served.any()
    assert not found.served.all()
    servers = found.servers.copy()
    servers[3] = -1
    assert not keeps_all(market, dataclasses.replace(found, servers=servers))
    for place in (found.served.argmax(), found.served.argmin()):
        outcome = found.outcome.copy()
        outcome[place] = FULL if found.served[place] else EXPLORED
        assert not keeps_all(market, dataclasses.replace(found, outcome=outcome))


@pytest.mark.parametrize("occupancy", ["closed", "half_open"])
def test_units_come_back_before_or_after_who_comes_in_the_slot_of_the_end(occupancy: str) -> None:
    # one server of one unit; a job of one slot in slot 0, the next one in slot 1
    market = posted((0, 1.0, 1, 9.0), (1, 1.0, 1, 9.0), occupancy=occupancy)
    both = Sales(
        outcome=np.array([3, 3]),
        payment=np.zeros(2),
        worker_price=np.full(2, np.nan),
        ps_price=np.full(2, np.nan),
        exploring=np.zeros(2, bool),
        first=np.array([0, 1, 2]),
        servers=np.zeros(2, int),
        workers=np.ones(2, int),
        ps=np.ones(2, int),
    )
    assert keeps_all(market, both) is (occupancy == "half_open")
    assert (words(market, both) == []) is (occupancy == "half_open")
