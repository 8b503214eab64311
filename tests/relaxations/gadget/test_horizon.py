"""Blocks of slots and pieces of rewards; the bounds on the whole horizon beside each other."""

import itertools

import msgspec
import numpy as np
import pytest

from farkas.duals.dualize import dualize
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.proofs.gadget.rounding import SIZES, chosen_slot
from farkas.relaxations.gadget.decompose import Copy, decompose
from farkas.relaxations.gadget.embedding import Augmented, GvneLP, LocalNodeLP, NodeLP, fixed_sizes
from farkas.relaxations.gadget.generation import CapacityPrices, generate_columns, no_prices
from farkas.relaxations.gadget.offline_bound import (
    OfflineBound,
    OfflineColumnBound,
    ServerClasses,
    Timeline,
)
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS
from farkas.relaxations.gadget.whole_sizes import (
    SizeKnapsack,
    best_sizes,
    size_profits,
    whole_sizes,
)
from farkas.relaxations.gadget.worker_relaxation import WorkerRelaxation
from farkas.solvers import solve
from farkas.solvers.convex import solve_problem
from tests.conformance.oracle import row
from tests.generators.gadget import any_networks, job, small, star, table
from tests.references.gadget_pricing import random_prices
from tests.tools.quick import some


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


def test_the_shares_of_a_mixture_are_those_of_the_point():
    slot = snapshot(library.load("gadget/tiny"))
    slot = slot.fixed(slot.largest)
    form = Augmented().form(slot)
    point = solve(form).require_optimal().point
    mixture = decompose(slot, form, point)
    assert mixture.share.sum() == pytest.approx(form.values(point, "chosen").sum())
    assert mixture.passes <= int((point > 0).sum())


@pytest.mark.parametrize("network", ["tree", "mesh"])
def test_node_loads_are_reproduced_and_link_loads_not_exceeded(network):
    for cluster in random_clusters(6, 11, network=network, jobs=2):
        slot = fixed_sizes(cluster)
        form = Augmented().form(slot)
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


def test_rings_of_a_point_by_hand():
    slot = snapshot(small([1, 1], [(0, 1, 3)])).fixed([2])
    form = Augmented().form(slot)
    mixture = decompose(slot, form, solve(form).require_optimal().point)
    # the workers sit on both servers, whichever is the first
    assert set(map(tuple, mixture.rings.workers.tolist())) <= {(1, 1), (2, 0), (0, 2)}
    assert mixture.share.sum() == pytest.approx(1.0)
    nothing = decompose(slot, form, np.zeros(form.num_columns))
    assert (len(nothing.rings), nothing.passes) == (0, 0)


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


def networks():
    """Small networks of every shape, trees among them."""
    yield from any_networks(50, 21)
    yield from random_clusters(15, 5, network="tree", servers=4, jobs=3, at_once=True)


def every_size_has_a_ring(slot):
    """Whether each allowed size of each job can run alone."""
    limit = np.zeros(slot.cluster.num_jobs, int)
    limit[slot.jobs] = slot.largest
    rings = enumerate_rings(slot.cluster, limit)
    found = set(zip(rings.job.tolist(), rings.size.tolist(), strict=True))
    return found >= {tuple(pair) for pair in slot.pairs.tolist()}


