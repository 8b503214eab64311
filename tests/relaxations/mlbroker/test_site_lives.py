"""Lives on many sites: never better than all sets say, and near them."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.online.mlbroker.environment import PlacedSlot
from farkas.relaxations.mlbroker.in_parts import cheapest_lives
from farkas.relaxations.mlbroker.lives import SiteLives, lives_of
from tests.generators.mlbroker import random_brokerage, single

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
