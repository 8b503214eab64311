"""Blocks of slots and pieces of rewards; the bounds on the whole horizon beside each other."""

import itertools

import msgspec
import numpy as np
import pytest

from farkas.duals.dualize import dualize
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.column import ColumnIP, ColumnLP
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.proofs.gadget.rounding import SIZES, chosen_slot
from farkas.relaxations.gadget.embedding import (
    AugmentedRelaxation,
    GvneLP,
    LocalNodeLP,
    NodeLP,
    fixed_sizes,
)
from farkas.relaxations.gadget.mixture import Copy, decompose
from farkas.relaxations.gadget.offline_bound import OfflineBound, ServerClasses
from farkas.relaxations.gadget.offline_column_bound import OfflineColumnBound
from farkas.relaxations.gadget.timeline import Timeline
from farkas.relaxations.gadget.worker_relaxation import WorkerRelaxation
from farkas.solvers import solve
from farkas.solvers.convex import solve_problem
from tests.conformance.oracle import row
from tests.generators.gadget import small, table


def optimum(form):
    return solve(form).require_optimal().objective


def test_blocks_end_where_jobs_arrive():
    cluster = library.load("gadget/tiny").replace(horizon=5)
    timeline = Timeline.of(cluster)
    assert timeline.start.tolist() == [0, 1]
    assert timeline.length.tolist() == [1, 4]
    assert timeline.open_blocks.tolist() == [[0, 0], [0, 1], [1, 1]]


def test_equal_slopes_are_one_piece():
    keys, lengths, slopes = Timeline.of(two_blocks()).pieces
    assert keys.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert (lengths.tolist(), slopes.tolist()) == ([2, 1, 1], [3, 2, 4])


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


def test_a_cluster_in_which_nobody_can_run_keeps_what_idling_is_worth():
    cluster = small([1], (), {"demand": [2.0]} | table(7, 9))
    assert optimum(OfflineBound().form(cluster)) == optimum(OfflineColumnBound().form(cluster)) == 7


def test_the_augmented_relaxation_refuses_open_sizes():
    with pytest.raises(NotApplicable, match="one ring size per job"):
        AugmentedRelaxation().form(snapshot(library.load("gadget/tiny")))


def test_of_an_instance_the_largest_ring_that_runs_alone_is_fixed():
    # three GPUs, but the edge is too narrow: two workers at home
    assert fixed_sizes(small([2, 1], [(0, 1, 1)])).pairs.tolist() == [[0, 2]]
    assert fixed_sizes(small([2, 1], [(0, 1, 2)])).pairs.tolist() == [[0, 3]]


@pytest.mark.parametrize(("bandwidth", "share"), [(1.9, 0), (2, 1)])
def test_no_part_of_a_ring_edge_runs_on_a_link_that_is_too_thin_for_it(bandwidth, share):
    form = AugmentedRelaxation().form(snapshot(small([1, 1], [(0, 1, bandwidth)])).fixed([2]))
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
    assert AugmentedRelaxation().form(slot).num_columns == copies.sum()


def test_the_shares_of_a_mixture_are_those_of_the_point():
    slot = snapshot(library.load("gadget/tiny"))
    slot = slot.fixed(slot.largest)
    form = AugmentedRelaxation().form(slot)
    point = solve(form).require_optimal().point
    mixture = decompose(slot, form, point)
    assert mixture.share.sum() == pytest.approx(form.values(point, "chosen").sum())
    assert mixture.passes <= int((point > 0).sum())


@pytest.mark.parametrize("network", ["tree", "mesh"])
def test_node_loads_are_reproduced_and_link_loads_not_exceeded(network):
    for cluster in random_clusters(6, 11, network=network, jobs=2):
        slot = fixed_sizes(cluster)
        form = AugmentedRelaxation().form(slot)
        point = solve(form).require_optimal().point
        mixture = decompose(slot, form, point)
        node = np.tensordot(mixture.share, mixture.rings.node_load(cluster), 1)
        link = mixture.share @ mixture.rings.link_load(cluster)
        servers = cluster.is_server
        assert (node[servers] <= cluster.capacity[servers] + 1e-6).all()
        assert (link <= cluster.link_bandwidth + 1e-6).all()
        worth = dict(zip(slot.jobs.tolist(), slot.pair_gains.tolist(), strict=True))
        gains = np.array([worth[job] for job in mixture.rings.job.tolist()])
        assert mixture.share @ gains == pytest.approx(form.objective(point), abs=1e-6)


def test_one_ring_is_peeled_off_by_its_thinnest_part():
    # a ring of two from host 0: half of worker 1 sits on node 1, reached by 0.3 of edge 0
    cluster = small([1, 1], [(0, 1, 3)])
    placed = np.array([[0, 0], [0.25, 0.5]])
    routed = np.array([[0.3, 0.0], [0.0, 0.5]])  # edge 0 over link (0, 1), edge 1 over (1, 0)
    copy = Copy(cluster, 0, 0.75, placed, routed)
    share, hosts, paths = copy.peel()  # the first goal is at home: worker 1 with 0.25 on node 0
    assert (share, hosts, paths) == (0.25, [0, 0], [[], []])
    share, hosts, paths = copy.peel()
    assert (share, hosts, paths) == (pytest.approx(0.3), [0, 1], [[0], [1]])
    assert copy.chosen == pytest.approx(0.2)
    assert copy.placed[1].tolist() == pytest.approx([0, 0.2])
    assert copy.routed.tolist() == [pytest.approx([0, 0]), pytest.approx([0, 0.2])]
    assert copy.peel() is None  # edge 0 is used up


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_the_embedding_relaxation_and_its_dual_are_the_node_relaxation(network):
    for cluster in random_clusters(8, 1, network=network, resources=2):
        node = optimum(NodeLP().form(cluster))
        form = GvneLP().form(cluster)
        assert optimum(form) == pytest.approx(node, abs=1e-7)
        assert optimum(dualize(form).form) == pytest.approx(node, abs=1e-7)
        fixed = fixed_sizes(cluster)
        assert optimum(AugmentedRelaxation().form(fixed)) == pytest.approx(
            optimum(NodeLP().form(fixed)), abs=1e-7
        )


