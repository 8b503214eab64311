"""gadget.augmented: one copy of a ring for every host of its first worker."""

import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.horizon import Augmented, fixed_sizes
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.gadget import small


def test_the_augmented_relaxation_refuses_open_sizes():
    with pytest.raises(NotApplicable, match="one ring size per job"):
        Augmented().form(snapshot(library.load("gadget/tiny")))


def test_a_ring_of_two_in_two_copies_written_out():
    # one GPU each, links 0 = (0, 1) and 1 = (1, 0), a ring of two worth 10
    form = Augmented().form(snapshot(small([1, 1], [(0, 1, 3)])).fixed([2]))
    assert row(form, "one_copy[0]") == "+1 chosen[0,0] +1 chosen[0,1] <= 1"
    seat = "-1 chosen[0,0] +1 placed[0,0,1,0] +1 placed[0,0,1,1] = 0"
    assert row(form, "every_worker_sits_somewhere[0,0,1]") == seat
    # copy of host 0, edge 0 from worker 0 on node 0 to worker 1: out - in = chosen - placed
    assert row(form, "flow[0,0,0,0]") == (
        "-1 chosen[0,0] +1 placed[0,0,1,0] +1 routed[0,0,0,0] -1 routed[0,0,0,1] = 0"
    )
    # edge 1 comes back: out - in = placed - chosen at node 0, placed elsewhere
    assert row(form, "flow[0,0,1,0]") == (
        "+1 chosen[0,0] -1 placed[0,0,1,0] +1 routed[0,0,1,0] -1 routed[0,0,1,1] = 0"
    )
    assert row(form, "flow[0,0,1,1]") == (
        "-1 placed[0,0,1,1] -1 routed[0,0,1,0] +1 routed[0,0,1,1] = 0"
    )
    assert row(form, "node_capacity[0,0]") == (
        "+1 chosen[0,0] +1 placed[0,0,1,0] +1 placed[0,1,1,0] <= 1"
    )
    assert row(form, "link_capacity[0]") == (
        "+2 routed[0,0,0,0] +2 routed[0,0,1,0] +2 routed[0,1,0,0] +2 routed[0,1,1,0] <= 3"
    )
    assert solve(form).objective == pytest.approx(10.0)


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
