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
