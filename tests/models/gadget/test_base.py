"""What one-slot programs declare alike: who may run with which sizes."""

import numpy as np
import pytest

from farkas.algebra import Set
from farkas.algebra.declarations import Declarations
from farkas.errors import InvalidOption, NotApplicable
from farkas.instances import library
from farkas.models.gadget.base import (
    declare_capacities,
    declare_links,
    declare_participants,
    lone_sizes,
)
from farkas.models.gadget.rings import ClosedWalks, Rings, enumerate_rings, minimal
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import random_clusters
from tests.generators.gadget import small, table
from tests.tools.rings import is_walk


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


def test_a_link_carries_so_many_edges_of_a_ring():
    # 2 Gbps an edge: 4 carry two, 3.999 one; what asks for nothing is never limited
    cluster = small([1, 1], [(0, 1, 4), (1, 0, 3.999)], {}, {"bandwidth": 0.0}, one_way=True)
    assert cluster.link_cap(0).tolist() == [2, 1]
    assert cluster.link_cap(1).tolist() == [np.inf, np.inf]


def test_rings_are_closed_walks_within_local_capacities():
    for cluster in random_clusters(15, 5, network="any", servers=4, jobs=2):
        rings = enumerate_rings(cluster, cluster.ring_limit())
        for c in range(len(rings)):
            job = int(rings.job[c])
            assert is_walk(cluster, rings.workers[c], rings.flow[c])
            assert (rings.workers[c] <= cluster.host_cap[job]).all()
            assert (rings.flow[c] <= cluster.link_cap(job)).all()
            assert rings.size[c] == rings.workers[c].sum()


def test_too_many_rings_are_refused_not_listed():
    cluster = library.load("gadget/two_triangles")
    with pytest.raises(NotApplicable, match="too many to list"):
        enumerate_rings(cluster, cluster.ring_limit(), most=5)


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
    assert ClosedWalks(cluster, 99).through((0, 1), np.array([0.0, 9, 9, 9])) == []


def test_on_a_tree_hosts_decide_and_nothing_is_searched():
    # a star around node 0: rings take the edges to their hosts both ways
    cluster = small([1, 1, 1], [(0, 1, 9), (0, 2, 9)])
    walks = ClosedWalks(cluster, 0)  # not one partial path may be looked at
    assert walks.through((0, 1), np.full(4, 1.0)) == [(1, 1, 0, 0)]
    assert walks.through((1, 2), np.full(4, 1.0)) == [(1, 1, 1, 1)]
    assert walks.through((1, 2), np.array([1.0, 1, 1, 0])) == []
    assert walks.through((2,), np.zeros(4)) == [(0, 0, 0, 0)]


def test_envelope_gains_see_what_a_sigmoid_is_worth_later():
    cluster = library.load("gadget/late_sigmoid")
    printed = snapshot(cluster, 0).gains[0, 0]
    envelope = snapshot(cluster, 0, gains="envelope").gains[0, 0]
    assert printed < 1e-40
    # the chord from 0 to the seventh worker-slot, just past the bend at 6
    rewards = cluster.reward(0, np.arange(11))
    assert envelope == pytest.approx(max(rewards[m] / m for m in range(1, 11)))


def slot(progress=None):
    """Three GPUs; job 0 has not arrived, job 1 may run 2 workers, job 2 has a budget of 2."""
    jobs = {"arrival": 1}, {"max_workers": 2} | table(0, 1, 5, 6, 8), {"budget": [2.0]}
    return snapshot(small([3], (), *jobs, horizon=2), 0, progress)


def test_gains_are_differences_of_rewards_after_what_was_received():
    view = slot([0, 2, 1])
    assert view.jobs.tolist() == [1, 2]
    assert view.gains.tolist() == [[1, 3], [5, 10]]  # 6 - 5 and 8 - 5; 5 a worker
    assert view.allowed.tolist() == [[True, True], [True, False]]  # one worker-slot is left
    assert view.pairs.tolist() == [[1, 1], [1, 2], [2, 1]]
    assert view.pair_gains.tolist() == [1, 3, 5]
    assert view.largest.tolist() == [2, 1]
    assert (view.largest_size, view.cap.tolist()) == (2, [[2], [1]])
    assert view.value([9, 2, 1]) == 3 + 5
    assert view.value([9, 0, 1]) == 5


def test_without_jobs_there_is_nothing_to_choose():
    done = snapshot(small([3], (), {"budget": [2.0]}), 0, [2])
    for view in (snapshot(small([3]).replace(jobs=[])), done):
        assert len(view.jobs) == 0
        assert view.gains.shape == view.allowed.shape == (0, 0)
        assert view.value(np.full(view.cluster.num_jobs, 9)) == 0.0


def test_fixing_a_size_forbids_the_others_and_zero_removes_the_job():
    assert slot().fixed([2, 0]).pairs.tolist() == [[1, 2]]
    assert slot().fixed([1, 2]).pairs.tolist() == [[1, 1], [2, 2]]
    assert slot().fixed([1, 3]).jobs.tolist() == [1]  # three workers were not allowed


def test_a_snapshot_of_a_snapshot_is_itself_and_unknown_gains_are_named():
    view = slot()
    assert snapshot(view) is view
    with pytest.raises(InvalidOption, match="did you mean envelope"):
        snapshot(view.cluster, gains="envelop")


def test_envelope_gains_count_no_more_worker_slots_than_the_job_can_still_get():
    # values 0, 0, 10: with two worker-slots to come the first is worth half of 10, with one nothing
    jobs = ({"max_workers": 1} | table(0, 0, 10),)
    cluster = small([1], (), *jobs, horizon=2)
    assert snapshot(cluster, 0, gains="envelope").gains.tolist() == [[5]]
    assert snapshot(cluster, 1, gains="envelope").gains.tolist() == [[0]]
    assert snapshot(cluster, 1, [1], gains="envelope").gains.tolist() == [[10]]


def test_envelope_gains_end_with_the_budget():
    # one of two worker-slots of the budget is left: 10, although 99 after four would bend it to 33
    jobs = ({"max_workers": 1, "budget": [2.0]} | table(0, 0, 10, 10, 99),)
    cluster = small([1], (), *jobs, horizon=5)
    assert snapshot(cluster, 1, [1], gains="envelope").gains.tolist() == [[10]]


# a triangle of one-way links and one link back
TRIANGLE = small([1, 1, 1], [(0, 1, 9), (1, 0, 9), (1, 2, 9), (2, 0, 9)], one_way=True)


def test_ways_to_join_paths_are_counted_over_all_calls():
    # a pair of hosts: one way out, and after it two ways back, each looked at once
    walks = ClosedWalks(TRIANGLE, 4)
    for _ in range(13):
        walks.in_any_order((0, 1), np.full(4, 9.0))
    with pytest.raises(NotApplicable, match="more than 4 closed walks; too many to list"):
        walks.in_any_order((0, 1), np.full(4, 9.0))


def test_minimal_vectors_lie_below_no_other():
    assert minimal([(1, 1), (0, 2), (1, 0), (2, 0), (1, 0)]) == [(1, 0), (0, 2)]
