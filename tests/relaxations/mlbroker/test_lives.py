"""Lives of jobs at prices: each as cheap as any life of it alone, and tolls that add up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.relaxations.mlbroker.in_parts import cheapest_lives
from farkas.relaxations.mlbroker.lives import spread, usage_of
from tests.generators.mlbroker import discounted, even_brokerage, random_brokerage, single


def nothing():
    """The clock does not matter."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_at_list_prices_the_lives_are_the_optimum_without_discounts(seed):
    data = random_brokerage(seed, sites=2 + seed % 2, slots=3, jobs=2, resources=2)
    data = data.replace(discount_price=None, discount_threshold=None)
    slope = np.broadcast_to(data.list_price, (data.num_slots, *data.list_price.shape))
    lives = cheapest_lives(data, slope, nothing)
    optimum = farkas.prove(data, "mlbroker.offline[strict,choice,split]").value
    assert lives.cost(data) == pytest.approx(float(optimum), rel=1e-8)
    assert lives.bound.sum() == pytest.approx(float(optimum), rel=1e-8)
    assert lives.bound.sum() <= float(optimum) * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_costs_are_those_of_the_environment(seed):
    data = even_brokerage(seed, jobs=3, slots=3)
    lives = cheapest_lives(data, data.chord_slope("strict"), nothing)
    placed = PlacedWorkers.of(data, lives.workers, lives.server)
    assert lives.cost(data) == pytest.approx(recourse_costs(placed).total, rel=1e-9)
    np.testing.assert_array_equal(lives.usage(data), placed.usage())
    one = np.array([0])
    part = usage_of(data, one, lives.workers[one], lives.server[one])
    assert part.sum() == pytest.approx(PlacedWorkers.of(
        data, lives.workers[one], lives.server[one], one).usage().sum())  # fmt: skip


def test_tolls_fall_with_a_site_by_its_deployment_at_most():
    data = random_brokerage(3, sites=3, slots=4, jobs=4)
    lives = cheapest_lives(data, data.chord_slope("strict"), nothing)
    deploy = data.deploy_cost[data.pair_job]
    for members, site in itertools.product(range(8), range(3)):
        if not members >> site & 1:
            drop = lives.tolls[:, members] - lives.tolls[:, members | 1 << site]
            assert (drop >= -1e-12).all()
            assert (drop <= deploy + 1e-12).all()
    assert (lives.tolls[data.next_pair < 0] == 0).all()
    assert lives.tolls[data.next_pair >= 0].any()


def test_sets_spread_to_smaller_ones_for_nothing():
    cost, came = np.array([9.0, 4.0, 7.0, 1.0]), np.zeros(4, np.int64)
    spread(2.0, cost, came)
    assert cost.tolist() == [1.0, 1.0, 1.0, 1.0]
    cost = np.array([0.0, 9.0, 1.0, 9.0])
    spread(2.0, cost, came)
    assert cost.tolist() == [0.0, 2.0, 1.0, 3.0]
    assert came.tolist() == [0, 0, 2, 2]


def test_the_clock_is_looked_at():
    def late():
        raise NoAnswer("late")

    with pytest.raises(NoAnswer, match="late"):
        cheapest_lives(discounted(), discounted().chord_slope(), late)


def test_a_job_that_costs_more_than_doubles_hold_has_no_lives():
    # five slots with a worker for 4e307 each
    data = single([[10.0]] * 5, base_price=[[4e307]], server_demand=[0.0])
    with pytest.raises(NoAnswer, match="more than doubles hold"):
        cheapest_lives(data, data.chord_slope("strict"), nothing)
