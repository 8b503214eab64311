"""Slots by column generation, against all subsets of the rings generated."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.models.gadget.column import ColumnLP, Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import (
    BASELINES,
    all_at_best,
    attempts,
    baseline_rings,
    column_rings,
    greedy,
    listed,
    promising,
    slot_certificate,
    worth,
)
from farkas.online.gadget.exact import compact_rings, exact_rings, list_counts
from farkas.proofs.gadget.relaxed import random_clusters
from farkas.relaxations.gadget.generation import Generated, generate_columns, no_prices
from farkas.relaxations.gadget.whole_sizes import whole_sizes
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
from tests.tools.rings import schedule_broken


def subsets(columns):
    """Every subset of at most one ring a job that fits, with its worth."""
    cluster, rings = columns.slot.cluster, columns.rings
    of_job = [[None, *np.flatnonzero(rings.job == i)] for i in range(cluster.num_jobs)]
    for choice in itertools.product(*of_job):
        chosen = [c for c in choice if c is not None]
        part = rings.take(np.array(chosen, int))
        fits = (part.node_load(cluster).sum(axis=0) <= cluster.capacity).all()
        if fits and (part.link_load(cluster).sum(axis=0) <= cluster.link_bandwidth).all():
            yield chosen, float(columns.gains[chosen].sum())


@pytest.mark.parametrize("network", ["tree", "mesh"])
def test_the_best_rings_are_found_and_the_bound_is_above_every_slot(network):
    fractional = 0
    for cluster in random_clusters(14, 3, network=network, servers=3, jobs=3, at_once=True):
        slot = snapshot(cluster)
        rings, bound = column_rings(slot, 0.0)
        generated = generate_columns(slot)
        exact = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        assert Columns(slot, rings).gains.sum() == pytest.approx(exact, rel=1e-9)
        assert min(bound, generated.bound) >= exact - 1e-9 * abs(exact)
        assert bound <= generated.bound * (1 + 1e-9)
        fractional += bool(((generated.share > 0.01) & (generated.share < 0.99)).any())
        # a ring of a subset better than a value is never left out
        for chosen, gain in subsets(generated.columns):
            near = promising(generated.columns, generated, gain)
            assert near[chosen].all()
    assert fractional


def test_a_ring_that_loses_more_than_what_is_missing_is_left_out():
    # one GPU on each of two servers for one job: 2 for both, 1 for either; at no prices a single
    # worker loses 1, so that it is kept while at least 1 is missing
    slot = snapshot(star(1, 1, jobs=[job()]))
    columns = Columns(slot, enumerate_rings(slot.cluster, [2]))
    prices = no_prices(slot.cluster)
    generated = Generated(columns, np.zeros(3), 0.0, 2.0, prices, 0)
    both = columns.rings.size == 2
    assert promising(columns, generated, 1.5).tolist() == both.tolist()
    assert promising(columns, generated, 1.0).all()
    # links at 1/4 each make the ring over four of them as good as a single worker
    prices.link[:] = 0.25
    assert promising(columns, generated, 2.0).all()
    prices.link[:] = 0.3
    assert promising(columns, generated, 2.0).tolist() == (~both).tolist()


def test_a_wide_gap_takes_the_greedy_rings():
    # three jobs of two workers on servers of 3: shares 1/2 are rounded to one ring of the first
    for cluster in random_clusters(10, 8, network="tree", servers=3, jobs=3, at_once=True):
        slot = snapshot(cluster)
        loose, bound = column_rings(slot, 1.0)
        gain = Columns(slot, loose).gains.sum()
        assert gain <= bound * (1 + 1e-9)
        assert len(set(loose.job.tolist())) == len(loose)


def test_nobody_is_placed_in_an_empty_slot():
    rings, bound = column_rings(snapshot(star(1)), 0.0)
    assert (len(rings), bound) == (0, 0.0)


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
        best = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        most = np.maximum(0.0, slot.pair_gains.max(initial=0.0)) if len(slot.jobs) else 0.0
        done = [all_at_best(slot, baseline_rings(slot, baseline)) for baseline in BASELINES]
        known |= set(done)
        if any(done):
            with monkeypatch.context() as patch:
                patch.setattr("farkas.online.gadget.columns.generate_columns", fail)
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
        best = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
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
        assert generate_columns(slot).bound == pytest.approx(relaxed, rel=2e-6, abs=2e-6)
        # whole sizes may prove more than the relaxation is worth, prices of rings as much
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


@pytest.mark.parametrize("utility", [*UTILITIES, "mixed"])
def test_slots_of_scarce_links_are_near_their_bound(utility):
    # rings of up to eight workers, servers of one or two GPUs: nearly all need links
    base = wide_area(20, seed=4, jobs=1)
    cluster = scarce(20, edges_of(base), utility, jobs=60, seed=3)
    slot = snapshot(cluster)
    rings, bound = column_rings(slot, 1e-3)
    value = worth(slot, rings)
    assert schedule_broken(cluster, [rings]) == []
    assert value <= bound * (1 + 1e-12)
    assert value >= max(worth(slot, baseline_rings(slot, baseline)) for baseline in BASELINES)
    assert value >= bound * (1 - 1e-3)


def test_a_slot_is_no_worse_than_rings_that_are_known():
    slot = snapshot(triangle(3))
    best, _ = column_rings(slot, 1e-3)
    loose, _ = column_rings(slot, 1.0, best)
    assert worth(slot, loose) >= worth(slot, best) == 9.0


def test_of_equal_shares_rings_with_more_gain_a_worker_are_taken_first():
    jobs = [job(max_workers=3, **table(0, 0, 0, 4)), job(max_workers=1, **table(0, 3))]
    slot = snapshot(star(3, jobs=jobs))
    rings = Rings.of(slot.cluster, [
        (0, np.array([3, 0]), np.zeros(2, int)), (1, np.array([1, 0]), np.zeros(2, int))
    ])  # fmt: skip
    columns = Columns(slot, rings)
    assert greedy(columns, np.array([0.5, 0.5])).job.tolist() == [1]
    assert greedy(columns, np.array([0.6, 0.4])).job.tolist() == [0]


def test_whole_sizes_lower_the_bound_of_column_generation():
    cluster = scarce(12, edges_of(wide_area(12, seed=2, jobs=1)), "sigmoid", jobs=40)
    slot = snapshot(cluster)
    generated = generate_columns(slot, most_rounds=0, search="walks")
    sizes = whole_sizes(slot, generated.prices, 0)
    exchange = next(attempts(generated, 1e-3))
    _, bound = exchange(Rings.none(cluster), generated.bound)
    assert bound == sizes.bound < generated.bound


def test_all_rings_are_listed_where_they_are_few():
    slot = snapshot(triangle(2))
    # one worker on each server, two on either of two, and three pairs that are joined both ways
    # by the link between them or by the third server
    assert np.bincount(listed(slot).size).tolist() == [0, 3, 2 + 3 * 4]
    many = snapshot(small([1] * 20, [(0, 1, 1)], {"max_workers": 10}))
    assert listed(many) is None


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


@pytest.mark.slow
@pytest.mark.parametrize("listable", [True, False])
def test_slots_are_bounded_and_small_ones_exact_without_labels(listable, monkeypatch):
    monkeypatch.setattr("farkas.online.gadget.columns.SLOT_LABELS", 0)
    if not listable:
        monkeypatch.setattr("farkas.online.gadget.columns.MOST_LISTED", 0)
    for cluster in any_networks(20, 12):
        slot = snapshot(cluster)
        best = worth(slot, exact_rings(slot, list_counts(cluster)))
        rings, bound = column_rings(slot, 1e-9)
        assert worth(slot, rings) <= best * (1 + 1e-9) <= bound * (1 + 1e-8)
        if listable:
            assert worth(slot, rings) == pytest.approx(best, rel=1e-8)


def test_no_baseline_is_better_even_where_nothing_else_is_tried(monkeypatch):
    monkeypatch.setattr(
        "farkas.online.gadget.columns.dive", lambda slot, *_: Rings.none(slot.cluster)
    )
    monkeypatch.setattr("farkas.online.gadget.columns.REPAIRS", 0)
    monkeypatch.setattr(
        "farkas.online.gadget.columns.best_subset", lambda generated, known, every, gap: known
    )
    for cluster in any_networks(30, 11):
        slot = snapshot(cluster)
        value = worth(slot, column_rings(slot, 1e-9)[0])
        assert value >= max(worth(slot, baseline_rings(slot, each)) for each in BASELINES) - 1e-9


def test_what_rounding_adds_to_the_bound_leaves_no_ring_out():
    # a single worker loses 2^30, and 2^30 less a rounding error of the bound is missing
    much = float(2**30)
    linear = {"kind": "linear", "slope": much}
    slot = snapshot(star(1, 1, jobs=[job(utility=linear)]))
    columns = Columns(slot, enumerate_rings(slot.cluster, [2]))
    generated = Generated(columns, np.zeros(3), 0.0, 2 * much, no_prices(slot.cluster), 0)
    for error, every in ((1e-10, True), (1e-8, False)):
        near = promising(columns, generated, much * (1 + error))
        assert near.tolist() == ((columns.rings.size == 2) | every).tolist()
