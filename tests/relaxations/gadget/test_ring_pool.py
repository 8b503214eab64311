"""Rings for whoever can take them, against the price of every ring for every job."""

import numpy as np
import pytest

from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.ring_pool import RingPool
from tests.generators.gadget import any_networks, small, table
from tests.references.gadget_pricing import random_prices


@pytest.mark.slow
def test_every_job_takes_the_best_ring_that_was_found_for_anybody():
    rng, others, ties = np.random.default_rng(6), 0, 0
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
        node, link = (np.round(2.0 * price) / 2.0 for price in random_prices(cluster, rng))
        most = pool.most(node, link)
        floor = np.where(rng.random(len(most)) < 0.3, most, most - 1e-6)
        floor[np.isinf(most)] = 0.0
        best = pool.better(node, link, floor)
        for place, job in enumerate(slot.jobs.tolist()):
            profit, able = [-np.inf], [-1]
            for ring in range(len(found)):
                size, workers, flow = found.size[ring], found.workers[ring], found.flow[ring]
                fits = size <= slot.largest[place] and (workers <= slot.cap[place]).all()
                if fits and (flow <= link_cap(cluster, job)).all():
                    rent = (workers @ node) @ cluster.demand[job]
                    rent += cluster.bandwidth[job] * (flow @ link)
                    profit.append(slot.gains[place, size - 1] - rent)
                    able.append(ring)
                    others += int(found.job[ring] != job)
            assert most[place] == pytest.approx(max(profit))
            mine = best.take(np.flatnonzero(best.job == job))
            wanted = set[bytes]()
            if np.isfinite(most[place]) and most[place] > floor[place]:
                as_good = np.flatnonzero(np.array(profit) > most[place] - 1e-6)
                wanted = {_key(found, able[k]) for k in as_good.tolist()}
                ties += len(wanted) > 1
            assert {_key(mine, ring) for ring in range(len(mine))} == wanted
            assert len(mine) == len(wanted)
    assert (others > 100, ties > 10) == (True, True)


def _key(rings, ring):
    return rings.workers[ring].tobytes() + rings.flow[ring].tobytes()


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
    free, nothing = (np.zeros((2, 1)), np.zeros(2)), np.zeros(3)
    assert pool.most(*free).tolist() == [5.0, -np.inf, -np.inf]
    assert pool.better(*free, nothing).job.tolist() == [0]
    pool.add(rings)
    assert len(pool.rings) == 3
    prices = np.array([[1.0], [0.0]]), np.zeros(2)
    assert pool.most(*prices).tolist() == [4, 1, 4]
    assert pool.better(*prices, nothing).workers.tolist() == [[1, 1], [1, 0], [2, 0]]
    floor = np.array([4.0, 0.5, 4.0 - 1e-6])
    assert pool.better(*prices, floor).job.tolist() == [1, 2]
    # where servers cost nothing either, both rings of two are as good for the first job
    assert pool.better(*free, nothing).job.tolist() == [0, 0, 1, 2]


def test_an_empty_pool_has_nothing_for_anybody():
    pool, prices = RingPool(snapshot(small([1]))), (np.zeros((1, 1)), np.zeros(0))
    assert pool.most(*prices).tolist() == [-np.inf]
    assert len(pool.better(*prices, np.array([-1.0]))) == 0
