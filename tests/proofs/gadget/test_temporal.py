"""Greedy scheduling in time, on clusters by hand."""

import msgspec
import numpy as np

from farkas.models.gadget.counts import FeasibleCounts
from farkas.proofs import Standing, claims
from farkas.proofs.gadget import temporal
from farkas.proofs.gadget.small import shipped
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


def test_a_run_that_idles_refutes_what_is_proved_of_greedy_ones(monkeypatch):
    def idle(feasible):
        return np.zeros(feasible.cluster.num_jobs, dtype=int)

    monkeypatch.setattr(temporal, "greedy", idle)
    assert claims["gadget.exact_greedy_is_half"].run().standing is Standing.REFUTED


def test_budgets_that_are_cut_too_short_refute_the_repair(monkeypatch):
    whole = temporal.truncated

    def short(cluster):
        found = whole(cluster)
        jobs = [msgspec.to_builtins(job) for job in found.jobs]
        for job in jobs:
            job["utility"]["values"] = job["utility"]["values"][:2]
        return found.replace(jobs=jobs)

    monkeypatch.setattr(temporal, "truncated", short)
    assert claims["gadget.truncation_repairs_budgets"].run().standing is Standing.REFUTED
