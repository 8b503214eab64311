"""Clusters that are knapsacks."""

import msgspec
import pytest

from farkas.models.gadget.column import ColumnIP
from farkas.models.gadget.offline import Offline
from farkas.proofs import claims
from farkas.proofs.claim import Standing
from farkas.proofs.gadget import hardness
from farkas.proofs.gadget.hardness import knapsack_cluster
from farkas.proofs.knapsack import Knapsack
from farkas.proofs.trials import optimum


@pytest.mark.parametrize(
    ("weights", "worths", "room", "best"),
    [((2, 3, 4), (3, 4, 6), 5, 7), ((4, 4), (4, 4), 5, 4), ((3, 3, 2), (3, 3, 2), 5, 5)],
)
@pytest.mark.parametrize("program", [ColumnIP, Offline])
def test_the_highest_reward_is_the_greatest_worth(program, weights, worths, room, best):
    cluster = knapsack_cluster(Knapsack(weights, worths, room))
    assert cluster.num_jobs == len(weights)
    assert optimum(program().form(cluster)) == pytest.approx(best, rel=1e-9)


def test_a_cluster_that_is_no_such_knapsack_is_noticed(monkeypatch):
    def other(knapsack):
        cluster = knapsack_cluster(knapsack)
        first, *rest = msgspec.to_builtins(cluster.jobs)
        return cluster.replace(jobs=[{**first, "demand": [1.0]}, *rest])

    monkeypatch.setattr(hardness, "knapsack_cluster", other)
    assert claims["gadget.np_hard"].run().standing is Standing.REFUTED
