"""Ring mappings: hosts, links, and what cannot be listed."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.rings import ClosedWalks, Rings, enumerate_rings
from farkas.online.gadget.environment import closed_walk
from farkas.proofs.gadget.relaxed import random_clusters
from tests.generators.gadget import small


def test_rings_are_closed_walks_within_local_capacities():
    for cluster in random_clusters(15, 5, network="any", servers=4, jobs=2):
        rings = enumerate_rings(cluster, cluster.ring_limit())
        for c in range(len(rings)):
            job = int(rings.job[c])
            hosts = np.flatnonzero(rings.workers[c]).tolist()
            uses = dict(enumerate(rings.flow[c].tolist()))
            assert closed_walk(cluster, hosts, uses)
            assert (rings.workers[c] <= cluster.host_cap[job]).all()
            assert (rings.flow[c] <= link_cap(cluster, job)).all()
            assert rings.size[c] == rings.workers[c].sum()


def test_too_many_rings_are_refused_not_listed():
    cluster = library.load("gadget/two_triangles")
    with pytest.raises(NotApplicable, match="too many to list"):
        enumerate_rings(cluster, cluster.ring_limit(), most=5)


def test_rings_of_two_servers_by_hand():
    # 2 + 1 GPUs and two workers at most: 1 or 2 at home, 1 on the other, 1 + 1 over both links
    rings = enumerate_rings(small([2, 1], [(0, 1, 2)]), [2])
    found = sorted(zip(rings.size, rings.workers.tolist(), rings.flow.tolist(), strict=True))
    assert found == [
        (1, [0, 1], [0, 0]), (1, [1, 0], [0, 0]), (2, [1, 1], [1, 1]), (2, [2, 0], [0, 0]),
    ]  # fmt: skip


def test_loads_are_workers_and_edges_times_what_the_job_asks_for():
    cluster = small([2, 2], [(0, 1, 9)], {}, {"demand": [3.0], "bandwidth": 4.0})
    rings = Rings(np.array([1]), np.array([3]), np.array([[2, 1]]), np.array([[1, 2]]))
    assert rings.node_load(cluster).tolist() == [[[6.0], [3.0]]]
    assert rings.link_load(cluster).tolist() == [[4.0, 8.0]]
    both = Rings.join([rings, rings.take([0])], cluster)
    assert both.job.tolist() == [1, 1]
    assert len(Rings.join([], cluster)) == 0
    assert Rings.none(cluster).flow.shape == (0, 2)


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
