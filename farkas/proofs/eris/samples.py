"""Small random states of an auction, on which claims are tried."""

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.instances.eris import Auction, Job
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.online.eris.environment import Ledger
from farkas.online.eris.proposal import Proposal
from farkas.online.eris.scheduler_dp import exact_schedule, repaired_schedule
from farkas.online.eris.scheduler_printed import printed_schedule
from farkas.portable import multinomial, uniform
from farkas.proofs.said import Stated
from farkas.proofs.trials import shipped
from farkas.relaxations.eris.job_slots import job_slots
from farkas.tolerances import FEASIBLE


@dataclasses.dataclass(frozen=True)
class Shape:
    """How large the random auctions are: most sites, slots, jobs, chunks per job."""

    sites: int = 2
    slots: int = 3
    jobs: int = 1
    chunks: int = 3


auction = functools.partial(shipped, Auction)  #: Shipped instance of this kind.


def resolved(sample: Auction) -> Stated:
    """Assume that no amount is lost in what it is added to.

    Solvers drop coefficients that are far below others of their row, and what capacities forgive as
    rounding is more than such workers take: programs that forgive different amounts then differ by
    whole jobs, which says nothing of the paper.

    Returns
    -------
    Least positive demand, amount in use or amount left over the largest amount of its resource (of
    the transfer budget for what is transferred), without unit; at least `FEASIBLE`.
    """
    free = sample.capacity[:, :, None] - sample.used
    left = sample.transfer_budget - sample.transferred
    transfer = [sample.chunk_size, sample.transfer_budget, *sample.transferred, *left]
    rows = [[job.parameter_size, *transfer] for job in sample.jobs]
    for k in range(sample.num_resources):
        sites = [sample.capacity[:, k], sample.used[:, k], free[:, k]]
        amounts = np.concatenate([part.ravel() for part in sites]).tolist()
        rows += [[job.worker_demand[k], job.server_demand[k], *amounts] for job in sample.jobs]
    positive = [[amount for amount in row if amount > 0] for row in rows]
    least = min((min(row) / max(row) for row in positive if row), default=1.0)
    return Stated(float(least), ">=", FEASIBLE)


def auctions(count: int, seed: int = 0, shape: Shape | None = None) -> Iterator[Auction]:
    """Yield random auctions with two resources, three in four of them with a busy state."""
    shape = shape or Shape()
    rng = np.random.default_rng(seed)
    for number in range(count):
        sites = int(rng.integers(2, max(2, shape.sites) + 1))
        slots = int(rng.integers(1, shape.slots + 1))
        capacity = rng.integers(1, 6, (sites, 2)).astype(float)
        budget = float(rng.choice([0.0, 3.0, 8.0]))
        busy = rng.random() < 0.75
        arrivals = np.sort(rng.integers(0, slots, shape.jobs))
        yield Auction.build(
            name=f"sample {seed}/{number}",
            slots=slots,
            sites=sites,
            resource_names=["gpu", "cpu"],
            site_capacity=capacity,
            transfer_budget=budget,
            chunk_size=1.0,
            price_base_transfer=20.0,
            price_base_resource=[50.0, 20.0],
            jobs=[_job(rng, int(a), slots, sites, shape.chunks) for a in arrivals],
            occupied={
                "transfer": budget * rng.choice([0.0, 0.25, 0.5], slots) * busy,
                "resources": capacity[:, :, None]
                * rng.choice([0.0, 0.2, 0.5, 0.8], (sites, 2, slots))
                * busy,
            },
        )


def _job(
    rng: np.random.Generator, arrival: int, slots: int, sites: int, chunks: int
) -> dict[str, Any]:
    return {
        "arrival": arrival,
        "utility": -np.sort(-np.round(uniform(rng, 2, 60, slots - arrival), 2)),
        "data": multinomial(rng, int(rng.integers(1, chunks + 1)), np.ones(sites)),
        "epochs": int(rng.integers(1, 4)),
        "worker_rate": int(rng.integers(1, 4)),
        "worker_demand": rng.integers(0, 3, 2).astype(float),
        "server_demand": rng.integers(0, 2, 2).astype(float),
        "parameter_size": float(rng.integers(0, 3)),
    }


def ledger_of(auction: Auction) -> Ledger:
    """Ledger in the state that the instance says every job meets."""
    ledger = Ledger(auction)
    ledger.transferred[:] = auction.transferred
    ledger.used[:] = auction.used
    found: Prices = posted_on_arrival(auction)
    ledger.prices.transfer[:] = found.transfer
    ledger.prices.resource[:] = found.resource
    return ledger


def propose(auction: Auction, job: Job, scheduler: str) -> Proposal:
    """Let a scheduler propose for ``job`` in the state of the instance."""
    ledger = ledger_of(auction)
    seen = job_slots(auction, job, ledger.prices, ledger.transferred, ledger.used)
    if scheduler == "printed":
        return printed_schedule(seen)
    found = repaired_schedule(auction, job, seen)
    return exact_schedule(ledger, job, seen, found) if scheduler == "exact" else found
