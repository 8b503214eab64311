"""Subgradient steps on the Lagrangian bound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.instances.generate import generate
from farkas.models.eris.schedules import Prices
from farkas.relaxations.eris.columns import relaxation_by_columns
from farkas.relaxations.eris.payoff_bound import PricedBound, evaluate, subgradient
from farkas.relaxations.eris.welfare_bound import aggregated_prices
from tests.generators.eris import one_resource, random_auction


@pytest.mark.slow
def test_subgradient_steps_never_lose_the_best_bound() -> None:
    auction = generate("eris", "small", seed=4, num_jobs=12)
    start = aggregated_prices(auction)
    bounds = [bound for bound, _ in subgradient(auction, start, rounds=25)]
    assert bounds[0] == pytest.approx(evaluate(auction, start).bound)
    assert all(later <= earlier for earlier, later in itertools.pairwise(bounds))
    assert bounds[-1] >= relaxation_by_columns(auction).value - 1e-6


def test_use_of_the_bounding_schedules_is_a_subgradient() -> None:
    # L(q) >= L(p) + (capacity - use at p) (q - p) for all prices q: L is convex
    auction = random_auction(3, most_chunks=6, jobs=5)
    rng = np.random.default_rng(0)
    here = Prices(rng.uniform(0, 3, auction.slots), rng.uniform(0, 9, auction.used.shape))
    found = evaluate(auction, here)
    for _ in range(20):
        there = Prices(rng.uniform(0, 3, auction.slots), rng.uniform(0, 9, auction.used.shape))
        rise = (auction.transfer_budget - found.transfer) @ (there.transfer - here.transfer)
        slack = auction.capacity[:, :, None] - found.resource
        rise += (slack * (there.resource - here.resource)).sum()
        assert evaluate(auction, there).bound >= found.bound + rise - 1e-8


def test_the_bound_at_a_price_by_hand() -> None:
    # jobs worth 10 and 6 want the only gpu at price 5: payoffs 5 + 1, rent 5, use 2
    jobs = [{"data": [1], "utility": [worth]} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    found = evaluate(auction, Prices(np.zeros(1), np.full((1, 1, 1), 5.0)))
    assert found.bound == 5.0 + 1.0 + 5.0
    assert found.resource.tolist() == [[[2.0]]]
    assert found.transfer.tolist() == [0.0]


def test_steps_reach_the_price_at_which_demand_meets_capacity() -> None:
    jobs = [{"data": [1], "utility": [worth]} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, sites=1, site_capacity=[[1.0]])
    *_, (bound, prices) = subgradient(auction, Prices.zero(auction), rounds=60, value=10.0)
    assert bound == pytest.approx(10.0, abs=1e-3)
    assert 6.0 - 1e-2 <= prices.resource.item() <= 10.0


def test_steps_end_where_nothing_pulls() -> None:
    # everything is free and there is room for all: the first bound is the optimum
    auction = one_resource({}, {})
    assert [bound for bound, _ in subgradient(auction, Prices.zero(auction))] == [20.0]


def test_after_eight_rounds_without_progress_the_target_moves_half_way_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the bound stays at 10 and the only gpu is wanted twice: every slack is -1
    auction = one_resource(slots=1, sites=1, site_capacity=[[1.0]])
    asked: list[float] = []

    def flat(auction: object, prices: Prices) -> PricedBound:
        asked.append(prices.resource.item())
        return PricedBound(10.0, np.zeros(1), np.full((1, 1, 1), 2.0))

    monkeypatch.setattr("farkas.relaxations.eris.payoff_bound.evaluate", flat)
    list(subgradient(auction, Prices.zero(auction), rounds=10))
    # a first step to the target 10 - 5 % along a direction of length 1
    assert asked[:2] == [0.0, pytest.approx(0.5)]
    # rounds 2 to 9 brought nothing: from the best prices, 0, to the target 10 - 2.5 %
    length = sum(0.6**k for k in range(9))
    assert asked[9] == pytest.approx(0.25 / length)
