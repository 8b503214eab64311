"""Sizes in all servers together, against all choices of sizes."""

import dataclasses
import itertools

import msgspec
import numpy as np
import pytest

from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.slot import snapshot
from farkas.relaxations.gadget.whole_sizes import MOST_ROOM, SizeKnapsack, best_sizes, room_of
from tests.generators.gadget import any_networks, job, small, star
from tests.tools.quick import some


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


def test_a_tie_goes_to_the_smaller_size():
    most, counts = best_sizes(np.array([[0.0, 2.0, 2.0, 1.0]]), np.array([1]), 3)
    assert (most, counts.tolist()) == (2.0, [1])


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


def test_demands_without_a_common_unit_are_rounded_down():
    cluster = star(5, 5, jobs=[job(demand=[1.0]), job(demand=[np.pi])])
    knapsack = SizeKnapsack.of(snapshot(cluster), 0)
    assert (knapsack.unit, knapsack.weight.tolist(), knapsack.room) == (1.0, [1, 3], 10)


def test_units_are_so_large_that_there_are_not_too_many():
    cluster = small([3e6, 5e6], [(0, 1, 9)], {"demand": [1.0]}, {"demand": [1e4]})
    knapsack = SizeKnapsack.of(snapshot(cluster), 0)
    assert knapsack.unit == 8e6 / MOST_ROOM
    assert knapsack.weight.tolist() == [0, 1]
    assert MOST_ROOM - 2 <= knapsack.room <= MOST_ROOM


def test_demands_beyond_all_servers_are_too_many_units():
    cluster = star(1, 1, jobs=[job(demand=[1.0]), job(demand=[1e300])])
    slot = snapshot(cluster)
    both = dataclasses.replace(slot, jobs=np.array([0, 1]))  # the second does not take part
    with np.errstate(all="raise"):
        assert SizeKnapsack.of(both, 0).weight.tolist() == [1, 2 * MOST_ROOM]


@pytest.mark.parametrize(("held", "units"), [(0.3, 3), (0.3 - 1e-7, 2), (0.0, 0)])
def test_servers_are_granted_the_rounding_of_decimals(held, units):
    assert room_of(np.array([held]), 0.1) == units


def test_who_needs_nothing_of_the_resource_weighs_nothing():
    cluster = star(3, 3, jobs=[job(demand=[2.0]), job(demand=[0.0])])
    knapsack = SizeKnapsack.of(snapshot(cluster), 0)
    assert (knapsack.unit, knapsack.weight.tolist(), knapsack.room) == (2.0, [1, 0], 2)
