"""Slots by column generation, against all subsets of the rings generated."""

import itertools

import numpy as np
import pytest

from farkas.models.gadget.column import Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import column_rings, promising, whole_mix
from farkas.proofs.gadget.small import random_clusters
from farkas.relaxations.gadget.generation import Generated, generate_columns, no_prices
from tests.generators.gadget import job, star


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
def test_the_best_subset_of_the_rings_is_found_and_the_bound_is_above_every_slot(network):
    fractional = 0
    for cluster in random_clusters(14, 3, network=network, servers=3, jobs=3, at_once=True):
        slot = snapshot(cluster)
        rings, generated = column_rings(slot, 0.0)
        best = max(worth for _, worth in subsets(generated.columns))
        assert Columns(slot, rings).gains.sum() == pytest.approx(best, rel=1e-9)
        exact = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        assert generated.bound >= exact - 1e-9 * abs(exact)
        fractional += bool(((generated.share > 0.01) & (generated.share < 0.99)).any())
        # a ring of a subset better than a value is never left out
        for chosen, worth in subsets(generated.columns):
            near = promising(generated.columns, generated, worth)
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
        loose, generated = column_rings(slot, 1.0)
        gain = Columns(slot, loose).gains.sum()
        assert gain <= generated.bound * (1 + 1e-9)
        assert len(set(loose.job.tolist())) == len(loose)


def test_limits_are_those_that_can_fill_up():
    columns = generate_columns(snapshot(star(3, 2, bandwidth=7, jobs=[job(max_workers=4)]))).columns
    mix = whole_mix(columns, np.zeros(len(columns.rings)))
    # servers, not the hub, then every link
    assert mix.room.tolist() == [3, 2, 7, 7, 7, 7]
    assert mix.load[:, :2].sum(axis=1).tolist() == columns.rings.size.tolist()


def test_nobody_is_placed_in_an_empty_slot():
    rings, generated = column_rings(snapshot(star(1)), 0.0)
    assert (len(rings), generated.bound) == (0, 0.0)
