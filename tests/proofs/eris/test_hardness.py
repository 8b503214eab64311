"""Auctions that are knapsacks."""

import pytest

from farkas.models.eris.offline import Offline
from farkas.proofs.eris.hardness import knapsack_auction
from farkas.proofs.knapsack import Knapsack
from farkas.proofs.trials import optimum


@pytest.mark.parametrize(
    ("weights", "worths", "room", "best"),
    [((2, 3, 4), (3, 4, 6), 5, 7), ((4, 4), (4, 4), 5, 4), ((3, 3, 2), (3, 3, 2), 5, 5)],
)
def test_welfare_is_the_greatest_worth(weights, worths, room, best):
    auction = knapsack_auction(Knapsack(weights, worths, room))
    assert len(auction.jobs) == len(weights)
    assert optimum(Offline().form(auction)) == pytest.approx(best, rel=1e-9)
