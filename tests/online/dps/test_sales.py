"""Sales as columns are decisions, and those of a seller that is told of one job after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import farkas
from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps.environment import Decision, Knowledge, Offer, Sales
from farkas.online.dps.fixed_prices import Coordinates
from farkas.online.dps.learning import Dps, RandomPlacement, ScaledBandits, Simple, Top
from farkas.online.dps.pairs import PairPrices
from farkas.online.dps.seller import BestFit, FixedPrice, FreeOfCharge, Random, Seller
from farkas.online.driver import plain
from tests.generators.dps import empty_market, learning_market, random_market
from tests.references.dps_sellers import by_steps

SELLERS: list[Any] = [
    Dps(), Dps(placement="best_fit"), Dps(capacity="turnover", radii="range"), Simple(), Top(),
    ScaledBandits(), RandomPlacement(), Random(), FreeOfCharge(), BestFit(), PairPrices(),
    PairPrices(placement="random"),
]  # fmt: skip


def roomy(seed: int) -> Market:
    """Jobs that take several servers, and much to learn."""
    return generate(
        "dps", "small", seed, num_jobs=120, horizon=60, num_servers=5, budget_spread=0.8,
        runtime_rounding=("ceil", "none")[seed % 2],
        occupancy=("closed", "half_open")[seed // 2 % 2],
    )  # fmt: skip


@pytest.mark.parametrize("seller", SELLERS, ids=repr)
@pytest.mark.parametrize("seed", range(2))
def test_they_are_the_decisions_job_by_job(seller: Any, seed: int) -> None:
    # what a state holds between two calls of its kernel is all that the kernel knows
    for market in (roomy(seed), learning_market(seed), random_market(seed), empty_market()):
        found = seller.decide(market, seed)
        slow = by_steps(seller, market, seed)
        assert isinstance(found, Sales)
        assert list(found) == slow
        assert [found[place] for place in range(-len(slow), 0)] == slow
        assert found[1:5:2] == slow[1:5:2]
        assert found.plain() == plain(slow)
        assert [type(each) for job in found.plain() for each in job.values()] == [
            type(each) for job in plain(slow) for each in job.values()
        ]
        assert len(found) == len(slow)
        assert found.served.tolist() == [bool(each.servers) for each in slow]
        assert found.colocated.tolist() == [len(each.servers) == 1 for each in slow]
    with pytest.raises(IndexError):
        _ = found[len(found)]


def test_fixed_prices_too() -> None:
    market = roomy(1)
    seller = FixedPrice(np.full(market.num_worker_types, 0.4), np.full(market.num_ps_types, 0.3))
    found = seller.simulate(market)
    assert {each.outcome for each in found} == {"sold", "declined", "full"}
    assert isinstance(Coordinates(1).decide(market, 0), Sales)


def test_prices_and_orders_drawn_in_turn_take_steps() -> None:
    market, drawn = roomy(0), Random(placement="random")
    assert drawn.decide(market, 0) is None
    rng, cap = np.random.default_rng(0), Knowledge.of(market).price_cap
    for decision in by_steps(drawn, market):
        prices = cap * rng.random(2)
        assert [decision.worker_price, decision.ps_price] == prices.tolist()
        if decision.servers:  # only then an order is drawn
            rng.permutation(market.num_servers)


def test_profit_by_slot_is_that_of_the_jobs_of_the_slot() -> None:
    market = roomy(0)
    done = Simple().simulate(market)
    by_slot = done.profit_by_slot(market.horizon)
    for slot in range(market.horizon):
        paid = done.payment[market.arrival == slot].sum()
        assert by_slot[slot] == pytest.approx(paid)
    served = np.where(done.colocated, market.colocated_runtime, market.spread_runtime)
    assert done.runtime.tolist() == np.where(done.served, served, 0.0).tolist()


class Cheap(Seller):
    """A rule in Python."""

    def quote(self, state: Any, offer: Offer) -> tuple[float, float]:
        return 0.0, 0.0


def test_a_rule_in_python_takes_steps() -> None:
    market = random_market(3, jobs=20)
    assert Cheap().decide(market, 0) is None
    decisions = by_steps(Cheap(), market)
    wanted = FreeOfCharge().simulate(market)
    assert [d.servers for d in decisions] == [d.servers for d in wanted]
    assert algorithms["dps.pa"].policy().decide(market, 0) is not None


class Patient(Simple):
    """Steps of its own: whoever comes first is turned away."""

    def step(self, state: Any, arrivals: Offer) -> tuple[Any, Decision]:
        return super().step(state, arrivals) if arrivals.job else (state, Decision("full"))


def test_a_subclass_with_steps_of_its_own_takes_them() -> None:
    market = random_market(3, jobs=20)
    assert Patient().decide(market, 0) is None
    assert farkas.run(market, Patient()).decisions == plain(by_steps(Patient(), market))
