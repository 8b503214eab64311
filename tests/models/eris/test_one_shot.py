"""Problem (8): the cheapest way to process some chunks in one slot."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.instances.eris import workers_for
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.models.eris.prices import posted_on_arrival
from farkas.models.eris.schedules import compositions
from farkas.solvers import Claimed, solve
from tests.generators.eris import one_resource, random_auction


def brute_one_shot(task: SlotTask) -> float:
    """Cheapest of all (chunks per site, chunks at home, server) that fit; inf without any."""
    auction, slot = task.auction, task.slot
    job = auction.jobs[task.job]
    free = auction.capacity - auction.used[:, :, slot]
    price = task.prices.resource[:, :, slot]
    best = np.inf
    for chunks in compositions(task.workload, auction.sites):
        workers = np.array([workers_for(int(q), job.epochs, job.worker_rate) for q in chunks])
        moved = np.maximum(0, chunks - task.remaining).sum()
        for server in range(auction.sites):
            use = np.outer(workers, job.worker_demand)
            use[server] += job.server_demand
            mb = auction.chunk_size * moved
            mb += job.parameter_size * (workers.sum() - workers[server])
            left = auction.transfer_budget - auction.transferred[slot]
            if (use <= free + 1e-9).all() and mb <= left + 1e-9:
                best = min(best, task.prices.transfer[slot] * mb + (use * price).sum())
    return best


@pytest.mark.parametrize("seed", range(30))
def test_one_shot_is_the_cheapest_of_all_placements(seed: int) -> None:
    auction = random_auction(seed, most_chunks=4)
    prices = posted_on_arrival(auction)
    for job in range(auction.num_jobs):
        total = int(auction.chunks[job])
        for workload in range(1, total + 1):
            slot = int(auction.arrival[job])
            task = SlotTask(auction, prices, job, slot, workload, auction.data[job])
            answer = solve(OneShot().form(task))
            expected = brute_one_shot(task)
            if np.isinf(expected):
                assert answer.claim is Claimed.INFEASIBLE
            else:
                assert answer.require_optimal().objective == pytest.approx(expected, abs=1e-6)


def test_one_shot_of_no_chunks_is_refused_by_name() -> None:
    auction = library.load("eris/tiny")
    with pytest.raises(InvalidOption, match="workload = 0"):
        SlotTask(auction, posted_on_arrival(auction), 0, 0, 0, auction.data[0])


def test_of_an_auction_it_takes_all_chunks_of_the_first_job_that_has_any() -> None:
    auction = one_resource({"data": [0, 0]}, {"arrival": 1, "data": [1, 2]})
    task = SlotTask.of(auction)
    assert (task.job, task.slot, task.workload, task.remaining.tolist()) == (1, 1, 3, [1, 2])
