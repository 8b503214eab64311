"""Prices for certificates, in order of effort, and the bounds they prove."""

import time
from collections import deque
from typing import Literal

import numpy as np

from farkas.certificates.eris import ErisPrices
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.aggregated import Aggregated
from farkas.relaxations.eris.columns import generate_columns, relaxation_by_columns
from farkas.relaxations.eris.subgradient import subgradient
from farkas.relaxations.price_bounds import price_bounds
from farkas.solvers.fallback import multipliers_by_any

#: How prices are found: all 0; duals of the pooled linear program; improved by subgradient steps;
#: duals of (3) by column generation (small instances).
Effort = Literal["free", "aggregated", "subgradient", "columns"]

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


def aggregated_prices(auction: Auction) -> Prices:
    """Prices from the duals of `Aggregated`, the same at every site.

    A budget of 0 makes any transfer price free; there it is set so high that nothing moves.
    """
    form = Aggregated().form(auction)
    # the form is handed over in its own units; scaling it once more takes three times the steps
    duals = multipliers_by_any(form, simplex_scale_strategy=0).rows
    slots = [t for (t,) in form.row_block("transfer_of_slot").axes[0].members.tolist()]
    transfer = np.zeros(auction.slots)
    transfer[slots] = form.row_values(duals, "transfer_of_slot")
    pooled = np.zeros((auction.slots, auction.num_resources))
    pooled[slots] = form.row_values(duals, "pooled_capacity")
    resource = np.broadcast_to(pooled.T[None], auction.used.shape)
    return prohibitive(auction, Prices(np.maximum(transfer, 0.0), np.maximum(resource, 0.0)))


def prohibitive(auction: Auction, prices: Prices) -> Prices:
    """Raise the transfer price so far that nothing is moved, if there is no budget at all."""
    sizes = [auction.chunk_size, *(job.parameter_size for job in auction.jobs)]
    sizes = [size for size in sizes if size > 0]
    if auction.transfer_budget > 0 or not sizes:
        return prices
    dearest = max((job.utility[0] for job in auction.jobs), default=0.0)
    return Prices(np.full(auction.slots, 2.0 * dearest / min(sizes)), prices.resource)


@price_bounds.register("eris.pooled_prices")
def pooled_prices(auction: Auction, seconds: float) -> ErisPrices:
    """Prices of the pooled linear program, which is solved within seconds."""
    return certify_welfare(auction)[0]


@price_bounds.register("eris.column_prices")
def column_prices(auction: Auction, seconds: float) -> ErisPrices:
    """Prices of the best round of column generation that the time allows."""
    end = time.monotonic() + seconds
    prices = Prices.zero(auction)
    for found in generate_columns(auction):
        prices = found.prices
        if time.monotonic() >= end:
            break
    prices = prohibitive(auction, prices)
    return ErisPrices.of(auction, prices.transfer, prices.resource)


def certify_welfare(auction: Auction, effort: Effort = "aggregated") -> tuple[ErisPrices, str]:
    """Prove an upper bound on every welfare, and say how; without prices all is for nothing."""
    prices, free = find_prices(auction, effort), find_prices(auction, "free")
    same = np.array_equal(prices.transfer, free.transfer)
    nothing = same and np.array_equal(prices.resource, free.resource)
    proved = ErisPrices.of(auction, prices.transfer, prices.resource)
    return proved, METHODS["free" if nothing else effort]
