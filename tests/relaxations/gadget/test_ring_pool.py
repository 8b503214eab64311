"""Rings for whoever can take them, against the price of every ring for every job."""

import numpy as np
import pytest

from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.ring_pool import RingPool
from tests.generators.gadget import any_networks, small, table
from tests.references.gadget_pricing import random_prices


def test_every_job_takes_the_best_ring_that_was_found_for_anybody():
    rng, others = np.random.default_rng(6), 0
    for cluster in any_networks(40, 7):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        found = enumerate_rings(cluster, limit)
        found = found.take(np.flatnonzero(rng.random(len(found)) < 0.5))
        pool = RingPool(slot)
        half = len(found) // 2
        pool.add(found.take(np.arange(half)))
        pool.add(found)  # what is there already stands there once
        node, link = random_prices(cluster, rng)
        most, best = pool.replies(node, link)
        for place, job in enumerate(slot.jobs.tolist()):
            profit = [-np.inf]
            for ring in range(len(found)):
                size, workers, flow = found.size[ring], found.workers[ring], found.flow[ring]
                fits = size <= slot.largest[place] and (workers <= slot.cap[place]).all()
                if fits and (flow <= link_cap(cluster, job)).all():
                    rent = (workers @ node) @ cluster.demand[job]
                    rent += cluster.bandwidth[job] * (flow @ link)
                    profit.append(slot.gains[place, size - 1] - rent)
                    others += int(found.job[ring] != job)
            assert most[place] == pytest.approx(max(profit))
            mine = best.take(np.flatnonzero(best.job == job))
            assert len(mine) == (len(profit) > 1)
    assert others > 100


def test_a_ring_that_is_too_large_for_a_job_is_not_taken():
    # two workers on server 0 or one on each: the second job may run one, the third has no room
    cluster = small(
        [2, 1],
        [(0, 1, 3)],
        {"max_workers": 2, **table(0, 1, 5)},
        {"max_workers": 1, **table(0, 2)},
        {"max_workers": 2, "bandwidth": 4.0, **table(0, 1, 6)},
    )
    pool = RingPool(snapshot(cluster))
    workers, flow = np.array([[2, 0], [1, 1], [1, 0]]), np.array([[0, 0], [1, 1], [0, 0]])
    rings = Rings(np.zeros(3, np.int64), workers.sum(axis=1), workers, flow)
    pool.add(rings.take([1]))
    most, best = pool.replies(np.zeros((2, 1)), np.zeros(2))
    assert (most.tolist(), best.job.tolist()) == ([5.0, -np.inf, -np.inf], [0])
    pool.add(rings)
    assert len(pool.rings) == 3
    most, best = pool.replies(np.array([[1.0], [0.0]]), np.zeros(2))
    assert (most.tolist(), best.workers.tolist()) == ([4, 1, 4], [[1, 1], [1, 0], [2, 0]])


def test_an_empty_pool_has_nothing_for_anybody():
    most, rings = RingPool(snapshot(small([1]))).replies(np.zeros((1, 1)), np.zeros(0))
    assert (most.tolist(), len(rings)) == ([-np.inf], 0)
