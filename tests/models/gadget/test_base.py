"""What one-slot programs declare alike: who may run with which sizes."""

import numpy as np

from farkas.algebra import Set
from farkas.algebra.declare import Declarations
from farkas.models.gadget.base import (
    declare_capacities,
    declare_links,
    declare_participants,
    lone_sizes,
)
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from tests.generators.gadget import small


def test_sizes_belong_to_the_jobs_that_may_run():
    cluster = small([2, None], [], {"demand": [9.0]}, {"demand": [2.0]}, {"max_workers": 2})
    m = Declarations()
    declare_participants(m, snapshot(cluster).fixed([0, 3, 2]))
    assert m.jobs.table[:, 0].tolist() == [1, 2]
    assert m.sizes.table.tolist() == [[1, 3], [2, 2]]
    assert (m.sizes_of.counts.tolist(), m.sizes_of.table.tolist()) == ([1, 1], [[3], [2]])
    assert m.gain.values.tolist() == [15.0, 10.0]


def declared():
    """Servers of 2 and unlimited GPUs and a switch; one link of 3 Gbps, all others unlimited."""
    edges = [(0, 2, 3), (2, 1, None), (1, 0, None), (2, 0, None)]
    jobs = {"demand": [9.0]}, {"demand": [2.0]}, {"max_workers": 2, "bandwidth": 7.0}
    cluster = small([2, None], edges, *jobs, switches=1, one_way=True)
    m = Declarations()
    m.jobs = Set([1, 2], label="job")
    declare_capacities(m, cluster, [1, 2])
    declare_links(m, cluster, [1, 2])
    return m


def test_only_what_is_finite_and_no_switch_can_fill_up():
    m = declared()
    assert m.limits.table.tolist() == [[0, 0]]
    assert m.capacity.values.tolist() == [2.0]
    assert m.demand.values.tolist() == [[2.0], [1.0]]
    assert m.limited_links.table.tolist() == [[0]]
    assert m.bandwidth.values.tolist() == [3.0]
    assert m.reserved.values.tolist() == [2.0, 7.0]


def test_links_leave_one_node_and_enter_another():
    m = declared()
    assert [m.leaving.group(u) for u in range(3)] == [[0], [2], [1, 3]]
    assert [m.entering.group(u) for u in range(3)] == [[2, 3], [1], [0]]


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
