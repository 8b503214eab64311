"""Greedy scheduling in time, on clusters by hand."""

import numpy as np

from farkas.models.gadget.counts import FeasibleCounts
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
