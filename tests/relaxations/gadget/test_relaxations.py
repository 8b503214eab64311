"""Relaxations: the collapse, pricing, column generation, decomposition, horizon bounds."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.duals import dualize
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.gadget import Cluster
from farkas.instances.generate import generate
from farkas.instances.utilities.envelope import envelope, envelope_reference
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.forest import forest
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.augmented import Augmented, fixed_sizes
from farkas.relaxations.gadget.decompose import decompose
from farkas.relaxations.gadget.embedding import GvneLP, LocalNodeLP, NodeLP
from farkas.relaxations.gadget.generation import generate_columns, sampled
from farkas.relaxations.gadget.horizon import OfflineBound, OfflineColumnBound, Timeline
from farkas.relaxations.gadget.tree_pricing import TreePricing
from farkas.relaxations.gadget.walk_pricing import WalkPricing
from farkas.relaxations.gadget.workers import WorkerRelaxation
from farkas.solvers import solve
from farkas.solvers.via_cvxpy import solve_problem

NAMES = [
    "gadget.gvne_lp", "gadget.node_lp", "gadget.local_node_lp", "gadget.augmented",
    "gadget.column_lp", "gadget.offline_bound", "gadget.offline_column_bound",
    "gadget.worker_relaxation",
]  # fmt: skip


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


def random_prices(cluster, rng):
    node = rng.random(cluster.capacity.shape) * (rng.random(cluster.capacity.shape) < 0.8)
    return node, rng.random(cluster.num_links)


def least_costs(cluster, slot, node, link):
    """Cheapest enumerated ring of every size."""
    limit = np.zeros(cluster.num_jobs, int)
    limit[slot.jobs] = slot.largest
    rings = enumerate_rings(cluster, limit)
    cost = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
    least = np.full((len(slot.jobs), slot.largest_size), np.inf)
    places = slot.jobs.searchsorted(rings.job)
    np.minimum.at(least, (places, rings.size - 1), cost)
    return least


def test_tree_pricing_finds_the_cheapest_ring_of_every_size():
    rng = np.random.default_rng(0)
    for cluster in random_clusters(25, 2, network="tree", servers=4, jobs=3, resources=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        pricing = TreePricing(cluster, forest(cluster), slot.jobs, slot.largest)
        cost, found = pricing.costs(node, link)
        inside = np.arange(1, cost.shape[1] + 1)[None, :] <= slot.largest[:, None]
        assert np.allclose(cost[inside], least_costs(cluster, slot, node, link)[inside])
        assert np.array_equal(cost, pricing.reference_costs(node, link)) or np.allclose(
            cost, pricing.reference_costs(node, link)
        )
        places = np.argwhere(np.isfinite(cost))
        rings = found.rings(places[:, 0], places[:, 1] + 1)
        paid = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
        assert np.allclose(paid, cost[places[:, 0], places[:, 1]])
        assert (rings.workers.sum(axis=1) == rings.size).all()


def test_walk_pricing_never_costs_more_than_the_cheapest_ring():
    rng = np.random.default_rng(1)
    equal = total = 0
    for cluster in random_clusters(25, 3, network="any", servers=4, jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        node, link = random_prices(cluster, rng)
        cost, found = WalkPricing(cluster, slot.jobs, slot.largest).costs(node, link)
        least = least_costs(cluster, slot, node, link)
        inside = np.isfinite(least)
        assert (cost[inside] <= least[inside] + 1e-9).all()
        equal += int(np.isclose(cost[inside], least[inside]).sum())
        total += int(inside.sum())
        places = np.argwhere(np.isfinite(cost))
        rings = found.rings(places[:, 0], places[:, 1] + 1)
        paid = (rings.node_load(cluster) * node).sum(axis=(1, 2)) + rings.link_load(cluster) @ link
        at = slot.jobs.searchsorted(rings.job), rings.size - 1
        assert np.allclose(paid, cost[at])
    assert 0.8 * total < equal <= total  # mostly it is a ring


@pytest.mark.parametrize("network", ["tree", "cycle", "mesh"])
def test_column_generation_reaches_the_relaxation_over_all_rings(network):
    for cluster in random_clusters(12, 4, network=network, servers=4, jobs=4):
        slot = snapshot(cluster)
        exact = optimum(ColumnLP().form(slot))
        found = generate_columns(slot)
        assert found.value <= exact + 1e-6
        assert found.bound >= exact - 1e-6
        if network == "tree":
            assert found.bound == pytest.approx(exact, rel=2e-6, abs=1e-6)


def test_column_generation_where_links_are_scarce():
    # one GPU per server and rings of three to five: every ring needs links
    settings = {"num_servers": 12, "num_jobs": 8, "gpus": [1], "max_workers": [3, 5]}
    cluster = generate("gadget", "scarce_links", 3, server_bandwidth=[10, 30], **settings)
    found = generate_columns(snapshot(cluster))
    exact = optimum(ColumnLP().form(cluster))
    assert found.value == pytest.approx(exact, rel=1e-6)
    assert found.bound == pytest.approx(exact, rel=1e-6)
    assert found.rounds > 1  # the node relaxation alone does not settle it
    assert optimum(NodeLP().form(cluster)) > exact * (1 + 1e-4)


def test_sampling_mixes_back_to_its_mean():
    mean = np.array([0.5, 1.25, 0.0, 1.25])
    vectors = sampled(mean)
    assert all(v.sum() == 3 for v in vectors)
    assert all((np.abs(v - mean) < 1).all() for v in vectors)
    assert sampled(np.array([2.0, 1.0]))[0].tolist() == [2, 1]


def test_decomposition_needs_the_augmented_relaxation():
    slot = snapshot(library.load("gadget/tiny"))
    slot = slot.fixed(slot.largest)
    form = Augmented().form(slot)
    point = solve(form).require_optimal().point
    mixture = decompose(slot, form, point)
    assert mixture.share.sum() == pytest.approx(form.values(point, "chosen").sum())
    assert mixture.passes <= int((point > 0).sum())


def test_the_augmented_relaxation_refuses_open_sizes():
    with pytest.raises(NotApplicable, match="one ring size per job"):
        Augmented().form(snapshot(library.load("gadget/tiny")))


def test_blocks_end_where_jobs_arrive():
    cluster = library.load("gadget/tiny").replace(horizon=5)
    timeline = Timeline.of(cluster)
    assert timeline.start.tolist() == [0, 1]
    assert timeline.length.tolist() == [1, 4]
    assert timeline.open_blocks.tolist() == [[0, 0], [0, 1], [1, 1]]


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
                {**_plain(j), "demand": [*j.demand, 0.0], "budget": [*j.budget, None]}
                for j in cluster.jobs
            ],
        )
        assert optimum(OfflineBound().form(apart)) == pytest.approx(merged, abs=1e-6)


def _plain(job):
    import msgspec

    return msgspec.to_builtins(job)


@pytest.mark.parametrize("concave", [True, False])
def test_horizon_bounds_are_ordered_above_the_optimum(concave):
    for cluster in random_clusters(12, 6, network="any", concave=concave):
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        columns = optimum(OfflineColumnBound().form(cluster))
        assert best <= columns + 1e-6
        assert columns <= optimum(OfflineBound().form(cluster)) + 1e-6


def test_the_envelope_is_the_least_concave_function_above():
    rng = np.random.default_rng(2)
    for size in (1, 2, 3, 10, 40):
        values = rng.integers(0, 20, size=size).astype(float)
        hull = envelope(values)
        assert np.allclose(hull, envelope_reference(values))
        assert (hull >= values - 1e-12).all()
        assert (np.diff(hull, 2) <= 1e-9).all()
        corners = np.flatnonzero(np.isclose(hull, values))
        assert np.allclose(np.interp(np.arange(size), corners, values[corners]), hull)


def cutting_planes(cluster):
    """Worker relaxation by tangents: an independent upper bound that converges."""
    import cvxpy as cp

    jobs = np.flatnonzero(cluster.active(cluster.at_slot))
    servers = np.flatnonzero(cluster.is_server)
    most = np.minimum(cluster.max_workers, cluster.budget_slots)[jobs]
    workers = cp.Variable((len(jobs), len(servers)), nonneg=True)
    rules = [cp.sum(workers, axis=1) <= most]
    rules += [
        cluster.demand[jobs, r] @ workers[:, p] <= cluster.capacity[u, r]
        for p, u in enumerate(servers)
        for r in range(cluster.num_resources)
        if np.isfinite(cluster.capacity[u, r])
    ]
    value = 0
    for p, i in enumerate(jobs):
        grid = np.linspace(1e-6, most[p], 4001)
        rewards = cluster.reward(i, grid)
        slopes = np.gradient(rewards, grid)
        epigraph = cp.Variable()
        rules.append(epigraph <= rewards + cp.multiply(slopes, cp.sum(workers[p]) - grid))
        value += epigraph
    problem = cp.Problem(cp.Maximize(value), rules)
    return problem.solve(solver="HIGHS")


def test_the_worker_relaxation_meets_its_tangents():
    cluster = library.load("gadget/tiny")
    answer = solve_problem(WorkerRelaxation().model(cluster).problem).require_optimal()
    assert answer.objective == pytest.approx(cutting_planes(cluster), abs=1e-3)


def test_the_worker_relaxation_refuses_what_is_not_concave():
    with pytest.raises(NotApplicable, match="job 0 is not concave"):
        WorkerRelaxation().model(library.load("gadget/late_sigmoid")).problem.is_dcp()
    with pytest.raises(NotApplicable, match="no job can run"):
        WorkerRelaxation().model(library.load("gadget/heavy_worker")).problem.is_dcp()


def test_generation_does_not_stop_when_the_first_prices_are_too_high_for_any_ring():
    """Servers for two workers and one, unlinked; three workers are worth 8, two are worth 1.

    The node relaxation runs a ring of three over both servers at 8/3 a worker, where a ring of two
    loses 13/3, and rings of three do not exist.  The best is a ring of two: 1.
    """
    job = {"arrival": 0, "demand": [1], "budget": [None], "max_workers": 3, "bandwidth": 1}
    table = {"kind": "table", "values": [0, 0, 1, 8]}
    cluster = Cluster.build(
        horizon=1,
        resources=["gpu"],
        nodes=[{"capacity": [2]}, {"capacity": [1]}],
        links=[],
        jobs=[job | {"efficiency": 1, "utility": table}],
    )
    assert solve(NodeLP().form(cluster)).objective == pytest.approx(8)
    generated = generate_columns(snapshot(cluster))
    assert generated.value == pytest.approx(1)
    assert generated.bound == pytest.approx(1)
