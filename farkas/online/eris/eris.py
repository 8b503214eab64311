"""Algorithm 1 of Eris: price, schedule, accept what pays, raise prices."""

import dataclasses
from typing import Annotated, Literal

import msgspec
import numpy as np

from farkas.instances.eris import Auction, Job
from farkas.online.driver import algorithm
from farkas.online.eris import scheduler_dp, scheduler_printed
from farkas.online.eris.environment import (
    Award,
    CertifiedRun,
    Ledger,
    Piece,
    SlotArrivals,
    SlotDecision,
)
from farkas.online.eris.proposal import Proposal
from farkas.online.eris.scheduler_dp import exact_schedule, repaired_schedule
from farkas.online.eris.scheduler_printed import printed_schedule
from farkas.relaxations.eris.payoff_bound import JobSlots
from farkas.relaxations.eris.welfare_bound import Effort

Scheduler = Literal["dp", "printed", "exact"]
Floor = Annotated[float, msgspec.Meta(ge=0.0)]


@algorithm("eris.eris", source="Eris Algorithm 1")
@dataclasses.dataclass(frozen=True)
class Eris(CertifiedRun):
    """Online auction: every job gets its schedule of best payoff at posted prices, if any pays.

    Prices (6) grow exponentially with use; an accepted job pays the price of what it uses as
    posted before.  A schedule must fit what is free, which the prices alone do not ensure.

    Options: ``scheduler`` "dp" finds schedules that can run, with a bound on each payoff;
    "printed" is Algorithms 2 and 3 to the letter, whose schedules often cannot run, which the run
    then reports; "exact" solves a mixed-integer program wherever dp leaves a gap (small instances).
    ``price_floor`` raises every resource price by this share of what earlier jobs offered for a
    unit: with 0.5 a job is accepted only if it is worth half as much, for what it uses, as they
    were on average.  ``effort`` says how the bound on the run is found: "free",
    "aggregated", "subgradient" or "columns".
    """

    scheduler: Scheduler = "dp"
    price_floor: Floor = 0.0
    effort: Effort = "aggregated"

    def prepare(self, instance: Auction) -> None:
        """Have the scheduler's kernel compiled if all jobs together are worth it."""
        sizes = [(instance.slots - j.arrival, instance.sites, sum(j.data)) for j in instance.jobs]
        if self.scheduler == "printed":
            scheduler_printed.printed_plan.prepare(sum(map(scheduler_printed.steps, sizes)))
        else:
            scheduler_dp.best_plan.prepare(sum(map(scheduler_dp.steps, sizes)))

    def start(self, known: Auction, seed: int) -> Ledger:
        """Nothing is in use yet."""
        return Ledger(known, self.price_floor)

    def step(self, state: Ledger, arrivals: SlotArrivals) -> tuple[Ledger, SlotDecision]:
        """Decide about the jobs of one slot, one after the other."""
        if not arrivals.jobs:
            return state, SlotDecision()
        state = state.copy()
        awards: list[Award] = []
        pieces: list[Piece] = []
        for index, job in arrivals.jobs:
            seen = state.meet(job)
            proposal = propose(state, job, seen, self.scheduler)
            state.hear(job)
            bound = proposal.bound if np.isfinite(proposal.bound) else None
            if not proposal.pays:
                awards.append(Award(index, accepted=False, payoff_bound=bound))
                continue
            state.book(job, seen, proposal)
            completed = job.arrival + proposal.finish
            awards.append(Award(index, True, completed, proposal.cost, bound))
            pieces += pieces_of(index, job, proposal)
        return state, SlotDecision(tuple(awards), tuple(pieces))


def propose(ledger: Ledger, job: Job, seen: JobSlots, scheduler: Scheduler) -> Proposal:
    """Best schedule of ``job`` by one of the schedulers."""
    if scheduler == "printed":
        return printed_schedule(seen)
    found = repaired_schedule(ledger.auction, job, seen)
    return exact_schedule(ledger, job, seen, found) if scheduler == "exact" else found


def pieces_of(index: int, job: Job, proposal: Proposal) -> list[Piece]:
    """Pieces of an accepted schedule."""
    return [
        Piece(
            job=index,
            slot=int(job.arrival + slot),
            server=int(proposal.server[slot]),
            workers=tuple(
                (int(site), int(proposal.workers[slot, site]))
                for site in np.flatnonzero(proposal.workers[slot])
            ),
            moved=int(proposal.moved[slot]),
        )
        for slot in proposal.slots
    ]
