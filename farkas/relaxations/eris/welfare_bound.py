"""Prices for certificates, in order of effort, and the bounds they prove."""

from collections import deque
from typing import Literal

import numpy as np

from farkas.certificates.eris import ErisPrices
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.aggregated import aggregated_prices, prohibitive
from farkas.relaxations.eris.columns import relaxation_by_columns
from farkas.relaxations.eris.subgradient import subgradient

Effort = Literal["free", "aggregated", "subgradient", "columns"]
"""How prices are found: all 0; duals of the pooled linear program; improved by subgradient steps;
duals of (3) by column generation (small instances)."""

METHODS: dict[Effort, str] = {
    "free": "everything for nothing",
    "aggregated": "prices of the pooled linear program",
    "subgradient": "prices by subgradient steps",
    "columns": "prices by column generation",
}


def find_prices(auction: Auction, effort: Effort = "aggregated", rounds: int = 100) -> Prices:
    """Prices that should prove a good bound on the welfare; see `Effort`.

    Parameters
    ----------
    rounds
        Evaluations by the subgradient steps.
    """
    if effort == "free":
        return prohibitive(auction, Prices.zero(auction))
    if effort == "columns":
        return prohibitive(auction, relaxation_by_columns(auction).prices)
    prices = aggregated_prices(auction)
    if effort == "subgradient":
        _, prices = deque(subgradient(auction, prices, rounds), maxlen=1)[0]
    return prices


def certify_welfare(auction: Auction, effort: Effort = "aggregated") -> tuple[ErisPrices, str]:
    """Prove an upper bound on every welfare, and say how; without prices all is for nothing."""
    prices, free = find_prices(auction, effort), find_prices(auction, "free")
    same = np.array_equal(prices.transfer, free.transfer)
    nothing = same and np.array_equal(prices.resource, free.resource)
    proved = ErisPrices.of(auction, prices.transfer, prices.resource)
    return proved, METHODS["free" if nothing else effort]
