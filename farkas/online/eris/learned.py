"""An auction of our own: prices are duals of the jobs seen so far, as if more like them came."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.certificates.eris import ErisPrices
from farkas.instances.base import Nonnegative
from farkas.instances.eris import Auction, Job
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.online.driver import algorithm
from farkas.online.eris.environment import (
    Award,
    Ledger,
    Piece,
    Proposal,
    SlotArrivals,
    SlotDecision,
)
from farkas.online.eris.eris import awarded
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.online.policy import Policy
from farkas.online.run import Bound
from farkas.relaxations.eris.payoff_bound import job_slots
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.schedule_master import ScheduleMaster, settled_prices
from farkas.relaxations.eris.welfare_bound import prohibitive

ROUNDS = 8  #: Rounds of pricing in a slot.
PROVING_ROUNDS = 60  #: Rounds of pricing for the bound of the run.
CLOSE = 1.0 / 2**13  #: Share of it that these may leave to gain.

#: Share of the duals that is posted: a job whose own worth sets a price has a payoff above 0.
POSTED = 1.0 - 1.0 / 2**10

Sample = Annotated[int, msgspec.Meta(ge=0)]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class LearnedPrices:
    """What has been sold, and what was learned from the jobs that came."""

    ledger: Ledger  #: Use of everything; its own prices (6) are not posted.
    seen: tuple[Job, ...]  #: All jobs so far.
    prices: Prices  #: As posted in the last slot in which jobs came.
    seed: int  #: Of the draws of jobs to come.


@algorithm("eris.learned", source="added: prices from the jobs seen so far")
@dataclasses.dataclass(frozen=True)
class Learned(Policy):
    """Posts the prices at which the jobs here and those expected would share what is left.

    In every slot in which jobs come, those of the slot and a sample of all jobs so far, as if as
    many came in every later slot as came on average, are priced by column generation on what is
    free.  The duals, the same at every site, are posted, less a thousandth; a job gets its schedule
    of best payoff, if any pays, those of best payoff first, and pays the posted cost.  The prices
    of a slot depend on what its jobs say of themselves, so that truth is not always best for them.

    Options: ``forecast``, the multiple of the average so far that is expected to come; ``sample``,
    how many jobs stand for all that are expected.  The bound on the run is proved by prices of the
    same kind, with all jobs known.
    """

    forecast: Nonnegative = 1.0
    sample: Sample = 300

    def start(self, known: Auction, seed: int) -> LearnedPrices:
        """Nothing is in use, and nobody came."""
        return LearnedPrices(Ledger(known), (), Prices.zero(known), seed)

    def step(
        self, state: LearnedPrices, arrivals: SlotArrivals
    ) -> tuple[LearnedPrices, SlotDecision]:
        """Learn prices, then let jobs choose."""
        if not arrivals.jobs:
            return state, SlotDecision()
        here = [job for _, job in arrivals.jobs]
        seen = (*state.seen, *here)
        ledger = state.ledger.copy()
        prices = self._learn(ledger, arrivals.slot, here, seen, state)
        first = [_propose(ledger, job, prices).payoff for job in here]
        awards: dict[int, Award] = {}
        pieces: list[Piece] = []
        for place in np.argsort(-np.array(first), kind="stable").tolist():
            index, job = arrivals.jobs[place]
            proposal = _propose(ledger, job, prices)
            awards[index], more = awarded(index, job, proposal)
            if awards[index].accepted:
                ledger.book(job, more)
            pieces += more
        decided = tuple(awards[index] for index, _ in arrivals.jobs)
        return LearnedPrices(ledger, seen, prices, state.seed), SlotDecision(decided, tuple(pieces))

    def certify(
        self, instance: Auction, state: LearnedPrices, decisions: Sequence[SlotDecision]
    ) -> Bound:
        """Prove an upper bound on the welfare of every run."""
        pricer = JobPricer(instance)
        free = prohibitive(instance, Prices.zero(instance))
        master = ScheduleMaster(instance, pooled=True)
        _, best = settled_prices(pricer, master, free, PROVING_ROUNDS, CLOSE)
        proved = ErisPrices.of(instance, best.transfer, best.resource)
        return Bound.of(Fraction(proved.bound), "prices of schedules", proved.plain())

    def _learn(
        self,
        ledger: Ledger,
        slot: int,
        here: list[Job],
        seen: tuple[Job, ...],
        state: LearnedPrices,
    ) -> Prices:
        """Prices at which jobs that are here and those that are expected share what is left."""
        rng = np.random.default_rng([state.seed, slot])
        slots = ledger.auction.slots
        coming, times = expected(seen, slot, slots, self.forecast, self.sample, rng)
        auction = ledger.auction.replace(jobs=(*here, *coming))
        occupied = np.concatenate([ledger.transferred, ledger.used.ravel()])
        master = ScheduleMaster(
            auction,
            pooled=True,
            occupied=occupied,
            times=np.concatenate([np.ones(len(here)), times]),
        )
        start = prohibitive(auction, state.prices)
        found, _ = settled_prices(JobPricer(auction), master, start, ROUNDS)
        return Prices(POSTED * found.transfer, POSTED * found.resource)


def expected(
    seen: Sequence[Job],
    slot: int,
    slots: int,
    forecast: float,
    sample: int,
    rng: np.random.Generator,
) -> tuple[list[Job], Floats]:
    """Jobs that stand for those to come after a slot, by arrival, and how often each comes.

    They are drawn from all that were seen, evenly over the slots; who came so late that the worth
    of a longer wait is not known stands for nobody.

    Parameters
    ----------
    seen
        Jobs of this and earlier slots.
    slot, slots
        This slot, and how many there are.
    forecast
        Multiple of the jobs of an average slot so far.
    sample
        Jobs at most.
    """
    later = slots - slot - 1
    total = forecast * len(seen) / (slot + 1) * later
    many = min(sample, int(np.ceil(total)))
    if not many:
        return [], np.zeros(0)
    drawn = (rng.random(many) * len(seen)).astype(np.int64).tolist()
    coming = []
    for place, who in enumerate(drawn):
        arrival = slot + 1 + place * later // many
        job = seen[who]
        if len(job.utility) >= slots - arrival:
            worth = job.utility[: slots - arrival]
            coming.append(msgspec.structs.replace(job, arrival=arrival, utility=worth))
    return coming, np.full(len(coming), total / max(1, len(coming)))


def _propose(ledger: Ledger, job: Job, prices: Prices) -> Proposal:
    """Best schedule of a job in what is left, at posted prices."""
    met = job_slots(ledger.auction, job, prices, ledger.transferred, ledger.used)
    return repaired_schedule(ledger.auction, job, met)
