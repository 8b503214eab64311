"""Closed walks joined of simple paths, by hand."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.models.gadget.orders import OrderedWalks, minimal
from tests.generators.gadget import small

# a triangle of one-way links and one link back
TRIANGLE = small([1, 1, 1], [(0, 1, 9), (1, 0, 9), (1, 2, 9), (2, 0, 9)], one_way=True)


def test_both_ways_back_are_kept_unless_a_link_is_full():
    found = OrderedWalks(TRIANGLE, 99).through((0, 1), np.full(4, 9.0))
    assert found == [(1, 1, 0, 0), (1, 0, 1, 1)]
    assert OrderedWalks(TRIANGLE, 99).through((0, 1), np.array([9.0, 9, 9, 0])) == [(1, 1, 0, 0)]
    assert OrderedWalks(TRIANGLE, 99).through((0, 1), np.array([0.0, 9, 9, 9])) == []


def test_ways_to_join_paths_are_counted_over_all_calls():
    # a pair of hosts: one way out, and after it two ways back, each looked at once
    walks = OrderedWalks(TRIANGLE, 4)
    for _ in range(13):
        walks.through((0, 1), np.full(4, 9.0))
    with pytest.raises(NotApplicable, match="more than 4 closed walks; too many to list"):
        walks.through((0, 1), np.full(4, 9.0))


def test_minimal_vectors_lie_below_no_other():
    assert minimal([(1, 1), (0, 2), (1, 0), (2, 0), (1, 0)]) == [(1, 0), (0, 2)]
