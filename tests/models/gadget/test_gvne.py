"""gadget.gvne: worker by worker, ring edge by ring edge."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.gvne import Gvne, SimplePaths
from tests.conformance.oracle import column
from tests.generators.gadget import small


def test_the_size_of_the_embedding_program_is_the_stated_one():
    # q sizes: |V| q(q+1)/2 placements and |E| (q(q+1)/2 - 1) ring edges per job
    cluster = library.load("gadget/two_triangles")
    q, nodes, links = 6, 6, 12
    form = Gvne().form(cluster)
    assert form.num_columns == 1 + q + nodes * q * (q + 1) // 2 + links * (q * (q + 1) // 2 - 1)
    rows = 1 + q * (q + 1) // 2 + nodes * (q * (q + 1) // 2 - 1) + nodes + links
    assert form.num_rows == rows


def test_no_worker_sits_where_none_fits():
    form = Gvne().form(small([1, 0.5], [(0, 1, 3)]))
    assert column(form, "placed[0,1,0,0]").endswith("<= 1 integer")
    assert column(form, "placed[0,1,0,1]").endswith("<= 0 integer")


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
