"""gadget.circulation: closed walks through all hosts, on any network."""

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.column import ColumnIP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.forest import forest
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import snapshot
from farkas.models.gadget.tree import Tree
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.solvers import solve
from tests.generators.gadget import small


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


@pytest.mark.ids(2)
@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_all_slot_programs_agree_with_enumeration(network):
    for cluster in random_clusters(12, 1, network=network, servers=3, jobs=3, resources=2):
        best, counts = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))
        exact = [Gvne(), Circulation(), ColumnIP()]
        if forest(cluster) is not None:
            exact.append(Tree())
        for program in exact:
            assert optimum(program.form(cluster)) == pytest.approx(best, abs=1e-6), program
        assert snapshot(cluster).value(counts) == pytest.approx(best)


def test_unlimited_links_and_nodes_do_not_bind():
    cluster = small([None, 1], [(0, 1, None)], {"max_workers": 2, "bandwidth": 7.0})
    for name in ("gvne", "circulation", "tree", "column_ip"):
        assert optimum(programs.build(f"gadget.{name}").form(cluster)) == 10.0
    boundless = cluster.replace(nodes=[{"capacity": [None]}, {"capacity": [None]}])
    assert FeasibleCounts.of(boundless).best(0, [0.0])[0] == 10.0


def test_a_link_too_narrow_in_one_direction_keeps_the_ring_at_home():
    # 1 Gbps back: no walk returns, so two workers at 5 on the first server
    narrow = small([2, 1], [(0, 1, 3), (1, 0, 1)], one_way=True)
    assert optimum(Circulation().form(narrow)) == 10.0


def test_disjoint_cycles_are_no_ring():
    # two pairs of servers, one GPU each: four workers would need a walk through both pairs
    apart = small([1, 1, 1, 1], [(0, 1, 9), (2, 3, 9)], {"max_workers": 4})
    assert optimum(Circulation().form(apart)) == 10.0


def test_a_slot_without_jobs_is_worth_nothing():
    assert optimum(Circulation().form(small([1], (), {"arrival": 1}, horizon=2))) == 0.0
