"""Exchanges of schedules: what is in use is what the schedules use, and no worth is lost."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.offline.eris.exchange_kernel import NO_SERVER, meet
from farkas.offline.eris.packing import Packing
from farkas.online.eris.environment import executable
from farkas.relaxations.eris.job_slots import job_slots
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.tolerances import allowed
from tests.generators.eris import one_resource, random_auction


def check(packing):
    """Use that is written down, room, data of every job, and who runs where."""
    auction, now, jobs = packing.auction, packing.packed, packing.jobs
    usage = packing.columns().usage.sum(axis=0)
    assert now.transferred == pytest.approx(usage[: auction.slots], abs=1e-9)
    assert now.used.ravel() == pytest.approx(usage[auction.slots :], abs=1e-9)
    assert (now.transferred <= allowed(auction.transfer_budget) + 1e-9).all()
    assert (now.used <= allowed(auction.capacity)[:, :, None] + 1e-9).all()
    for i, job in enumerate(auction.jobs):
        mine = slice(jobs.begin[i], jobs.begin[i + 1])
        if now.finish[i] < 0:
            assert now.worth[i] == 0
            assert (now.server[mine] < 0).all()
            continue
        assert now.worth[i] == job.utility[now.finish[i]]
        assert executable(job, now.workers[mine], now.moved[mine])
    running = [
        sorted(now.running[slot, : now.many[slot]].tolist()) for slot in range(auction.slots)
    ]
    begun = [
        [i for i in range(auction.num_jobs) if job_runs(packing, i, slot)]
        for slot in range(auction.slots)
    ]
    assert running == begun


def job_runs(packing, i, slot):
    at = slot - packing.auction.arrival[i]
    return at >= 0 and packing.packed.server[packing.jobs.begin[i] + at] >= 0


@pytest.mark.parametrize("seed", range(20))
def test_exchanges_keep_the_books_and_lose_no_worth(seed):
    auction = random_auction(seed, most_chunks=5, jobs=8)
    packing = Packing(JobPricer(auction))
    packing.fill(np.arange(auction.num_jobs))
    check(packing)
    for _ in range(3):
        before = packing.worth
        gained = packing.improve(40)
        assert gained >= 0
        assert packing.worth == pytest.approx(before + gained)
        check(packing)


def test_an_exchange_brings_the_better_job_forward():
    # one unit: in turn the first job takes slot 0, although the second loses more by waiting
    jobs = {"utility": [10.0, 9.0]}, {"utility": [10.0, 1.0]}
    auction = one_resource(*jobs, slots=2, sites=1, site_capacity=[[1.0]])
    packing = Packing(JobPricer(auction))
    packing.fill(np.arange(2))
    assert packing.worth == 11.0
    packing.improve(50)
    assert packing.worth == 19.0


@pytest.mark.parametrize(
    ("capacity", "demand"), [(1e18, 1.0), (1e20, 1.0), (2.0, 1e-19), (1e300, 1e-300)]
)
def test_a_resource_without_limit_limits_nobody(capacity, demand):
    job = {"data": [2, 1], "worker_demand": [demand]}
    auction = one_resource(job, site_capacity=[[capacity], [capacity]])
    packing = Packing(JobPricer(auction))
    packing.fill(np.array([0]))
    assert packing.packed.finish.tolist() == [0]
    assert packing.packed.workers[0].sum() == 3


@pytest.mark.parametrize("seed", [*range(20), 41, 42, 48])  # the last with servers that matter
def test_a_job_meets_the_room_that_others_leave(seed):
    auction = random_auction(seed, most_chunks=5, jobs=6)
    packing = Packing(JobPricer(auction))
    rng = np.random.default_rng(seed)
    prices = Prices(rng.uniform(0, 1, auction.slots), rng.uniform(0, 5, auction.used.shape))
    packing.fill(np.arange(0, auction.num_jobs, 2))
    packing.price(prices)
    noise = np.ones((auction.sites, auction.num_resources))
    for i in range(1, auction.num_jobs, 2):
        job = auction.jobs[i]
        last = len(job.utility) - 1
        found = meet(
            packing.jobs, i, packing.packed, packing.room, noise, 1.0, last, packing.everywhere
        )
        now = packing.packed
        seen = job_slots(auction, job, packing.prices, now.transferred, now.used)
        for mine, reference in zip(found, seen, strict=True):
            assert np.asarray(mine) == pytest.approx(np.asarray(reference), abs=1e-9)


def test_there_is_no_room_in_closed_slots():
    auction = one_resource({})
    packing = Packing(JobPricer(auction))
    noise = np.ones((2, 1))
    where = np.array([False, True, False])
    seen = meet(packing.jobs, 0, packing.packed, packing.room, noise, 1.0, 2, where)
    assert seen.alone.tolist() == [[0, 0], [1, 1], [0, 0]]
    assert seen.beside_server.tolist() == [[NO_SERVER] * 2, [1, 1], [NO_SERVER] * 2]
