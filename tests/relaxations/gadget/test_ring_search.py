"""Best rings by labels: by hand, and with and without machine code."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.relaxations.gadget.ring_pricing import network_of
from farkas.relaxations.gadget.ring_search import (
    RingTask,
    alone,
    best_ring,
    best_with,
    cheapest_workers,
    distances,
    fitted,
)

MANY = 1 << 20


def network(nodes, *ends):
    pairs = np.array(ends, np.int64).reshape(-1, 2)
    return network_of(nodes, pairs[:, 0].copy(), pairs[:, 1].copy())


def task(price, cap, length, worth, uses=None):
    every = np.full(len(length), 9) if uses is None else np.array(uses)
    return RingTask(
        np.array(price, float), np.array(cap), np.array(length, float), every,
        np.array([-np.inf, *worth], float),
    )  # fmt: skip


CYCLE = network(3, (0, 1), (1, 2), (2, 0))
"""Three hosts on a one-way cycle."""

TRIANGLE = network(3, (0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))


def found(network, task, floor=0.0, labels=MANY):
    worth, most, workers, flow = best_ring(network, task, floor, labels)
    return worth, most, workers.tolist(), flow.tolist()


def test_distances_follow_the_links_that_may_be_used():
    # lengths 1, 2, 4 around; without the link from 2 nothing leads back to 0
    length, every = np.array([1.0, 2, 4]), np.ones(3, np.int64)
    assert distances(CYCLE, length, every, 0, False).tolist() == [0, 1, 3]
    assert distances(CYCLE, length, every, 0, True).tolist() == [0, 6, 4]
    assert distances(CYCLE, length, np.array([1, 1, 0]), 2, False).tolist() == [np.inf, np.inf, 0]


def test_the_cheapest_workers_fill_the_cheapest_hosts():
    price, cap = np.array([5.0, 1, 2]), np.array([3, 2, 1])
    assert cheapest_workers(price, cap, np.array([1, 2, 0]), 0, 4).tolist() == [0, 1, 2, 4, 9]
    assert cheapest_workers(price, cap, np.array([1, 2]), 1, 2).tolist() == [0, 2, np.inf]
    # worth 9 and 12 with one or two more at 2 and 5
    worth = np.array([-np.inf, 4.0, 9, 12])
    assert best_with(worth, 1, np.array([0.0, 2, 5])) == 7.0


def test_a_ring_around_a_cycle_pays_every_link_once():
    # GPUs at 1, 10, 100; links at 2, 4, 8: once around is 14
    cycle = task([1, 10, 100], [1, 1, 1], [2, 4, 8], [3, 30, 130])
    assert found(CYCLE, cycle) == (5.0, 5.0, [1, 1, 0], [1, 1, 1])  # 30 - 11 - 14
    three = task([1, 10, 100], [1, 1, 1], [2, 4, 8], [3, 20, 131])
    assert found(CYCLE, three) == (6.0, 6.0, [1, 1, 1], [1, 1, 1])  # 131 - 111 - 14
    one = task([1, 10, 100], [1, 1, 1], [2, 4, 8], [3, 20, 120])
    assert found(CYCLE, one) == (2.0, 2.0, [1, 0, 0], [0, 0, 0])
    assert found(CYCLE, one, floor=2.5) == (2.5, 2.5, [0, 0, 0], [0, 0, 0])


def test_a_walk_that_comes_back_to_a_full_host_is_no_ring():
    # one, two and two GPUs for nothing; only five workers are worth anything, so all are needed
    idle = task([0, 0, 0], [1, 2, 2], [0] * 6, [0, 0, 0, 0, 15])
    worth, most, workers, flow = found(TRIANGLE, idle)
    assert (worth, most, workers) == (15.0, 15.0, [1, 2, 2])
    assert sum(flow) == 3
    # without memory a bound remains, and what was found is a ring all the same
    worth, most, workers, _ = found(TRIANGLE, idle, labels=0)
    assert most == 15.0
    assert worth in (0.0, 15.0)
    assert sum(workers) == (5 if worth else 0)


def test_a_host_that_is_free_holds_no_more_than_fit():
    # server 0 is free, 1 costs 1 and 2 costs 50: three workers go 0, 1, 2, not 0, 1, 0 or 0, 1, 1
    priced = task([0, 1, 50], [1, 1, 1], [0] * 6, [0, 0, 60])
    assert found(TRIANGLE, priced)[:3] == (9.0, 9.0, [1, 1, 1])


def test_a_link_is_not_used_more_often_than_it_fits():
    # hosts 0, 1, 2 around switch 3; the way from 0 to 3 fits once, so 0 cannot be passed twice.
    # Both 1 and 2 are reached through 0 only, and lead back to it
    star = network(4, (0, 3), (3, 1), (3, 2), (1, 0), (2, 0))
    worth = [1, 10, 20]
    wide = task([0, 0, 0, 0], [1, 1, 1, 0], [0] * 5, worth)
    assert found(star, wide)[:3] == (20.0, 20.0, [1, 1, 1, 0])
    narrow = task([0, 0, 0, 0], [1, 1, 1, 0], [0] * 5, worth, uses=[1, 9, 9, 9, 9])
    assert found(star, narrow)[0] == 10.0
    # a dearer way around lets it pass after all: 20 - 3
    other = network(4, (0, 3), (3, 1), (3, 2), (1, 0), (2, 0), (1, 3))
    around = task([0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0, 0, 3], worth, uses=[1, 9, 9, 9, 9, 9])
    assert found(other, around)[:3] == (17.0, 17.0, [1, 1, 1, 0])


def test_walks_are_cut_to_what_fits():
    priced = task([1, 2, 3], [1, 1, 1], [1, 1, 1], [5, 11, 20], uses=[1, 1, 2])
    walk = np.array([1, 1, 1])
    assert fitted(priced, np.array([1, 2, 0]), walk) == (11 - 3 - 3, True)
    assert fitted(priced, np.array([1, 1, 0]), walk * 2) == (-np.inf, False)


@pytest.mark.parametrize(
    ("price", "best"), [([1, 1], (8.0, 1, 2)), ([1, 5], (4.0, 0, 1)), ([9, 9], (-4.0, 0, 1))]
)
def test_the_best_ring_on_one_host(price, best):
    assert alone(task(price, [1, 2], [], [5, 10])) == best
