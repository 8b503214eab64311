"""Greedy scheduling in time, on clusters by hand."""

import numpy as np
import pytest

from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.slot import snapshot
from farkas.proofs.gadget.relaxations import around_mean, random_clusters, selected, shares, shipped
from farkas.proofs.gadget.rounding import all_sizes
from farkas.proofs.gadget.temporal import truncated, worst_run


def test_an_adversary_of_the_marginal_reward_has_less_room():
    feasible = FeasibleCounts.of(shipped("one_gpu"))
    # one GPU for six slots: all of it at α = 1; at α = 1/2 of the marginal, never idle
    assert worst_run(feasible, 1.0, marginal=True) == 6
    assert worst_run(feasible, 0.5, marginal=True) == 6
    assert worst_run(feasible, 0.5, marginal=False) == 1


def test_truncation_moves_the_budget_into_the_table():
    cluster = shipped("budget_of_two")
    free = truncated(cluster)
    assert (cluster.most_slots[0], free.most_slots[0] > 2) == (2, True)
    counts = np.arange(5)
    assert np.array_equal(free.reward(0, counts), cluster.reward(0, np.minimum(counts, 2)))


def test_the_mixture_of_all_sizes_has_the_worth_and_loads_of_the_relaxation():
    for cluster in random_clusters(15, 6, network="any", servers=3, jobs=4):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        drawn = all_sizes(slot)
        rings, share = drawn.mixture.rings, drawn.mixture.share
        place = slot.jobs.searchsorted(rings.job)
        worth = (share * slot.gains[place, rings.size - 1]).sum()
        assert worth == pytest.approx(drawn.value, rel=1e-9, abs=1e-9)
        assert (np.bincount(rings.job, share) <= 1 + 1e-9).all()
        load = (share[:, None, None] * rings.node_load(cluster)).sum(axis=0)
        assert (load <= cluster.capacity + 1e-9).all()


def test_shares_of_a_job_sum_to_at_most_one_and_selected_sizes_weigh_most():
    for cluster in random_clusters(8, 4, network="any", jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        share = shares(slot)
        assert (share.sum(axis=1) <= 1 + 1e-7).all()
        weight = np.where(slot.allowed, slot.gains * share, 0.0)
        sizes = dict(selected(slot).pairs.tolist())
        for place, job in enumerate(slot.jobs.tolist()):
            if job in sizes:
                assert weight[place, sizes[job] - 1] == weight[place].max()


def test_sizes_around_the_mean_are_its_neighbours():
    for cluster in random_clusters(8, 6, network="any", jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        share = shares(slot)
        mean = dict(zip(slot.jobs.tolist(), share @ np.arange(1, share.shape[1] + 1), strict=True))
        for job, size in around_mean(slot).pairs.tolist():
            assert abs(size - mean[job]) < 1 + 1e-6
