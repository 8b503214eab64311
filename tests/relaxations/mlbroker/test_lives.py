"""Lives of jobs at prices: each as cheap as any life of it alone, and tolls that add up."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer
from farkas.models.mlbroker.recourse import PlacedWorkers
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.mlbroker.recourse import recourse_costs
from farkas.relaxations.mlbroker.in_parts import cheapest_lives
from farkas.relaxations.mlbroker.lives import SiteLives, lives_of, spread, usage_of
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


CASES = {
    **{f"random {n}": random_brokerage(n, sites=3, slots=5, jobs=4, resources=2) for n in range(8)},
    "moving": single([[10.0, 0.0], [0.0, 10.0], [10.0, 0.0]], deploy_cost=3.0),
    "one slot": single([[10.0, 4.0]]),
    "one site": single([[10.0], [3.0]]),
    "nothing": single([[0.0, 0.0], [0.0, 0.0]]),
}


@pytest.mark.ids(1)
@pytest.mark.parametrize("name", CASES)
def test_lives_are_bounded_and_near_the_cheapest(name):
    data = CASES[name]
    slope = data.chord_slope("strict")
    search = SiteLives(data, 0, data.num_jobs, slope)
    search.search()
    exact, found = lives_of(data, 0, data.num_jobs, slope), search.lives()
    best = exact.bound
    assert (search.bound <= best * (1 + 1e-9) + 1e-12).all()
    assert (search.cost >= best * (1 - 1e-9)).all()
    assert search.cost.sum() == pytest.approx(best.sum(), rel=0.02)
    assert search.bound.sum() == pytest.approx(best.sum(), rel=0.05)
    # at these prices the jobs pay what was said
    price = (found.usage(data) * slope).sum() + found.apart.sum()
    assert price == pytest.approx(search.cost.sum())
    assert (found.workers.sum(axis=1) >= data.workers_needed).all()


@pytest.mark.slow
def test_parts_are_placed_as_the_whole():
    data, slope = CASES["random 1"], CASES["random 1"].chord_slope("strict")
    whole, part = (SiteLives(data, begin, 4, slope) for begin in (0, 2))
    for each in (whole, part):
        each.search()
    assert whole.bound[2:].tolist() == part.bound.tolist()
    first = data.pair_start[2]
    assert (whole.workers[first:] == part.workers).all()
    assert (whole.best_tolls[first:] == part.best_tolls).all()


def test_charges_add_up_to_a_deployment():
    data = CASES["random 2"]
    search = SiteLives(data, 0, data.num_jobs, data.chord_slope("strict"))
    rng = np.random.default_rng(0)
    search.tolls[search.links] = (
        -rng.uniform(0, 1, (len(search.links), 3)) * (search.deploy[search.links])
    )
    total = np.zeros((data.num_jobs, 3))
    np.add.at(total, data.pair_job, search.charges())
    assert total == pytest.approx(np.repeat(data.deploy_cost[:, None], 3, axis=1))


def test_slots_between_others_pay_for_what_these_lack():
    data = CASES["moving"]
    search = SiteLives(data, 0, 1, data.chord_slope("strict"))
    search.workers[:] = [[1, 0], [0, 1], [1, 0]]
    search.at[:] = [0, 1, 0]
    # the middle one saves a second entry at the first site, and enters the second itself
    assert search.between(np.arange(3)).tolist() == [[3.0, 0.0], [-3.0, 3.0], [3.0, 0.0]]


@pytest.mark.slow
def test_many_sites_are_placed_in_parts_too():
    data = random_brokerage(1, sites=11, slots=3, jobs=3, resources=1)
    found = cheapest_lives(data, data.chord_slope("strict"), lambda: None)
    assert found.tolls.shape == (data.num_pairs, 11)
    placed = PlacedSlot(
        data.jobs_at(0), found.workers[data.pairs_at(0)], found.server[data.pairs_at(0)]
    )
    assert (placed.workers.sum(axis=1) >= data.workers_needed[data.pairs_at(0)]).all()


@pytest.mark.slow
def test_a_job_stays_where_every_slot_has_a_better_site():
    # what a slot saves elsewhere is less than a deployment, and another site each time
    sites = 5
    price = np.ones((sites, 1))
    data = single([[4.0 * (r == t) for r in range(sites)] for t in range(sites)], deploy_cost=9.0,
                  base_price=price)  # fmt: skip
    search = SiteLives(data, 0, 1, data.chord_slope("strict"))
    search.search()
    assert len(set(search.at)) == 1
    # one deployment, a worker and a server in each slot, and 4 GB moved in all but one of them
    assert search.cost.tolist() == pytest.approx([9.0 + 2 * sites + 4 * (sites - 1)])
