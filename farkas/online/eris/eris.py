"""Algorithm 1 of Eris: price, schedule, accept what pays, raise prices.

Every job that arrives is the program (7), eris.best_schedule, in the state and at the prices that
it meets.  Its own solvers are "dp", "printed" and "exact"; a general one takes it as it is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.certificates.sums import exact_dot, exactly
from farkas.instances.eris import Auction, Job, Occupancy
from farkas.models.eris.prices import Prices
from farkas.numbers import Rng
from farkas.online.driver import algorithm
from farkas.online.eris import printed_scheduler, scheduler_dp
from farkas.online.eris.environment import (
    Award,
    Ledger,
    Piece,
    Proposal,
    SlotArrivals,
    SlotDecision,
    nothing,
    pieces_of,
    without_data,
)
from farkas.online.eris.printed_scheduler import printed_schedule
from farkas.online.eris.scheduler_dp import repaired_schedule
from farkas.online.policy import Increments, Policy
from farkas.relaxations.eris.payoff_bound import JobSlots, read_plans
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver, solve_subproblem
from farkas.tolerances import SIMPLEX

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.models.eris.best_schedule import PricedJobs
    from farkas.online.eris.deployment import Deployment
    from farkas.solvers.answer import Answer

Scheduler = Literal["dp", "printed", "exact"]
Floor = Annotated[float, msgspec.Meta(ge=0.0)]

NEGLIGIBLE = SIMPLEX  #: Gaps below this share of the job's worth need no solver.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Bid:
    """A job that arrives and the state that it meets: data of (7)."""

    ledger: Ledger  #: State and posted prices.
    job: Job
    seen: JobSlots  #: What the job meets.

    @classmethod
    def of(cls, ledger: Ledger, job: Job) -> Bid:
        """Meet the state now."""
        return cls(ledger, job, ledger.meet(job))

    def subproblem(self, fastest: str) -> Subproblem:
        """Return (7), in what the state leaves, with its reader."""
        from farkas.models.eris.best_schedule import BestSchedule  # here: only steps need it

        return Subproblem(BestSchedule(), self, self.read, fastest)

    def priced_jobs(self, window: int | None = None) -> PricedJobs:
        """Return the job alone, in its first ``window`` slots, by default those worth something."""
        from farkas.models.eris.best_schedule import PricedJobs

        worthy = int(np.count_nonzero(self.seen.worth > 0)) if window is None else window
        ledger, job, worthy = self.ledger, self.job, max(1, worthy)
        slots = slice(job.arrival, job.arrival + worthy)
        used = np.maximum(ledger.used[:, :, slots], 0.0)
        occupied = Occupancy(
            transfer=tuple(ledger.transferred[slots].tolist()),
            resources=tuple(tuple(tuple(row) for row in site) for site in used.tolist()),
        )
        alone = msgspec.structs.replace(job, arrival=0, utility=job.utility[:worthy])
        small = msgspec.structs.replace(
            ledger.auction, slots=worthy, jobs=(alone,), occupied=occupied
        )
        prices = Prices(ledger.prices.transfer[slots], ledger.prices.resource[:, :, slots])
        return PricedJobs(small, (0,), prices)

    def read(self, form: LinearForm, answer: Answer) -> Proposal:
        """Return the schedule of a point of (7), paid at posted prices."""
        seen = self.seen
        if seen.chunks == 0:
            return without_data(seen)

        bound = max(0.0, answer.bound_or(np.inf))
        draft = nothing(seen.window, len(seen.data), bound)
        found = read_plans(self.priced_jobs(1).auction, form, answer.point).get(0)
        if found is None:
            return draft
        finish = len(found.server) - 1
        for whole, part in zip((draft.workers, draft.server, draft.moved), found, strict=True):
            whole[: finish + 1] = part
        cost = float((draft.workers * seen.worker_price).sum())
        cost += float(seen.server_price[draft.slots, draft.server[draft.slots]].sum())
        transfer = draft.transfer(seen.chunk_size, seen.parameter_size)
        cost += float((seen.transfer_price * transfer).sum())
        payoff = float(seen.worth[finish]) - cost
        return dataclasses.replace(
            draft, payoff=payoff, finish=finish, cost=cost, bound=max(bound, payoff)
        )


def _answered(found: Proposal) -> SubproblemAnswer:
    dual = found.bound if np.isfinite(found.bound) else np.nan
    return SubproblemAnswer(found, found.payoff, dual)


@own_solver("eris.best_schedule", "dp")
def solve_by_dp(subproblem: Subproblem) -> SubproblemAnswer:
    """Algorithms 2 and 3 repaired: a schedule that can run, and a bound."""
    bid: Bid = subproblem.data
    return _answered(repaired_schedule(bid.ledger.auction, bid.job, bid.seen))


@own_solver("eris.best_schedule", "printed")
def solve_as_printed(subproblem: Subproblem) -> SubproblemAnswer:
    """Algorithms 2 and 3 to the letter: no bound, and what it says may be impossible."""
    return _answered(printed_schedule(subproblem.data.seen))


@own_solver("eris.best_schedule", "exact")
def solve_exactly(subproblem: Subproblem) -> SubproblemAnswer:
    """By dp, and where that leaves a gap by a general solver of integer programs."""
    bid: Bid = subproblem.data
    return _answered(exact_schedule(bid, repaired_schedule(bid.ledger.auction, bid.job, bid.seen)))


def exact_schedule(bid: Bid, found: Proposal) -> Proposal:
    """Best schedule of a job; ``found`` itself when its bound says that none is better.

    Raises `NoAnswer`: the solver did not finish.
    """
    worth = bid.seen.worth
    if found.bound - found.payoff <= NEGLIGIBLE * float(worth[0]):
        return found
    worthy = int(np.count_nonzero(worth > found.payoff))
    if worthy == 0:  # no slot is worth more than what was found
        return dataclasses.replace(found, bound=found.payoff)
    from farkas.models.eris.best_schedule import BestSchedule
    from farkas.solvers.session import optimum_by_any

    form = BestSchedule().form(bid.priced_jobs(worthy))
    answer = optimum_by_any(form)
    bound = min(found.bound, max(0.0, answer.bound_or(np.inf), found.payoff))
    if answer.objective > found.payoff:
        better = dataclasses.replace(bid.read(form, answer), bound=bound)
        if better.payoff > found.payoff:
            return dataclasses.replace(better, bound=max(bound, better.payoff))
    return dataclasses.replace(found, bound=bound)


def accepted(ledger: Ledger, scheduler: str) -> Iterator[tuple[int, Job, Proposal]]:
    """Run Algorithm 1 job after job; what pays is booked in the ledger, and then yielded."""
    for index, job in enumerate(ledger.auction.jobs):
        answer = solve_subproblem(Bid.of(ledger, job).subproblem(scheduler))
        found: Proposal = answer.decisions
        if found.pays:
            ledger.book(job, pieces_of(index, job, found))
            yield index, job, found


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class AuctionState:
    """State of the auction between two programs."""

    ledger: Ledger  #: Use and posted prices.
    #: awards, pieces: of the jobs of the slot that are decided already.
    awards: tuple[Award, ...] = ()
    pieces: tuple[Piece, ...] = ()
    deployment: Deployment | None = None  #: Of the next job's schedule, whose slots are placed.


@algorithm("eris.eris", source="Eris Algorithm 1", variants={"printed": {"scheduler": "printed"}})
@dataclasses.dataclass(frozen=True)
class Eris(Policy):
    """Online auction: every job gets its schedule of best payoff at posted prices, if any pays.

    Prices (6) grow exponentially with use; an accepted job pays the price of what it uses as
    posted before.  A schedule must fit what is free, which the prices alone do not ensure.

    One reading differs from the paper: schedules are not those of Algorithms 2 and 3, of which 496
    of 519 in 26 drawn auctions cannot run, some in every auction.

    Options: ``scheduler`` "dp" finds schedules that can run, with a bound on each payoff;
    "printed" is Algorithms 2 and 3 to the letter, and the run then says which schedules cannot run;
    "exact" solves a mixed-integer program wherever dp leaves a gap (small instances).
    ``solver`` asks another solver for every schedule: one of these, or a general one of integer
    programs, as "highs".
    ``price_floor`` raises every resource price by this share of what earlier jobs offered for a
    unit: with 0.5 a job is accepted only if it is worth half as much, for what it uses, as they
    were on average.  ``deploy`` states (8) for every slot of a schedule that pays, in turn, with
    the data that remain: what it places is booked where that costs less.
    """

    scheduler: Scheduler = "dp"
    price_floor: Floor = 0.0
    solver: str = ""
    deploy: bool = False

    def prepare(self, instance: Auction) -> None:
        """Have the scheduler's kernel compiled if all jobs together are worth it."""
        sizes = [(instance.slots - j.arrival, instance.sites, sum(j.data)) for j in instance.jobs]
        asked = self.solver or self.scheduler
        if asked == "printed":
            printed_scheduler.printed_plan.prepare(sum(map(printed_scheduler.steps, sizes)))
        elif asked in ("dp", "exact"):
            scheduler_dp.best_plan.prepare(sum(map(scheduler_dp.steps, sizes)))

    def start(self, known: Auction, seed: int) -> AuctionState:
        """Nothing is in use yet."""
        return AuctionState(Ledger(known, self.price_floor))

    def model(self, state: AuctionState, arrivals: SlotArrivals) -> Subproblem | None:
        """Return (7) of the slot's next job, or (8) of a slot of it; None in one without jobs."""
        if not arrivals.jobs:
            return None
        if state.deployment is not None:
            return state.deployment.subproblem()
        _, job = arrivals.jobs[len(state.awards)]
        return Bid.of(state.ledger, job).subproblem(self.scheduler)

    def round(
        self, state: AuctionState, arrivals: SlotArrivals, answer: SubproblemAnswer | None, rng: Rng
    ) -> tuple[AuctionState, SlotDecision | None]:
        """Accept the job if its schedule pays; a slot is decided with its last job."""
        if answer is None:
            return state, SlotDecision()
        index, job = arrivals.jobs[len(state.awards)]
        ledger, proposal = state.ledger.copy(), answer.decisions
        if self.deploy:
            proposal, deployment = self._deployed(state, job, proposal)
            if proposal is None:
                return dataclasses.replace(state, deployment=deployment), None
        ledger.hear(job)
        award, pieces = awarded(index, job, proposal)
        if award.accepted:
            ledger.book(job, pieces)
        awards, pieces = (*state.awards, award), (*state.pieces, *pieces)
        if len(awards) < len(arrivals.jobs):
            return AuctionState(ledger, awards, pieces), None
        return AuctionState(ledger), SlotDecision(awards, pieces)

    def _deployed(
        self, state: AuctionState, job: Job, found: Any
    ) -> tuple[Proposal | None, Deployment | None]:
        """Return the schedule once its slots are placed, until then how far they are."""
        from farkas.online.eris.deployment import Deployment  # here: only deployed runs need it

        if state.deployment is not None:
            deployment = state.deployment.placed(found)
        elif found.pays and len(found.slots):
            deployment = Deployment.of(Bid.of(state.ledger, job), found)
        else:
            return found, None
        return deployment.proposal(), deployment

    def dual(self, answers: Sequence[SubproblemAnswer]) -> tuple[float, float]:
        """Return the payoffs by (7) of the slot's jobs, and their bounds, added up."""
        some = [each for each in answers if not each.program.startswith("eris.one_shot")]
        return sum(each.value for each in some), sum(each.dual for each in some)

    def theorem(
        self, instance: Auction, state: object, decisions: Sequence[SlotDecision]
    ) -> Increments | None:
        """Return Lemma 1 with the ratio of Theorem 5, slot by slot; None with a price floor."""
        return None if self.price_floor else increments(instance, decisions)