@pytest.mark.slow
def test_profits_of_sizes_are_those_of_the_best_of_all_rings():
    rng, compared = np.random.default_rng(2), 0
    for cluster in networks():
        slot = snapshot(cluster)
        node, link = random_prices(cluster, rng)
        for prices in (CapacityPrices(node, link), CapacityPrices(node, link * 0)):
            profit, open_sizes = size_profits(slot, prices, LOOSE_LABELS)
            walks, unsure = size_profits(slot, prices, 0)
            assert not open_sizes.any()
            assert (walks[~unsure] == profit[~unsure]).all()
            limit = np.zeros(cluster.num_jobs, int)
            limit[slot.jobs] = slot.largest
            rings = enumerate_rings(cluster, limit)
            rent = (rings.node_load(cluster) * prices.node).sum(axis=(1, 2))
            rent += rings.link_load(cluster) @ prices.link
            for place, of in enumerate(slot.jobs.tolist()):
                assert profit[place, 0] == 0.0
                for size in range(1, profit.shape[1]):
                    if not slot.allowed[place, size - 1]:
                        assert profit[place, size] == -np.inf
                        continue
                    mine = (rings.job == of) & (rings.size == size)
                    best = max(0.0, *(slot.gains[place, size - 1] - rent[mine]), 0.0)
                    assert profit[place, size] == pytest.approx(best, abs=1e-9)
                    assert walks[place, size] >= best - 1e-9
                    compared += best > 0
    assert compared > 200


def test_only_sizes_that_are_asked_for_are_searched():
    # a walk between two servers of one GPU that lays three workers visits one of them twice
    slot = snapshot(small([1, 1, 1], [(0, 1, 9), (1, 2, 9), (2, 0, 9)], table(0, 9, 12, 14)))
    prices = CapacityPrices(np.array([[1.0], [1.0], [4.0]]), np.zeros(6))
    walks, unsure = size_profits(slot, prices, 0)
    assert (walks.tolist(), unsure.tolist()) == ([[0, 8, 10, 11]], [[False, False, False, True]])
    which = np.array([[False, True, False, False]])
    one, _ = size_profits(slot, prices, LOOSE_LABELS, which)
    assert one.tolist() == [[0, 8, 12, 14]]  # the others earn what they gain
    assert size_profits(slot, prices, LOOSE_LABELS, unsure)[0].tolist() == [[0, 9, 12, 8]]


@pytest.mark.slow
def test_sizes_of_the_best_choice_are_searched_until_no_label_lowers_the_bound():
    rng, lowered = np.random.default_rng(5), 0
    for cluster in networks():
        slot = snapshot(cluster)
        prices = CapacityPrices(*random_prices(cluster, rng))
        found, walks = whole_sizes(slot, prices, LOOSE_LABELS), whole_sizes(slot, prices, 0)
        if found is None:
            continue
        exact, _ = size_profits(slot, found.prices, LOOSE_LABELS)
        most, _ = best_sizes(exact, found.knapsack.weight, found.knapsack.room)
        assert found.bound == pytest.approx(found.prices.rent(cluster) + most, rel=1e-12)
        assert (found.profit >= exact).all()
        lowered += found.bound < walks.bound * (1 - 1e-9)
    assert lowered > 0


@pytest.mark.slow
def test_no_slot_is_worth_more_whatever_the_prices_and_prices_alone_prove_no_more():
    rng, less, compared = np.random.default_rng(3), 0, 0
    for cluster in networks():
        slot = snapshot(cluster)
        best = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        for prices in (CapacityPrices(*random_prices(cluster, rng)), no_prices(cluster)):
            sizes = whole_sizes(slot, prices, LOOSE_LABELS)
            assert sizes is None or sizes.bound >= best - 1e-9
            assert (sizes is None) == (not len(slot.jobs))
        generated = generate_columns(slot)
        sizes = whole_sizes(slot, generated.prices, LOOSE_LABELS)
        if sizes is not None and every_size_has_a_ring(slot):
            assert sizes.bound <= generated.bound * (1 + 1e-9)
            compared += 1
            less += sizes.bound < generated.bound * (1 - 1e-3)
    assert less > 3
    assert compared > 20


def test_whole_sizes_prove_more_than_the_relaxation_over_rings():
    # three GPUs for two jobs that earn 10 with two workers and nothing with one
    slot = snapshot(star(2, 1, jobs=[job(**table(0, 0, 10)), job(**table(0, 0, 10))]))
    assert solve(ColumnLP().form(slot)).require_optimal().objective == pytest.approx(15)
    generated = generate_columns(slot)
    sizes = whole_sizes(slot, generated.prices, LOOSE_LABELS)
    assert (sizes.bound, sizes.knapsack.room) == (pytest.approx(10), 3)
    assert sizes.prices.node.max() == pytest.approx(0, abs=1e-9)


