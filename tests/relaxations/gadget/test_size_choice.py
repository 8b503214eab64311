"""Sizes for all servers together, and rings of these sizes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import column_rings
from farkas.online.gadget.columns import worth as worth_of
from farkas.relaxations.gadget.size_choice import SizedRings, chosen_sizes, size_of, worth
from farkas.relaxations.gadget.slot_pricing import SlotPricing
from tests.generators.gadget import any_networks, edges_of, scarce, small, table, wide_area
from tests.tools.rings import schedule_broken


def best_sizes(slot) -> float:
    """Greatest worth of sizes that all servers together hold, one GPU a worker, by all choices."""
    room = int(slot.cluster.capacity[slot.cluster.is_server, 0].sum())
    demand = slot.cluster.demand[slot.jobs, 0].astype(int)
    best = np.zeros(room + 1)
    for place, need in enumerate(demand.tolist()):
        before = best.copy()
        for size in np.flatnonzero(slot.allowed[place]).tolist():
            used = need * (size + 1)
            if used <= room:
                with_it = before[: room + 1 - used] + slot.gains[place, size]
                best[used:] = np.maximum(best[used:], with_it)
    return float(best[-1])


def test_sizes_are_the_best_that_all_servers_hold():
    for cluster in itertools.islice(any_networks(60, 3), 40):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        sizes, bound = chosen_sizes(slot, 0.0, 1e-6)
        counts = np.zeros(cluster.num_jobs, int)
        counts[list(sizes)] = list(sizes.values())
        best = best_sizes(slot)
        assert slot.value(counts) == pytest.approx(best, rel=1e-6, abs=1e-9)
        used = counts @ cluster.demand
        assert (used <= cluster.capacity[cluster.is_server].sum(axis=0) + 1e-9).all()
        assert bound >= best - 1e-9 * abs(best)
        assert bound >= FeasibleCounts.of(cluster).best(slot)[0] - 1e-9


def test_a_bound_counts_what_servers_hold_in_parts():
    # two GPUs, and sizes of a worker and of two: 5 and 8; of the third job one half fits, at most
    slot = snapshot(small([1, 1], [(0, 1, None)], *(table(0, 5, 8) | {"max_workers": 2},) * 3))
    sizes, bound = chosen_sizes(slot, 0.0, 1e-6)
    assert sorted(sizes.values()) == [1, 1]
    assert bound == pytest.approx(10.0)


def test_where_links_are_plentiful_every_size_finds_a_ring():
    cluster = scarce(30, edges_of(wide_area(30, seed=1, jobs=1)), "linear")
    slot = snapshot(cluster)
    problem = SlotPricing(slot)
    plans, bound = SizedRings(problem).run(1e-3)
    rings = problem.rings(plans)
    assert schedule_broken(cluster, [rings]) == []
    assert worth(plans) == pytest.approx(worth_of(slot, rings))
    assert worth(plans) == pytest.approx(best_sizes(slot))
    assert worth(plans) * (1 - 1e-9) <= bound <= worth(plans) * (1 + 1e-3)
    assert ((rings.workers > 0).sum(axis=1) > 1).sum() > 1
    assert all(size_of(fit) == fit.what[0].sum() for fit in plans.values())


@pytest.mark.parametrize(
    "utility", ["linear", pytest.param("sigmoid", marks=pytest.mark.slow), "table"]
)
def test_where_links_are_scarce_rings_keep_them_and_prices_go_on(utility):
    cluster = scarce(15, edges_of(wide_area(15, seed=1, jobs=1)), utility, width=0.35)
    slot = snapshot(cluster)
    problem = SlotPricing(slot)
    plans, bound = SizedRings(problem).run(1e-3)
    assert schedule_broken(cluster, [problem.rings(plans)]) == []
    rings, least = column_rings(slot, 1e-3)
    assert schedule_broken(cluster, [rings]) == []
    assert worth(plans) <= worth_of(slot, rings) * (1 + 1e-9) <= least * (1 + 2e-9)
    assert least <= bound


def test_sizes_without_room_give_way_to_others():
    # servers that no link joins hold one worker each: a ring of two is worth more, and has no room
    apart = small([1, 1, 1], (), *(table(0, 1, 9) | {"max_workers": 2},) * 3)
    problem = SlotPricing(snapshot(apart))
    plans, bound = SizedRings(problem).run(1e-3)
    assert bound == pytest.approx(13.5)
    assert worth(plans) <= 3.0
    rings, _ = column_rings(problem.slot, 1e-3)
    assert worth_of(problem.slot, rings) == pytest.approx(3.0)
