"""Programs of one slot: one variable a ring, closed walks, paths, trees."""

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.circulation import Circulation
from farkas.models.gadget.column import ColumnIP, Columns, all_columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.forest import forest
from farkas.models.gadget.gvne import Gvne, GvneRows
from farkas.models.gadget.rings import Rings, SimplePaths
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.solvers import solve
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form, gap=0.0).require_optimal().objective


def test_the_worth_of_a_ring_is_that_of_its_size():
    jobs = {"max_workers": 2} | table(0, 4, 7), {"max_workers": 1} | table(0, 9)
    slot = snapshot(small([3], (), *jobs))
    nothing = np.zeros((2, 0), int)
    rings = Rings(np.array([1, 0]), np.array([1, 2]), np.array([[1], [2]]), nothing)
    assert Columns(slot, rings).gains.tolist() == [9, 7]


def test_forbidden_sizes_have_no_column():
    slot = snapshot(small([3])).fixed([2])
    assert all_columns(slot).rings.size.tolist() == [2]
    assert all_columns(all_columns(slot)).rings.size.tolist() == [2]


def test_the_size_of_the_embedding_program_is_the_stated_one():
    # q sizes: |V| q(q+1)/2 placements and |E| (q(q+1)/2 - 1) ring edges per job
    cluster = library.load("gadget/two_triangles")
    q, nodes, links = 6, 6, 12
    form = Gvne().form(cluster)
    assert form.num_columns == 1 + q + nodes * q * (q + 1) // 2 + links * (q * (q + 1) // 2 - 1)
    rows = 1 + q * (q + 1) // 2 + nodes * (q * (q + 1) // 2 - 1) + nodes + links
    assert form.num_rows == rows


# a triangle of one-way links and one link back
TRIANGLE = small([1, 1, 1], [(0, 1, 9), (1, 0, 9), (1, 2, 9), (2, 0, 9)], one_way=True)


def test_paths_follow_the_direction_of_links_and_visit_no_node_twice():
    paths = SimplePaths(TRIANGLE, 99)
    assert paths.over_all(1, 0) == [(0, 1, 0, 0), (0, 0, 1, 1)]
    assert paths.over_all(0, 2) == [(1, 0, 1, 0)]
    assert paths.over_all(0, 0) == [(0, 0, 0, 0)]


def test_dead_ends_count_and_every_pair_of_nodes_anew():
    # from 1 to 0: at 1, at 0 by the link back, at 2, at 0
    for _ in range(2):
        paths = SimplePaths(TRIANGLE, 4)
        assert len(paths.over_all(1, 0)) == 2
        assert len(paths.over_all(0, 2)) == 1
    with pytest.raises(NotApplicable, match="more than 3 partial paths; too many to list"):
        SimplePaths(TRIANGLE, 3).over_all(1, 0)


@pytest.mark.ids(2)
@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_all_slot_programs_agree_with_enumeration(network):
    for cluster in random_clusters(12, 1, network=network, servers=3, jobs=3, resources=2):
        best, counts = FeasibleCounts.of(cluster).best(snapshot(cluster))
        exact = [Gvne(), GvneRows(), Circulation(), ColumnIP()]
        for program in exact:
            assert optimum(program.form(cluster)) == pytest.approx(best, abs=1e-6), program
        assert snapshot(cluster).value(counts) == pytest.approx(best)


def test_unlimited_links_and_nodes_do_not_bind():
    cluster = small([None, 1], [(0, 1, None)], {"max_workers": 2, "bandwidth": 7.0})
    for name in ("gvne", "circulation", "column_ip"):
        assert optimum(programs.build(f"gadget.{name}").form(cluster)) == 10.0
    boundless = cluster.replace(nodes=[{"capacity": [None]}, {"capacity": [None]}])
    assert FeasibleCounts.of(boundless).best(snapshot(boundless))[0] == 10.0


def test_one_way_links_carry_no_ring_on_a_tree_but_do_on_a_cycle():
    pair = library.load("gadget/worker_bound_trap")
    one_way = pair.replace(links=[{"from": 0, "to": 1, "bandwidth": 10}])
    assert forest(one_way) is not None
    assert optimum(Circulation().form(one_way)) == optimum(Gvne().form(one_way)) == 1.0
    assert forest(library.load("gadget/six_cycle_half")) is None


def test_zero_bandwidth_jobs_pass_every_link():
    cluster = library.load("gadget/two_ring_star")
    job = cluster.jobs[0]
    free = cluster.replace(
        jobs=[{**msgspec.to_builtins(job), "bandwidth": 0.0}],
        links=[{"from": k.source, "to": k.target, "bandwidth": 0.0} for k in cluster.links],
    )
    assert optimum(Circulation().form(free)) == pytest.approx(2 * np.sqrt(2))


def test_an_edge_is_crossed_when_both_directions_let_a_ring_through():
    # 2 Gbps carry one ring edge of 2 Gbps; 1.9 do not, in whichever direction
    for up, down, passes in ((2, 2, True), (2, 1.9, False), (1.9, 2, False)):
        cluster = small([1, 1], [(0, 1, up), (1, 0, down)], one_way=True)
        assert optimum(Circulation().form(cluster)) == (10.0 if passes else 5.0)


def row_of_four():
    """Nodes 0 - 1 - 2 and 3 alone; links 0 = (0, 1), 1 = (1, 0), 2 = (1, 2), 3 = (2, 1)."""
    return forest(small([1, 1, 1, 1], [(0, 1, 1), (1, 2, 1)]))


def test_every_tree_hangs_from_its_first_node():
    tree = row_of_four()
    assert tree.parent.tolist() == [-1, 0, 1, -1]
    assert tree.up.tolist() == [-1, 1, 3, -1]
    assert tree.down.tolist() == [-1, 0, 2, -1]
    assert tree.component.tolist() == [0, 0, 0, 1]
    order = tree.order.tolist()
    assert order.index(0) < order.index(1) < order.index(2)


def test_a_ring_takes_the_edges_between_its_hosts_and_no_others():
    tree = row_of_four()
    assert sorted(tree.steiner_links([0, 2])) == [0, 1, 2, 3]
    assert sorted(tree.steiner_links([1, 2])) == [2, 3]
    assert sorted(tree.steiner_links([0, 1])) == [0, 1]
    assert tree.steiner_links([1]) == []


def test_cycles_and_parallel_links_are_no_forest():
    edges = [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    assert forest(small([1, 1, 1], edges)) is None
    assert forest(small([1, 1, 1], edges, one_way=True)) is None
    assert forest(small([1, 1], [(0, 1, 1), (0, 1, 1)], one_way=True)) is None


def test_a_link_without_its_return_joins_nothing():
    tree = forest(small([1, 1], [(0, 1, 1)], one_way=True))
    assert tree.component.tolist() == [0, 1]
    assert tree.parent.tolist() == [-1, -1]


def test_no_nodes_are_an_empty_forest():
    assert forest(small([]).replace(jobs=[])).order.tolist() == []
