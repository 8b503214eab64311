"""Bounds by whole sizes, against all rings and all sets of sizes that fit."""

import itertools

import msgspec
import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.embedding import WorkerRelaxation
from farkas.relaxations.gadget.generation import CapacityPrices, generate_columns, no_prices
from farkas.relaxations.gadget.ring_pricing import LOOSE_LABELS
from farkas.relaxations.gadget.whole_sizes import (
    SizeKnapsack,
    best_sizes,
    size_profits,
    whole_sizes,
)
from farkas.solvers import solve
from farkas.solvers.convex import solve_problem
from tests.generators.gadget import any_networks, job, small, star, table
from tests.references.gadget_pricing import random_prices
from tests.tools.quick import some


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
