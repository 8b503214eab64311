"""Greedy scheduling in time, on clusters by hand."""

import msgspec
import numpy as np
import pytest

from farkas.instances.generate.gadget import Published
from farkas.models.gadget.counts import FeasibleCounts, greedy, offline_optimum
from farkas.models.gadget.slot import snapshot
from farkas.proofs import Standing, claims
from farkas.proofs.gadget.relaxations import random_clusters, selected, shipped
from farkas.proofs.gadget.temporal import truncated, worst_run
from farkas.relaxations.gadget.embedding import NodeLP
from farkas.solvers import solve


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


def test_exact_greedy_earns_at_least_half_and_seven_ninths_where_least_is_known():
    shares = []
    for cluster in (shipped("seven_ninths"), *random_clusters(20, 7, network="any")):
        feasible = FeasibleCounts.of(cluster)
        best = offline_optimum(feasible)[0]
        if best > 0:
            shares.append(cluster.total_reward(greedy(feasible)) / best)
    assert shares[0] == pytest.approx(14 / 18)
    assert min(shares) >= 0.5


def test_shares_of_a_job_sum_to_at_most_one_and_selected_sizes_weigh_most():
    for cluster in random_clusters(8, 4, network="any", jobs=3):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        form, share = NodeLP().form(slot), np.zeros(slot.gains.shape)
        share[slot.allowed] = form.values(solve(form).require_optimal().point, "chosen")
        assert (share.sum(axis=1) <= 1 + 1e-7).all()
        weight = np.where(slot.allowed, slot.gains * share, 0.0)
        sizes = dict(selected(slot).pairs.tolist())
        for place, job in enumerate(slot.jobs.tolist()):
            if job in sizes:
                assert weight[place, sizes[job] - 1] == weight[place].max()


@pytest.mark.parametrize(
    ("claim", "setting", "value", "standing"),
    [
        ("gadget.evaluated_budgets_bind", "iterations", (1000, 6000), "refuted"),
        ("gadget.evaluated_budgets_bind", "iterations", (999, 6000), "held"),
        ("gadget.fixed_rings_respect_sizes", "fixed_workers", (1, 6), "refuted"),
        ("gadget.fixed_rings_respect_sizes", "fixed_workers", (1, 5), "held"),
    ],
)
def test_published_numbers_decide_the_verdict(monkeypatch, claim, setting, value, standing):
    settings = msgspec.structs.replace(Published(), **{setting: value})
    monkeypatch.setattr("farkas.proofs.gadget.temporal.Published", lambda: settings)
    assert claims[claim].check().standing is Standing(standing)


@pytest.mark.parametrize(("idle", "standing"), [("energy", "refuted"), ("one_gpu", "held")])
def test_a_logarithm_is_a_reward_where_every_job_runs(monkeypatch, idle, standing):
    monkeypatch.setattr("farkas.proofs.gadget.temporal.shipped", lambda _: shipped(idle))
    assert claims["gadget.logarithm_is_a_reward"].check().standing is Standing(standing)
