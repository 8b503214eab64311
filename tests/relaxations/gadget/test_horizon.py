"""Blocks of slots and pieces of rewards; the bounds on the whole horizon beside each other."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.proofs.gadget.rounding import SIZES, chosen_slot
from farkas.relaxations.gadget.horizon import Augmented, Timeline, fixed_sizes
from farkas.relaxations.gadget.offline_bound import OfflineBound, OfflineColumnBound
from farkas.solvers import solve
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form).require_optimal().objective


def test_blocks_end_where_jobs_arrive():
    cluster = library.load("gadget/tiny").replace(horizon=5)
    timeline = Timeline.of(cluster)
    assert timeline.start.tolist() == [0, 1]
    assert timeline.length.tolist() == [1, 4]
    assert timeline.open_blocks.tolist() == [[0, 0], [0, 1], [1, 1]]


@pytest.mark.ids(1)
@pytest.mark.parametrize("concave", [True, False])
def test_horizon_bounds_are_ordered_above_the_optimum(concave):
    for cluster in random_clusters(12, 6, network="any", concave=concave):
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        columns = optimum(OfflineColumnBound().form(cluster))
        assert best <= columns + 1e-6
        assert columns <= optimum(OfflineBound().form(cluster)) + 1e-6


def two_blocks():
    """Servers of 1, 1 and 2 GPUs; job 0 from slot 0, job 1 from slot 2 of 5; 3, 3, 2 then 4."""
    jobs = {"max_workers": 2} | table(0, 3, 6, 8), {"arrival": 2, "max_workers": 1} | table(0, 4)
    return small([1, 2, 1], (), *jobs, horizon=5)


def test_equal_slopes_are_one_piece():
    keys, lengths, slopes = Timeline.of(two_blocks()).pieces
    assert keys.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert (lengths.tolist(), slopes.tolist()) == ([2, 1, 1], [3, 2, 4])


def test_a_cluster_in_which_nobody_can_run_keeps_what_idling_is_worth():
    cluster = small([1], (), {"demand": [2.0]} | table(7, 9))
    assert optimum(OfflineBound().form(cluster)) == optimum(OfflineColumnBound().form(cluster)) == 7


def test_the_augmented_relaxation_refuses_open_sizes():
    with pytest.raises(NotApplicable, match="one ring size per job"):
        Augmented().form(snapshot(library.load("gadget/tiny")))


def test_a_ring_of_one_has_no_edges():
    form = Augmented().form(snapshot(small([1, 1])).fixed([1]))
    assert form.column_block("routed").size == form.column_block("placed").size == 0
    assert solve(form).objective == pytest.approx(5.0)


def test_of_an_instance_the_largest_ring_that_runs_alone_is_fixed():
    # three GPUs, but the edge is too narrow: two workers at home
    assert fixed_sizes(small([2, 1], [(0, 1, 1)])).pairs.tolist() == [[0, 2]]
    assert fixed_sizes(small([2, 1], [(0, 1, 2)])).pairs.tolist() == [[0, 3]]


@pytest.mark.parametrize(("bandwidth", "share"), [(1.9, 0), (2, 1)])
def test_no_part_of_a_ring_edge_runs_on_a_link_that_is_too_thin_for_it(bandwidth, share):
    form = Augmented().form(snapshot(small([1, 1], [(0, 1, bandwidth)])).fixed([2]))
    block = form.column_block("routed")
    assert set(form.upper[block.start : block.start + block.size].tolist()) == {share}


@pytest.mark.parametrize("servers", SIZES)
def test_variables_are_a_copy_per_host_and_size(servers: int) -> None:
    slot = chosen_slot(servers)
    size = slot.largest.astype(int)
    hosts = (slot.cluster.host_cap[slot.jobs] > 0).sum(axis=1)
    nodes, links = slot.cluster.num_nodes, slot.cluster.num_links
    # a host chooses; all workers but its own stand on nodes, and rings of two and more use links
    copies = hosts * (1 + (size - 1) * nodes + np.where(size > 1, size, 0) * links)
    assert Augmented().form(slot).num_columns == copies.sum()
