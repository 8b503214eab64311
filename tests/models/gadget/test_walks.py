"""Closed walks through hosts, by hand."""

import numpy as np

from farkas.instances import library
from farkas.models.gadget.rings import ClosedWalks
from tests.generators.gadget import small


def test_on_a_one_way_cycle_every_ring_circles_once():
    cluster = library.load("gadget/six_cycle_half").replace(
        links=[{"from": u, "to": (u + 1) % 6, "bandwidth": 2} for u in range(6)]
    )
    walks = ClosedWalks(cluster, 1000).through((0, 2, 5), np.full(6, 2.0))
    assert walks == [(1, 1, 1, 1, 1, 1)]  # in the other order it would circle twice


def test_walks_along_a_detour_are_kept_beside_the_direct_one():
    # a triangle of one-way links and one link back: from 0 to 1 directly, back by 1->0 or 1->2->0
    cluster = small([1, 1, 1], [(0, 1, 9), (1, 0, 9), (1, 2, 9), (2, 0, 9)], one_way=True)
    assert ClosedWalks(cluster, 99).through((0, 1), np.full(4, 9.0)) == [(1, 1, 0, 0), (1, 0, 1, 1)]
    assert ClosedWalks(cluster, 99).through((0, 1), np.array([9.0, 0, 9, 9])) == [(1, 0, 1, 1)]


def test_on_a_tree_hosts_decide_and_nothing_is_searched():
    # a star around node 0: rings take the edges to their hosts both ways
    cluster = small([1, 1, 1], [(0, 1, 9), (0, 2, 9)])
    walks = ClosedWalks(cluster, 0)  # not one partial path may be looked at
    assert walks.through((0, 1), np.full(4, 1.0)) == [(1, 1, 0, 0)]
    assert walks.through((1, 2), np.full(4, 1.0)) == [(1, 1, 1, 1)]
    assert walks.through((1, 2), np.array([1.0, 1, 1, 0])) == []
    assert walks.through((2,), np.zeros(4)) == [(0, 0, 0, 0)]


def test_hosts_of_two_trees_have_no_walk():
    assert ClosedWalks(small([1, 1, 1], [(0, 1, 9)]), 9).through((1, 2), np.full(2, 9.0)) == []
