"""Schedules packed at prices: as runs they are worth what was added up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.offline import ladders
from farkas.offline.eris.packing import Packing, largest_first
from farkas.relaxations.eris.priced_jobs import JobPricer
from tests.generators.eris import one_resource, random_auction


@pytest.mark.parametrize("seed", range(12))
def test_decisions_are_worth_what_was_added_up(seed):
    auction = random_auction(seed, most_chunks=6, jobs=8)
    packing = Packing(JobPricer(auction))
    packing.fill(np.arange(auction.num_jobs)[::-1])
    packing.improve(30)
    run = ladders["eris.optimum"].run(auction, packing.decisions())
    assert not run.violations
    assert float(Fraction(run.reached)) == pytest.approx(packing.worth, rel=1e-9, abs=1e-9)


def test_planned_jobs_make_room_for_each_other():
    # where data are dear to move two jobs stay apart; the worker of the third needs a whole site
    jobs = {"data": [1, 0]}, {"data": [0, 1]}, {"worker_demand": [2.0]}
    auction = one_resource(*jobs, slots=1)
    packing = Packing(JobPricer(auction))
    packing.price(Prices(np.ones(1), np.zeros((2, 1, 1))))
    planned = np.ones(3, np.bool_)
    packing.follow(np.arange(3), planned)
    assert packing.packed.finish.tolist() == [0, 0, -1]
    packing.make_room(np.array([2]), planned, 50)
    assert packing.packed.finish.tolist() == [0, 0, 0]


def test_plans_keep_jobs_in_their_slots():
    auction = one_resource({}, {})
    packing = Packing(JobPricer(auction))
    packing.follow(np.arange(2), np.array([False, True, False, False, False, True]))
    assert packing.packed.finish.tolist() == [1, 2]


def test_the_largest_use_comes_first():
    auction = one_resource({}, {"worker_demand": [2.0]}, {"worker_demand": [1.5]})
    packing = Packing(JobPricer(auction))
    packing.fill(np.arange(3))
    assert largest_first(auction, packing.columns()).tolist() == [1, 2, 0]


def test_copies_are_independent():
    auction = one_resource({})
    packing = Packing(JobPricer(auction))
    before = packing.copy()
    packing.fill(np.arange(1))
    assert (packing.worth, before.worth.sum()) == (10.0, 0.0)
    packing.packed = before
    assert packing.worth == 0.0
