"""Clusters that are knapsacks."""

import pytest

from farkas.models.gadget.column import ColumnIP
from farkas.models.gadget.offline import Offline
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
