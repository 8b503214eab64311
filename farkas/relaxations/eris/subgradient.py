"""Better prices by subgradient steps on the Lagrangian bound of (4)."""

import dataclasses
from collections.abc import Iterator

import numpy as np

from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.relaxations.eris.job_slots import job_slots
from farkas.relaxations.eris.payoff_bound import bound_payoff
from farkas.tolerances import SOLVER_GAP

MOMENTUM = 0.6  #: Share of the last direction that the next one keeps.
AHEAD = 0.05  #: The target of the first step lies this share below the bound.
PATIENCE = 8  #: Rounds without progress after which the target moves half way back.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedBound:
    """The Lagrangian bound at some prices, with what its schedules use."""

    bound: float  #: Σ payoff bounds + price of all capacity, in floating point.
    #: transfer, resource: use by the schedules that attain the payoff bounds, shapes (slots,) and
    #: (sites, resources, slots).
    transfer: Floats
    resource: Floats


def evaluate(auction: Auction, prices: Prices) -> PricedBound:
    """Bound every job's payoff on the whole empty system and add up."""
    bound = prices.rent(auction)
    transfer = np.zeros(auction.slots)
    resource = np.zeros((auction.slots, auction.sites, auction.num_resources))
    for job in auction.jobs:
        seen = job_slots(auction, job, prices, None, None)
        cover = bound_payoff(seen)
        bound += cover.payoff
        slots = np.flatnonzero(cover.server >= 0)
        at, processed, server = job.arrival + slots, cover.processed[slots], cover.server[slots]
        workers = -(-seen.epochs * processed // seen.worker_rate)
        moved = np.maximum(0, processed - seen.data).sum(axis=1)
        beside = workers[np.arange(len(slots)), server]
        transfer[at] += seen.chunk_size * moved
        transfer[at] += seen.parameter_size * (workers.sum(axis=1) - beside)
        resource[at] += workers[:, :, None] * np.array(job.worker_demand)
        resource[at, server] += np.array(job.server_demand)
    return PricedBound(bound, transfer, np.moveaxis(resource, 0, 2))


def subgradient(
    auction: Auction, start: Prices, rounds: int = 150, value: float = 0.0
) -> Iterator[tuple[float, Prices]]:
    """Yield the least bound so far with its prices, after every round.

    Polyak steps towards a target between the best bound and a known welfare.  Prices are scaled by
    their capacities, so that one step length suits transfer and resources.

    Parameters
    ----------
    start
        First prices.
    rounds
        Number of evaluations.
    value
        Welfare of some run; 0 when none is known.
    """
    budget = auction.transfer_budget if auction.transfer_budget > 0 else np.inf
    capacity = np.where(auction.capacity > 0, auction.capacity, np.inf)[:, :, None]
    prices, best, least = start, start, np.inf
    ahead, waited = AHEAD, 0
    smooth_transfer, smooth_resource = np.zeros(auction.slots), np.zeros(auction.used.shape)
    for number in range(rounds):
        found = evaluate(auction, prices)
        if found.bound < least - SOLVER_GAP * abs(least if number else 0.0):
            least, best, waited = found.bound, prices, 0
        else:
            waited += 1
            if waited >= PATIENCE:
                ahead, waited, prices = ahead / 2, 0, best
        yield least, best
        target = max(value, least * (1 - ahead))
        # slack of every capacity in shares: the gradient in scaled prices
        slack_transfer = 1.0 - found.transfer / budget
        slack_resource = 1.0 - found.resource / capacity
        # at price 0 only an overload pulls
        slack_transfer = np.where((prices.transfer <= 0) & (slack_transfer > 0), 0, slack_transfer)
        slack_resource = np.where((prices.resource <= 0) & (slack_resource > 0), 0, slack_resource)
        smooth_transfer = slack_transfer + MOMENTUM * smooth_transfer
        smooth_resource = slack_resource + MOMENTUM * smooth_resource
        norm = float((smooth_transfer**2).sum() + (smooth_resource**2).sum())
        if norm == 0.0:
            return
        step = (found.bound - target) / norm
        prices = Prices(
            np.maximum(0.0, prices.transfer - step * smooth_transfer / budget),
            np.maximum(0.0, prices.resource - step * smooth_resource / capacity),
        )
