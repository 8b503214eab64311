"""The largest ring of a job that has the cluster to itself."""

import numpy as np

from farkas.models.gadget.base import lone_sizes
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.small import random_clusters
from tests.generators.gadget import small


def test_lone_sizes_are_the_largest_enumerated_ones():
    for cluster in random_clusters(25, 6, network="any", servers=4, jobs=2):
        slot = snapshot(cluster)
        limit = np.zeros(cluster.num_jobs, int)
        limit[slot.jobs] = slot.largest
        rings = enumerate_rings(cluster, limit)
        largest = [int(rings.size[rings.job == i].max(initial=0)) for i in slot.jobs]
        assert lone_sizes(slot).tolist() == largest


def test_a_narrow_link_divides_a_tree():
    # 1 - 1 - 2 GPUs in a row; the second edge has no room for 2 Gbps one way
    links = [(0, 1, 2), (1, 0, 2), (1, 2, 2), (2, 1, 1)]
    cluster = small([1, 1, 3], links, {"max_workers": 9}, one_way=True)
    assert lone_sizes(snapshot(cluster)).tolist() == [3]
    other = small([1, 1, 3], [(0, 1, 2), (1, 0, 2), (1, 2, 1), (2, 1, 2)], {"max_workers": 9},
                  one_way=True)  # fmt: skip
    assert lone_sizes(snapshot(other)).tolist() == [3]
    assert lone_sizes(snapshot(small([1, 1, 3], [(0, 1, 2), (1, 2, 2)]))).tolist() == [3]
    wide = small([1, 1, 3], [(0, 1, 2), (1, 2, 2)], {"max_workers": 9})
    assert lone_sizes(snapshot(wide)).tolist() == [5]


def test_off_a_forest_hosts_need_a_closed_walk_through_all_of_them():
    # a one-way cycle joins all; without one of its links nobody meets
    links = [(0, 1, 2), (1, 2, 2), (2, 0, 2)]
    ring = small([1, 1, 1], links, one_way=True)
    assert lone_sizes(snapshot(ring)).tolist() == [3]
    slow = small([1, 1, 1], [(0, 1, 2), (1, 2, 2), (2, 0, 1)], one_way=True)
    assert lone_sizes(snapshot(slow)).tolist() == [1]


def test_only_allowed_sizes_count():
    slot = snapshot(small([2, 1], [(0, 1, 1)]))  # two workers at home; a ring of three is too wide
    assert lone_sizes(slot).tolist() == [2]
    assert lone_sizes(slot.restrict(np.array([[True, False, True]]))).tolist() == [1]
    assert lone_sizes(slot.restrict(np.array([[False, False, True]]))).tolist() == [0]
