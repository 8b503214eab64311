"""Jobs squeezed into full slots: books are kept, nothing exceeds, and what can fit does."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.offline.eris.packing import Packing
from farkas.offline.eris.squeeze_kernel import (
    MOVE_DRAWS,
    excess,
    loosen,
    moves_of,
    overdrawn,
    relocate,
)
from farkas.relaxations.eris.priced_jobs import JobPricer
from tests.generators.eris import one_resource, random_auction
from tests.offline.eris.test_exchange_kernel import check


def packed_jobs(auction, jobs):
    packing = Packing(JobPricer(auction))
    packing.price(Prices(np.ones(auction.slots), np.zeros(auction.used.shape)))
    packing.fill(np.array(jobs, dtype=np.int64))
    return packing


@pytest.mark.parametrize("seed", range(30))
def test_books_are_kept_and_served_jobs_stay_served(seed):
    auction = random_auction(seed, most_chunks=4, jobs=10)
    jobs = np.arange(auction.num_jobs)
    packing = packed_jobs(auction, jobs[::2])
    before, worth = packing.packed.finish.copy(), packing.worth
    many = packing.squeeze(jobs, packing.everywhere, 300)
    served = packing.packed.finish >= 0
    assert many == np.count_nonzero(served & (before < 0))
    assert (packing.packed.finish[before >= 0] == before[before >= 0]).all()
    assert packing.worth >= worth
    check(packing)


def placements(sizes, capacities):
    """Whether any choice of a site for each job fits, by looking at all of them."""
    for hosts in itertools.product(range(len(capacities)), repeat=len(sizes)):
        used = np.bincount(hosts, sizes, len(capacities))
        if (used <= capacities).all():
            return True
    return False


def fits_missed(seed):
    """Whether a job stays out that a look at all placements would serve beside the others."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 6).astype(float)
    capacities = rng.integers(4, 9, 3).astype(float)
    auction = one_resource(
        *({"worker_demand": [size], "data": [1, 0, 0], "server_demand": [0.0]} for size in sizes),
        slots=1, sites=3, site_capacity=capacities[:, None].tolist(),
    )  # fmt: skip
    packing = packed_jobs(auction, [0])
    packing.squeeze(np.arange(6), packing.everywhere, 3000)
    check(packing)
    served = np.flatnonzero(packing.packed.finish >= 0)
    left = np.setdiff1d(np.arange(6), served)
    return any(placements(sizes[[*served, job]], capacities) for job in left)


@pytest.mark.slow
def test_what_fits_in_one_slot_is_found_but_for_few_tight_ones():
    # where every way that is left leads over a worse one, moves that never lose find none
    assert [seed for seed in range(40) if fits_missed(seed)] == [16, 31]


def test_what_finds_no_room_leaves_everything_as_it_was():
    auction = one_resource({}, {}, {}, slots=1, sites=2, site_capacity=[[1.0], [1.0]])
    packing = packed_jobs(auction, [0, 1])
    before = packing.copy()
    assert packing.squeeze(np.array([2]), packing.everywhere, 100) == 0
    for now, then in zip(packing.packed, before, strict=True):
        if then is not before.running:
            assert now.tolist() == then.tolist()
    assert packing.squeeze(np.array([0]), packing.everywhere, 100) == 0


def test_excess_is_a_share_of_all_sites_and_transfer_one_of_its_budget():
    auction = one_resource({}, slots=1, sites=2, site_capacity=[[1.0], [3.0]], transfer_budget=8.0)
    packing = packed_jobs(auction, [])
    packing.packed.used[1, 0, 0] = 5.0
    packing.packed.transferred[0] = 12.0
    total = auction.capacity.sum(axis=0)
    assert excess(0, 0, packing.packed, packing.room, total) == 0.0
    assert excess(0, 1, packing.packed, packing.room, total) == pytest.approx(0.5)
    assert overdrawn(0, packing.packed, packing.room) == pytest.approx(0.5)
    packing.packed.transferred[0] = 8.0
    assert overdrawn(0, packing.packed, packing.room) == 0.0


def test_a_worker_elsewhere_moves_its_chunk_and_talks_to_its_server():
    auction = one_resource(
        {"parameter_size": 3.0}, slots=1, sites=2, site_capacity=[[2.0], [2.0]], chunk_size=2.0,
        transfer_budget=100.0,
    )  # fmt: skip
    packing = packed_jobs(auction, [0])
    now = packing.packed
    home = int(now.workers[0].argmax())
    away = 1 - home
    quiet = float(now.transferred[0])
    assert relocate(packing.jobs, 0, 0, False, home, away, now)
    check(packing)
    stored = [int(auction.data[0, site] > 0) for site in (home, away)]
    talks = [float(now.server[0] != site) for site in (home, away)]
    assert now.transferred[0] - quiet == pytest.approx(
        2.0 * (stored[0] - stored[1]) + 3.0 * (talks[1] - talks[0])
    )
    assert relocate(packing.jobs, 0, 0, True, int(now.server[0]), 1 - int(now.server[0]), now)
    check(packing)


def test_workers_too_few_for_a_job_of_one_slot_are_refused():
    auction = one_resource({}, slots=1)
    packing = packed_jobs(auction, [0])
    packing.packed.workers[0] = 0
    assert moves_of(packing.jobs, 0, 0, packing.packed) == -1


def test_a_slot_that_fits_needs_no_move():
    auction = one_resource({}, {}, slots=1)
    packing = packed_jobs(auction, [0, 1])
    before = packing.copy()
    total = auction.capacity.sum(axis=0)
    assert loosen(packing.jobs, 0, packing.packed, packing.room, total, np.zeros((1, MOVE_DRAWS)))
    assert packing.packed.workers.tolist() == before.workers.tolist()