def increments(auction: Auction, decisions: Sequence[SlotDecision]) -> Increments:
    """Increase of the dual (4) against 2 log2(γ_d γ_k) times that of the welfare, by slot.

    An accepted job adds its payoff, and what capacities are worth more at the prices after it.
    Prices are the doubles that were posted, the logarithm is rounded down.
    """
    ledger, left, right = Ledger(auction), [], []
    bases = auction.price_base_transfer, max(auction.price_base_resource, default=1.0)
    ratio = sum(2 * Fraction(math.nextafter(math.log2(base), 0.0)) for base in bases)
    for decision in decisions:
        rise = welfare = Fraction(0)
        for award in decision.awards:
            if award.accepted and award.completed is not None:
                job = auction.jobs[award.job]
                pieces = [piece for piece in decision.pieces if piece.job == award.job]
                worth = Fraction(job.utility[award.completed - job.arrival])
                welfare += worth
                rise += worth + _dearer(ledger, job, pieces)
        left.append(rise)
        right.append(ratio * welfare)
    return Increments("Eris Lemma 1 and Theorem 5", left, right)


def _dearer(ledger: Ledger, job: Job, pieces: Sequence[Piece]) -> Fraction:
    """Book pieces; return what dearer capacities add to the rent, less what the pieces cost."""
    auction, prices = ledger.auction, ledger.prices
    slots, servers = [p.slot for p in pieces], [p.server for p in pieces]
    each = [(p.slot, site, n, site != p.server) for p in pieces for site, n in p.workers]
    when, where, count, remote = np.array(each, np.int64).reshape(-1, 4).T
    sizes = [auction.chunk_size, job.parameter_size, *job.worker_demand, *job.server_demand]
    kinds = len(job.worker_demand)
    units = [np.array([p.moved for p in pieces], np.int64), count * remote]
    units += [count] * kinds + [np.ones(len(slots), np.int64)] * kinds
    paid = [prices.transfer[slots], prices.transfer[when]]
    paid += [*prices.resource[where, :, when].T, *prices.resource[servers, :, slots].T]
    exact = exactly(np.concatenate(paid))
    charged = exact.numbers * np.concatenate(units).astype(object)
    parts = np.split(charged, np.cumsum([len(each) for each in units[:-1]]))
    cost = sum(Fraction(size) * part.sum() for size, part in zip(sizes, parts, strict=True))
    cost *= Fraction(2) ** exact.exponent
    at = sorted(set(slots))
    budget = np.full(len(at), auction.transfer_budget)
    capacity = np.broadcast_to(auction.capacity[:, :, None], (*auction.capacity.shape, len(at)))
    transfer, resource = prices.transfer[at], prices.resource[:, :, at]
    ledger.book(job, pieces)
    dearer = prices.resource[:, :, at] != resource
    limits = np.concatenate([capacity[dearer], budget])
    after = np.concatenate([prices.resource[:, :, at][dearer], prices.transfer[at]])
    before = np.concatenate([resource[dearer], transfer])
    both = np.concatenate([limits, -limits]), np.concatenate([after, before])
    return exact_dot(*both) - Fraction(cost)


def awarded(index: int, job: Job, proposal: Proposal) -> tuple[Award, tuple[Piece, ...]]:
    """Return what becomes of a job that is accepted if its schedule pays, and its pieces."""
    bound = proposal.bound if np.isfinite(proposal.bound) else None
    if not proposal.pays:
        return Award(index, accepted=False, payoff_bound=bound), ()
    completed = job.arrival + proposal.finish
    return Award(index, True, completed, proposal.cost, bound), pieces_of(index, job, proposal)