def test_relaxations_are_ordered_down_to_the_optimum():
    for cluster in random_clusters(20, 41, network="any", servers=3, jobs=3):
        chain = [optimum(one.form(cluster)) for one in (GvneLP(), NodeLP(), LocalNodeLP(),
                                                        ColumnLP(), ColumnIP())]  # fmt: skip
        assert chain[0] == pytest.approx(chain[1], abs=1e-7)
        assert all(above >= below - 1e-7 for above, below in itertools.pairwise(chain))
        assert chain[-1] == pytest.approx(optimum(Gvne().form(cluster)), abs=1e-7)


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


def test_merging_slots_and_servers_loses_nothing():
    for cluster in random_clusters(15, 5, network="any", servers=3, jobs=3, horizon=3):
        merged = optimum(OfflineBound().form(cluster))
        # distinct memory capacities nobody uses keep all servers apart
        apart = cluster.replace(
            resources=[*cluster.resources, "unused"],
            nodes=[
                {"server": n.server, "capacity": [*n.capacity, 100.0 + u]}
                for u, n in enumerate(cluster.nodes)
            ],
            jobs=[
                {**msgspec.to_builtins(j), "demand": [*j.demand, 0.0], "budget": [*j.budget, None]}
                for j in cluster.jobs
            ],
        )
        assert optimum(OfflineBound().form(apart)) == pytest.approx(merged, abs=1e-6)


def test_equal_servers_are_one_class():
    servers = ServerClasses.of(two_blocks())
    assert servers.count.tolist() == [2, 1]
    assert servers.capacity.tolist() == [[1], [2]]
    assert servers.cap.tolist() == [[1, 2], [1, 1]]
    assert [m.tolist() for m in servers.members] == [[0, 2], [1]]
    assert len(ServerClasses.of(small([], switches=1)).count) == 0


def test_links_bound_the_rings_of_a_block():
    # a ring of two over one edge, 2 Gbps each way, four slots; two jobs: four rings in all
    cluster = small([2, 2], [(0, 1, 2)], *[{"demand": [2.0], "max_workers": 2}] * 2, horizon=4)
    form = OfflineColumnBound().form(cluster.replace(nodes=[{"capacity": [4]}, {"capacity": [4]}]))
    assert form.row_upper[form.row_block("link_capacity").where].tolist() == [8, 8]
    assert optimum(OfflineColumnBound().form(cluster)) == 40.0  # 4 slots of 2 workers at 5


def test_the_worker_relaxation_refuses_what_is_not_concave():
    with pytest.raises(NotApplicable, match="job 0 is not concave"):
        WorkerRelaxation().model(library.load("gadget/late_sigmoid")).problem.is_dcp()
    with pytest.raises(NotApplicable, match="no job can run"):
        WorkerRelaxation().model(library.load("gadget/heavy_worker")).problem.is_dcp()


def value(cluster):
    return solve_problem(WorkerRelaxation().model(cluster).problem).require_optimal().objective


@pytest.mark.parametrize(
    ("utility", "worth"),
    [
        # 1.5 GPUs are 1.5 workers of at most 3, progress 0.5 each: 0.75
        ({"kind": "linear", "slope": 4.0}, 3.0),
        ({"kind": "sqrt", "scale": 2.0}, 2 * np.sqrt(0.75)),
        ({"kind": "log1p", "scale": 2.0}, 2 * np.log(1.75)),
        # -(x² - 1.2 x) is largest at 0.6: 0.36
        ({"kind": "quadratic_cost", "quadratic": 1.0, "linear": -1.2}, 0.36),
        # 4 at 0.5 worker-progress, 6 at 1: halfway between
        ({"kind": "table", "values": [0, 4, 6], "step": 0.5}, 5.0),
    ],
)
def test_utilities_of_one_and_a_half_workers(utility, worth):
    cluster = small([1, 0.5], (), {"efficiency": 0.5, "utility": utility})
    assert value(cluster) == pytest.approx(worth, abs=1e-5)


def test_budgets_and_servers_limit_a_job():
    assert value(small([9], (), {"budget": [2.5]})) == pytest.approx(12.5, rel=1e-6)
    assert value(small([None], (), {"max_workers": 2})) == pytest.approx(10.0, rel=1e-6)
    shared = small([3], (), {"demand": [2.0]} | table(0, 6), table(0, 5, 9))
    # worth per GPU: 3, then 5 and 4: two of the second at 9, half a worker of the first at 3
    assert value(shared) == pytest.approx(12.0, rel=1e-5)
