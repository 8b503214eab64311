"""gadget.tree: on a forest an edge is crossed both ways or not at all."""

import msgspec
import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.forest import forest
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.tree import Tree, crossable
from farkas.solvers import solve
from tests.conformance.oracle import column, row
from tests.generators.gadget import small


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


def test_one_way_links_carry_no_ring_on_a_tree_but_do_on_a_cycle():
    pair = library.load("gadget/worker_bound_trap")
    one_way = pair.replace(links=[{"from": 0, "to": 1, "bandwidth": 10}])
    assert forest(one_way) is not None
    assert optimum(Tree().form(one_way)) == optimum(Gvne().form(one_way)) == 1.0
    cycle = library.load("gadget/six_cycle_half")
    assert forest(cycle) is None
    with pytest.raises(NotApplicable, match="has a cycle"):
        Tree().form(cycle)


def test_zero_bandwidth_jobs_pass_every_link():
    cluster = library.load("gadget/two_ring_star")
    job = cluster.jobs[0]
    free = cluster.replace(
        jobs=[{**msgspec.to_builtins(job), "bandwidth": 0.0}],
        links=[{"from": k.source, "to": k.target, "bandwidth": 0.0} for k in cluster.links],
    )
    assert optimum(Tree().form(free)) == pytest.approx(2 * np.sqrt(2))
    assert optimum(Circulation().form(free)) == pytest.approx(2 * np.sqrt(2))


def test_two_servers_under_a_switch_written_out():
    # nodes 0 and 1 have 2 and 1 GPUs, node 2 is the switch; node 0 is the root, 2 is below it and 1
    # below 2.  Links: 0 = (0, 2), 1 = (2, 0), 2 = (1, 2), 3 = (2, 1).
    form = Tree().form(small([2, 1], [(0, 2, 3), (1, 2, 5)], switches=1))
    assert row(form, "workers_below[0,0]") == "-1 workers[0,0] +1 below[0,0] -1 below[0,2] = 0"
    assert row(form, "workers_below[0,2]") == "-1 workers[0,2] -1 below[0,1] +1 below[0,2] = 0"
    unused = "+1 below[0,1] -1 crosses[0,1] -1 inside[0,1] <= 0"
    assert row(form, "none_below_an_unused_edge[0,1]") == unused
    # size - below <= 3 (1 - inside + crosses)
    assert row(form, "none_outside_unless_crossing[0,1]") == (
        "+1 chosen[0,1] +2 chosen[0,2] +3 chosen[0,3] -1 below[0,1] -3 crosses[0,1] "
        "+3 inside[0,1] <= 3"
    )
    assert row(form, "none_in_other_trees[0,0]") == "+1 below[0,0] -3 within[0,0] <= 0"
    assert row(form, "link_capacity[1,2]") == "+2 crosses[0,1] <= 5"
    assert row(form, "link_capacity[1,3]") == "+2 crosses[0,1] <= 5"
    assert column(form, "below[0,2]") == "0 <= below[0,2] <= 1"
    assert optimum(form) == 15.0


def test_a_ring_stays_in_one_tree():
    # 1 + 1 GPUs joined, 1 + 1 joined elsewhere: two workers at most
    assert optimum(Tree().form(small([1, 1, 1, 1], [(0, 1, 9), (2, 3, 9)]))) == 10.0


def test_an_edge_is_crossed_when_both_directions_let_a_ring_through():
    # 2 Gbps carry one ring edge of 2 Gbps; 1.9 do not, in whichever direction
    for up, down, passes in ((2, 2, True), (2, 1.9, False), (1.9, 2, False)):
        cluster = small([1, 1], [(0, 1, up), (1, 0, down)], one_way=True)
        tree = forest(cluster)
        assert crossable(cluster, np.array([0]), tree).tolist() == [[passes]]
        assert optimum(Tree().form(cluster)) == (10.0 if passes else 5.0)
