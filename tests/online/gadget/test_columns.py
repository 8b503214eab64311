"""Slots by prices and choices of rings, against the best of all that fit together."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.models.gadget.column import ColumnLP, Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import (
    BASELINES,
    all_at_best,
    baseline_rings,
    column_rings,
    compact_rings,
    exact_rings,
    list_counts,
    worth,
)
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.solvers import solve
from tests.generators.gadget import (
    UTILITIES,
    any_networks,
    edges_of,
    job,
    scarce,
    small,
    star,
    table,
    wide_area,
)
from tests.tools.quick import some
from tests.tools.rings import schedule_broken, slot_certificate


@pytest.mark.parametrize("network", ["tree", "mesh"])
def test_the_best_rings_are_found_and_the_bound_is_above_every_slot(network):
    for cluster in random_clusters(some(3, 14), 3, network=network, jobs=3, at_once=True):
        slot = snapshot(cluster)
        rings, bound = column_rings(slot, 0.0)
        exact = FeasibleCounts.of(cluster).best(snapshot(cluster))[0]
        assert Columns(slot, rings).gains.sum() == pytest.approx(exact, rel=1e-9)
        assert bound >= exact - 1e-9 * abs(exact)
        relaxed = solve(ColumnLP().form(slot)).require_optimal().objective
        assert bound <= relaxed * (1 + 2e-6) + 1e-6


def triangle(max_workers):
    """Servers of 1, 2 and 2 GPUs on a triangle with room to spare, one job worth 3 a worker."""
    wide = [(0, 1, 10), (1, 2, 10), (2, 0, 10)]
    linear = {"kind": "linear", "slope": 3.0}
    return small([1, 2, 2], wide, {"max_workers": max_workers, "bandwidth": 1, "utility": linear})


@pytest.mark.slow
def test_nothing_is_searched_where_a_baseline_gives_every_job_its_best_size(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("searched")

    known, settled = set(), 0
    for cluster in any_networks(60, 5):
        slot = snapshot(cluster)
        best = FeasibleCounts.of(cluster).best(snapshot(cluster))[0]
        most = np.maximum(0.0, slot.pair_gains.max(initial=0.0)) if len(slot.jobs) else 0.0
        done = [all_at_best(slot, baseline_rings(slot, baseline)) for baseline in BASELINES]
        known |= set(done)
        if any(done):
            with monkeypatch.context() as patch:
                patch.setattr("farkas.online.gadget.columns.Search", fail)
                rings, bound = column_rings(slot, 0.0)
            assert worth(slot, rings) == bound == pytest.approx(best, abs=1e-9 * max(1.0, most))
            settled += len(rings) > 0
    assert known == {True, False}
    assert settled > 10


def test_at_best_is_each_job_at_the_size_that_gains_most_and_none_where_none_gains():
    # job 0 gains 2 with either size, job 1 loses, job 2 gains 1, then 3
    jobs = [job(max_workers=2, **table(0, 2, 2)), job(**table(0, -1)),
            job(max_workers=2, **table(0, 1, 3))]  # fmt: skip
    slot = snapshot(star(9, jobs=jobs))

    def at(*sizes):
        rows = [(i, np.array([k, 0]), np.zeros(2, int)) for i, k in enumerate(sizes) if k]
        return all_at_best(slot, Rings.of(slot.cluster, rows))

    assert at(2, 0, 2)
    assert at(1, 0, 2)
    assert not at(0, 0, 2)
    assert not at(2, 0, 1)
    assert not at(2, 1, 2)
    assert not at()
    # a size that may not be chosen is nobody's best
    left = slot.restrict(slot.allowed & [[True, True], [True, False], [True, False]])
    assert all_at_best(left, Rings.of(slot.cluster, [
        (0, np.array([1, 0]), np.zeros(2, int)), (2, np.array([1, 0]), np.zeros(2, int))
    ]))  # fmt: skip


def equal_to_brute_force(networks):
    """Hold slots to all feasible counts, to every baseline and to the relaxation over all rings."""
    for cluster in networks:
        slot = snapshot(cluster)
        best = FeasibleCounts.of(cluster).best(snapshot(cluster))[0]
        near = 1e-9 * max(1.0, best)
        rings, bound = column_rings(slot, 1e-9)
        assert worth(slot, rings) == pytest.approx(best, abs=near)
        assert schedule_broken(cluster, [rings]) == []
        usual = worth(slot, column_rings(slot, 1e-3)[0])
        baselines = [worth(slot, baseline_rings(slot, baseline)) for baseline in BASELINES]
        assert max(*baselines, best * (1 - 1e-3)) - near <= usual <= best + near
        if not len(slot.jobs):
            continue
        for other in (exact_rings(slot, list_counts(cluster)), compact_rings(slot)):
            assert worth(slot, other) == pytest.approx(best, abs=near)
        relaxed = solve(ColumnLP().form(slot)).require_optimal().objective
        # cases may prove more than the relaxation is worth, prices of rings as much
        proved = float(Fraction(slot_certificate(cluster).bound))
        for upper in (bound, proved):
            assert best - near <= upper <= relaxed * (1 + 3e-6) + 3e-6


@pytest.mark.slow
def test_slots_are_those_of_brute_force_on_every_shape_of_network():
    equal_to_brute_force(any_networks(some(20, 100), 1))


@pytest.mark.parametrize("nodes", [15, 30, 50])
def test_slots_of_two_hundred_jobs_on_wide_area_networks_are_within_a_thousandth(nodes):
    cluster = wide_area(nodes, seed=nodes)
    slot = snapshot(cluster)
    rings, bound = column_rings(slot, 1e-3)
    value = worth(slot, rings)
    assert schedule_broken(cluster, [rings]) == []
    assert bound * (1 - 1e-3) <= value <= bound * (1 + 1e-12)
    assert value >= max(worth(slot, baseline_rings(slot, baseline)) for baseline in BASELINES)


@pytest.mark.parametrize(
    ("nodes", "jobs"), [(10, 24), pytest.param(20, 60, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("utility", [*UTILITIES, "mixed"])
def test_slots_of_scarce_links_are_near_their_bound(utility, nodes, jobs):
    # rings of up to eight workers, servers of one or two GPUs: nearly all need links
    base = wide_area(nodes, seed=4, jobs=1)
    cluster = scarce(nodes, edges_of(base), utility, jobs=jobs, seed=3)
    slot = snapshot(cluster)
    rings, bound = column_rings(slot, 1e-3)
    value = worth(slot, rings)
    assert schedule_broken(cluster, [rings]) == []
    assert value <= bound * (1 + 1e-12)
    assert value >= max(worth(slot, baseline_rings(slot, baseline)) for baseline in BASELINES)
    assert value >= bound * (1 - 1e-3)


def test_baselines_keep_rings_of_allowed_sizes_only():
    slot = snapshot(triangle(3))
    assert {len(baseline_rings(slot, baseline)) for baseline in BASELINES} == {1}
    assert {len(baseline_rings(slot.fixed([2]), baseline)) for baseline in BASELINES} == {0}


def test_baselines_keep_rings_of_participants_only():
    cluster = small([3, 3], [(0, 1, 9)], {"max_workers": 2}, {"max_workers": 2})
    slot = snapshot(cluster)
    for kept in (0, 1):
        part = slot.restrict(slot.allowed & (slot.jobs == kept)[:, None])
        for baseline in BASELINES:
            assert set(baseline_rings(part, baseline).job.tolist()) <= {kept}
