"""Prices for certificates, in order of effort, and the bounds they prove."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections import deque
from fractions import Fraction
from typing import Literal

import msgspec
import numpy as np

from farkas.certificates.eris import ErisPrices, Payoffs, prove_payoffs
from farkas.executor import Executor
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.relaxations.eris.aggregated import Aggregated
from farkas.relaxations.eris.columns import generate_columns, relaxation_by_columns
from farkas.relaxations.eris.payoff_bound import subgradient
from farkas.relaxations.integrality import price_bounds
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


# What of an auction's bound may be spread over workers: proofs of payoffs, job by job.
#
# Pricing is not: at 5,000 jobs the compiled dynamic program takes hundredths of a second a round.


JOB_STEPS = 1e4  #: Steps that proving the payoff of a job takes, at a guess.
PARTS = 2  #: Of the jobs for each worker; the more, the more calls of numpy.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PayoffsToProve:
    """Jobs from ``begin`` up to ``end``, and prices as `prove_payoffs` takes them."""

    begin: int
    end: int
    transfer: Floats
    resource: Floats


class PayoffProofs:
    """Proves bounds on the payoffs of some jobs."""

    kernels = ()

    def __init__(self, auction: Auction) -> None:
        self._auction = auction
        self._parts: dict[tuple[int, int], Auction] = {}

    def __call__(self, task: PayoffsToProve) -> Fraction:
        """Prove a part of the sum of `prove_payoffs`, which is exact."""
        some = task.begin, task.end
        if some not in self._parts:
            jobs = self._auction.jobs[task.begin : task.end]
            self._parts[some] = msgspec.structs.replace(self._auction, jobs=jobs)
        return prove_payoffs(self._parts[some], task.transfer, task.resource)


def payoffs_by(executor: Executor) -> Payoffs:
    """Let others prove payoffs, where there are others."""

    def payoffs(auction: Auction, transfer: Floats, resource: Floats) -> Fraction:
        if not executor.elsewhere:
            return prove_payoffs(auction, transfer, resource)
        jobs, parts = auction.num_jobs, PARTS * executor.width
        ends = [jobs * k // parts for k in range(parts + 1)]
        tasks = [
            PayoffsToProve(begin, end, transfer, resource)
            for begin, end in itertools.pairwise(ends)
            if begin < end
        ]
        steps = [JOB_STEPS * (task.end - task.begin) for task in tasks]
        return sum(executor.each(PayoffProofs(auction), auction, tasks, steps), Fraction(0))

    return payoffs
