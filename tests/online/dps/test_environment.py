"""What decisions about users are worth, and the bound on every run."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps import environment
from farkas.online.dps.environment import (
    Decision,
    Environment,
    entries,
    run_bound,
)
from farkas.online.dps.learning import Simple
from farkas.online.dps.seller import FreeOfCharge
from farkas.relaxations.dps.interval import IntervalLP
from tests.generators.dps import empty_market, random_market

NAMES = [
    "dps.dps_pairs", "dps.bfp_coord", "dps.bfp_fluid", "dps.dps", "dps.simple",
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


def test_a_sale_is_earned_in_the_slot_of_its_job_and_bounded_below_the_cap():
    market, world = library.load("dps/tiny"), Environment()
    found = world.evaluate(market, beside(2))
    assert [slot["profit"] for slot in found.costs] == [0.0, 0.0, 2.0] + [0.0] * 7
    assert float(world.bound(market)) == float(run_bound(market, "capped"))
    assert float(run_bound(market, "capped")) < float(run_bound(market, "budget"))
    assert float(world.bound(market.replace(price_cap=None))) == float(run_bound(market, "budget"))


@pytest.mark.parametrize("seed", range(6))
def test_columns_are_worth_what_decisions_one_by_one_are(seed: int) -> None:
    for market in (random_market(seed, jobs=10, servers=3), generate("dps", "small", seed)):
        for seller in (Simple(), FreeOfCharge()):
            found = seller.simulate(market)
            assert Environment().evaluate(market, found) == Environment().evaluate(
                market, list(found)
            )
