"""An auction of our own: prices are duals of the jobs seen so far, as if more like them came."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np

from farkas.instances.base import Nonnegative
from farkas.instances.eris import Auction, Job
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats, Rng
from farkas.online.driver import algorithm
from farkas.online.eris.environment import (
    Award,
    Ledger,
    Piece,
    SlotArrivals,
    SlotDecision,
)
from farkas.online.eris.eris import Bid, awarded
from farkas.online.policy import Policy
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer

ROUNDS = 12  #: Rounds of pricing in a slot.
CLOSE = 1.0 / 2**13  #: Share of it that these may leave to gain.

#: Share of the duals that is posted: a job whose own worth sets a price has a payoff above 0.
POSTED = 1.0 - 1.0 / 2**10

Sample = Annotated[int, msgspec.Meta(ge=0)]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class LearnedPrices:
    """What has been sold, and what was learned from the jobs that came."""

    ledger: Ledger  #: Use of everything; prices as posted in the last slot in which jobs came.
    seen: tuple[Job, ...]  #: All jobs so far.
    seed: int  #: Of the draws of jobs to come.
    slot: int = -1  #: In which prices were posted.
    payoffs: tuple[float, ...] = ()  #: Of the slot's jobs, as far as they were asked for once.
    #: awards, pieces: of the slot's jobs that are decided, in the order of payoffs.
    awards: tuple[Award, ...] = ()
    pieces: tuple[Piece, ...] = ()
    #: The state with the prices of the next slot, once they were asked for.
    then: list[LearnedPrices] = dataclasses.field(default_factory=list)

    def place(self, jobs: int) -> int:
        """Return whose turn it is among the slot's jobs."""
        if len(self.payoffs) < jobs:
            return len(self.payoffs)
        return int(np.argsort(-np.array(self.payoffs), kind="stable")[len(self.awards)])


@algorithm("eris.learned", source="added: prices from the jobs seen so far")
@dataclasses.dataclass(frozen=True)
class PriceLearner(Policy):
    """Posts the prices at which the jobs here and those expected would share what is left.

    In a slot in which jobs come, column generation prices them together with a sample of all jobs
    so far.  The sample stands for as many jobs in every later slot as came on average.  The duals,
    the same at every site, are posted, less a thousandth.  A job gets its schedule of best payoff,
    if any pays, those of best payoff first, and pays the posted cost.  Prices depend on what the
    slot's jobs say of themselves, so that truth is not always best for them.

    Options: ``forecast``, the multiple of the average so far that is expected to come; ``sample``,
    how many jobs stand for all that are expected; ``solver``, who finds schedules: "dp", "exact" or
    a general solver of integer programs.
    """

    forecast: Nonnegative = 1.0
    sample: Sample = 300
    solver: str = ""

    def start(self, known: Auction, seed: int) -> LearnedPrices:
        """Nothing is in use, and nobody came."""
        return LearnedPrices(Ledger(known), (), seed)

    def model(self, state: LearnedPrices, arrivals: SlotArrivals) -> Subproblem | None:
        """Return (7) at the posted prices: of each job once, then again in the order of payoffs."""
        if not arrivals.jobs:
            return None
        now = self._posted(state, arrivals)
        _, job = arrivals.jobs[now.place(len(arrivals.jobs))]
        return Bid.of(now.ledger, job).subproblem("dp")

    def round(
        self,
        state: LearnedPrices,
        arrivals: SlotArrivals,
        answer: SubproblemAnswer | None,
        rng: Rng,
    ) -> tuple[LearnedPrices, SlotDecision | None]:
        """Note the first payoffs; then accept who pays, those of best payoff first."""
        if answer is None:
            return state, SlotDecision()
        now, proposal, jobs = self._posted(state, arrivals), answer.decisions, len(arrivals.jobs)
        if len(now.payoffs) < jobs:
            return dataclasses.replace(now, payoffs=(*now.payoffs, proposal.payoff)), None
        index, job = arrivals.jobs[now.place(jobs)]
        award, pieces = awarded(index, job, proposal)
        ledger = now.ledger.copy()
        if award.accepted:
            ledger.book(job, pieces)
            ledger.prices = now.ledger.prices  # those of (6) are not posted
        awards, pieces = (*now.awards, award), (*now.pieces, *pieces)
        if len(awards) < jobs:
            return dataclasses.replace(now, ledger=ledger, awards=awards, pieces=pieces), None
        decided = tuple(sorted(awards, key=lambda award: award.job))
        return LearnedPrices(ledger, now.seen, now.seed), SlotDecision(decided, pieces)

    def dual(self, answers: Sequence[SubproblemAnswer]) -> tuple[float, float]:
        """Return the payoffs of the slot's jobs and their bounds, as decided, added up."""
        last = answers[len(answers) // 2 :]
        return sum(each.value for each in last), sum(each.dual for each in last)

    def _posted(self, state: LearnedPrices, arrivals: SlotArrivals) -> LearnedPrices:
        """Return the state with the prices of the slot, which are learned once."""
        if state.slot == arrivals.slot:
            return state
        if not state.then:
            here = [job for _, job in arrivals.jobs]
            seen, ledger = (*state.seen, *here), state.ledger.copy()
            ledger.prices = self._learn(ledger, arrivals.slot, here, seen, state.seed)
            state.then.append(LearnedPrices(ledger, seen, state.seed, arrivals.slot))
        return state.then[0]

    def _learn(
        self,
        ledger: Ledger,
        slot: int,
        here: list[Job],
        seen: tuple[Job, ...],
        seed: int,
    ) -> Prices:
        """Prices at which jobs that are here and those that are expected share what is left."""
        from farkas.decomposition.column_generation import price_rows
        from farkas.decomposition.master import Master, Pool
        from farkas.relaxations.eris.pricing import SchedulePricing

        rng = np.random.default_rng([seed, slot])
        slots = ledger.auction.slots
        coming, times = expected(seen, slot, slots, self.forecast, self.sample, rng)
        auction = ledger.auction.replace(jobs=(*here, *coming))
        occupied = np.concatenate([ledger.transferred, ledger.used.ravel()])
        times = np.concatenate([np.ones(len(here)), times])
        pricing = SchedulePricing(auction, occupied=occupied, times=times)
        *_, last = price_rows(
            pricing, Master(pricing, Pool(pricing)), gap=CLOSE, left=lambda: math.inf,
            start=pricing.pooled(ledger.prices), rounds=ROUNDS,
        )  # fmt: skip
        found = pricing.prices_of(last.prices)
        return Prices(POSTED * found.transfer, POSTED * found.resource)


def expected(
    seen: Sequence[Job], slot: int, slots: int, forecast: float, sample: int, rng: Rng
) -> tuple[list[Job], Floats]:
    """Jobs that stand for those to come after a slot, by arrival, and how often each comes.

    At most ``sample`` are drawn from all seen, evenly over the slots; who came so late that the
    worth of a longer wait is not known stands for nobody.
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
