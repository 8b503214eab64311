"""What walks are worth at most: by hand, and against searches."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.relaxations.gadget.ring_search import no_labels, search
from farkas.relaxations.gadget.ring_walks import (
    best_with,
    cheapest_workers,
    distances,
    plain_ahead,
    walks_ahead,
)
from tests.relaxations.gadget.test_ring_search import CYCLE, forgetful, some_search


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


@pytest.mark.slow
def test_what_walks_are_worth_from_a_label_on_is_what_a_search_finds():
    rng, walks = np.random.default_rng(5), 0
    for _ in range(200):
        net, job, frame = some_search(rng)
        exact, plain = walks_ahead(net, job, frame), plain_ahead(frame, 6)
        assert (exact.free <= plain.free).all()
        assert (exact.laid <= plain.laid).all()
        begun = [exact.laid[m, 0] - m * job.price[0] for m in range(1, job.cap[0] + 1)]
        labels, memory = no_labels(1000, 1000), forgetful(net, 6)
        for ahead in (plain, exact):
            labels = no_labels(1000, 1000)
            value, bound, end, used = search(net, job, frame, ahead, memory, -1.0, labels)
            assert used == (labels.place >= 0).sum()
            assert value == bound == max(-1.0, *begun)
            walks += end >= 0
    assert walks > 100
