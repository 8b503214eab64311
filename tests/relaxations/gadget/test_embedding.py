"""gadget.gvne_lp, gadget.node_lp and gadget.local_node_lp: the collapse, and what is not one."""

import pytest

from farkas.duals.dualize import dualize
from farkas.instances import library
from farkas.models.gadget.column import ColumnLP
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.embedding import GvneLP, LocalNodeLP, NodeLP
from farkas.relaxations.gadget.horizon import Augmented, fixed_sizes
from farkas.solvers import solve
from tests.conformance.oracle import row
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form).require_optimal().objective


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_the_embedding_relaxation_and_its_dual_are_the_node_relaxation(network):
    for cluster in random_clusters(8, 1, network=network, resources=2):
        node = optimum(NodeLP().form(cluster))
        form = GvneLP().form(cluster)
        assert optimum(form) == pytest.approx(node, abs=1e-7)
        assert optimum(dualize(form).form) == pytest.approx(node, abs=1e-7)
        fixed = fixed_sizes(cluster)
        assert optimum(Augmented().form(fixed)) == pytest.approx(
            optimum(NodeLP().form(fixed)), abs=1e-7
        )


def test_half_rings_on_a_cycle_separate_the_relaxations():
    cluster = library.load("gadget/six_cycle_half")
    assert optimum(GvneLP().form(cluster)) == pytest.approx(1.0)
    assert optimum(LocalNodeLP().form(cluster)) == pytest.approx(1.0)
    assert optimum(ColumnLP().form(cluster)) == 0.0


def test_a_node_holds_no_more_of_a_ring_than_fits_when_it_is_empty():
    # workers of 2 GPUs on 3 + 2: rings of two, worth 6, for two jobs
    jobs = [{"demand": [2.0]} | table(0, 0, 6)] * 2
    cluster = small([3, 2], [(0, 1, 9)], *jobs)
    # 1.5 + 1 workers are 1.25 rings; but a ring has at most one worker on either server, and the
    # second has room for one in all
    assert optimum(NodeLP().form(cluster)) == pytest.approx(7.5)
    form = LocalNodeLP().form(cluster)
    assert optimum(form) == pytest.approx(6.0)
    held = "-1 chosen[0,1] -1 chosen[0,2] +1 workers[0,0] <= 0"
    assert row(form, "local_capacity[0,0]") == held
