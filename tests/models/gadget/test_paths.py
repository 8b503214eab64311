"""Simple paths of a network, by hand."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.models.gadget.gvne import SimplePaths
from tests.generators.gadget import small

# a triangle of one-way links and one link back
TRIANGLE = small([1, 1, 1], [(0, 1, 9), (1, 0, 9), (1, 2, 9), (2, 0, 9)], one_way=True)


def test_paths_follow_the_direction_of_links_and_visit_no_node_twice():
    paths = SimplePaths(TRIANGLE, 99)
    assert paths.over_all(1, 0) == [(0, 1, 0, 0), (0, 0, 1, 1)]
    assert paths.over_all(0, 2) == [(1, 0, 1, 0)]
    assert paths.over_all(0, 0) == [(0, 0, 0, 0)]


def test_links_that_may_not_be_used_once_are_left_out():
    paths = SimplePaths(TRIANGLE, 99)
    assert paths.between(1, 0, np.array([1.0, 0.5, 1, 1])) == [(0, 0, 1, 1)]
    assert paths.between(1, 0, np.ones(4)) == [(0, 1, 0, 0), (0, 0, 1, 1)]


def test_dead_ends_count_and_every_pair_of_nodes_anew():
    # from 1 to 0: at 1, at 0 by the link back, at 2, at 0
    for _ in range(2):
        paths = SimplePaths(TRIANGLE, 4)
        assert len(paths.over_all(1, 0)) == 2
        assert len(paths.over_all(0, 2)) == 1
    with pytest.raises(NotApplicable, match="more than 3 partial paths; too many to list"):
        SimplePaths(TRIANGLE, 3).over_all(1, 0)