def test_only_a_resource_that_is_limited_and_needed_is_shared():
    def slot_of(*limits):
        """Two servers with these amounts of three resources, and a job that needs the first two."""
        cluster = star(4, 4, jobs=[job()])
        nodes = [
            {"server": n.server, "capacity": list(limits) if n.server else [0, 0, 0]}
            for n in cluster.nodes
        ]
        jobs = [job(demand=[1, 1, 0], budget=[None] * 3, **table(0, 6, 11))]
        names = ["gpu", "memory", "not needed"]
        return snapshot(cluster.replace(resources=names, nodes=nodes, jobs=jobs))

    prices = CapacityPrices(np.array([[1.0, 0.0, 9.0]] * 2 + [[0.0] * 3]), np.zeros(4))
    for limits, shared in (((4, None, 5), 0), ((None, 4, 5), 1), ((None, None, 5), None)):
        found = whole_sizes(slot_of(*limits), prices, LOOSE_LABELS)
        assert (None if found is None else found.knapsack.resource) == shared


def most_by_trying(profit, weight, room):
    """Largest profit of one size a job."""
    sizes = itertools.product(*(np.flatnonzero(np.isfinite(row)).tolist() for row in profit))
    return max(
        sum(row[k] for row, k in zip(profit, chosen, strict=True))
        for chosen in sizes
        if sum(w * k for w, k in zip(weight, chosen, strict=True)) <= room
    )


def test_the_best_sizes_are_those_of_all_choices():
    rng, full = np.random.default_rng(1), 0
    for _ in range(200):
        jobs, sizes, room = int(rng.integers(1, 5)), int(rng.integers(1, 5)), int(rng.integers(9))
        profit = rng.integers(-3, 10, (jobs, sizes + 1)).astype(float)
        profit[rng.random(profit.shape) < 0.2] = -np.inf
        profit[:, 0] = rng.choice([0.0, 1.0], jobs)
        weight = rng.integers(0, 4, jobs)
        for kernel in (best_sizes, best_sizes.interpret):
            most, counts = kernel(profit, weight, room)
            assert most == most_by_trying(profit, weight, room)
            assert profit[np.arange(jobs), counts].sum() == most
            assert (counts * weight).sum() <= room
        full += (counts * weight).sum() == room
    assert full > 30


@pytest.mark.slow
def test_rings_that_fit_into_the_servers_fit_into_the_knapsack():
    full = 0
    for number, cluster in enumerate(any_networks(some(15, 60), 4)):
        unit = (1.0, 0.1, 1 / 3, 0.7)[number % 4]  # 0.3 holds three workers of 0.1
        held = [msgspec.structs.replace(n, capacity=(n.capacity[0] * unit,)) for n in cluster.nodes]
        jobs = [msgspec.structs.replace(j, demand=(j.demand[0] * unit,)) for j in cluster.jobs]
        cluster = cluster.replace(nodes=held, jobs=jobs)
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        knapsack = SizeKnapsack.of(slot, 0)
        taken = FeasibleCounts.of(cluster).vectors[:, slot.jobs] @ knapsack.weight
        assert taken.max() <= knapsack.room
        full += taken.max() == knapsack.room
    assert full > some(5, 20)


def test_units_are_parts_of_the_smallest_demand_and_servers_are_rounded_down():
    # workers of 0.2 and 0.3 are two and three units of 0.1; servers of 0.55 and 0.3 hold five
    # and three, though 0.85 would hold eight and a half
    cluster = star(0.55, 0.3, jobs=[job(demand=[0.2]), job(demand=[0.3])])
    knapsack = SizeKnapsack.of(snapshot(cluster), 0)
    assert (knapsack.unit, knapsack.weight.tolist(), knapsack.room) == (0.1, [2, 3], 8)


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
