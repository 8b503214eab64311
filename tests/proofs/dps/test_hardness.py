"""Markets that are knapsacks."""

import pytest

from farkas.models.dps.offline import Offline
from farkas.proofs.dps.hardness import knapsack_market
from farkas.proofs.knapsack import Knapsack
from farkas.proofs.trials import optimum


@pytest.mark.parametrize(
    ("weights", "worths", "room", "best"),
    [((2, 3, 4), (3, 4, 6), 5, 7), ((4, 4), (4, 4), 5, 4), ((3, 3, 2), (3, 3, 2), 5, 5)],
)
def test_payments_are_the_greatest_worth(weights, worths, room, best):
    market = knapsack_market(Knapsack(weights, worths, room))
    assert market.num_jobs == len(weights)
    assert optimum(Offline().form(market)) == pytest.approx(best, rel=1e-9)
