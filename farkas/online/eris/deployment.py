"""Slots of a schedule deployed one after the other, each by (8) with the data that remain."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.forms import LinearForm
from farkas.models.eris.one_shot import OneShot, SlotTask
from farkas.numbers import Ints
from farkas.online.eris.environment import Proposal
from farkas.online.eris.eris import NEGLIGIBLE, Bid
from farkas.online.eris.one_slot import bound_workloads, new_bounds
from farkas.online.eris.scheduler_dp import ROUNDS, book_slot
from farkas.relaxations.eris.payoff_bound import (
    SchedulePlan,
    cover_slot,
    job_slots,
    new_plan,
    trace_slot,
)
from farkas.solvers.answer import Answer
from farkas.solvers.session import optimum_by_any
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver

#: Chunks by site, shape (sites,), and the server's site.
SlotChoice = tuple[Ints, int]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Deployment:
    """A schedule of (7), and its slots as far as (8) has placed them anew."""

    bid: Bid
    draft: Proposal  #: That is booked where the data of some site are not processed otherwise.
    plan: SchedulePlan  #: The slots placed anew.
    remaining: Ints  #: Shape (sites,), chunks not yet processed.
    cost: float = 0.0  #: Posted, of the slots placed anew.
    done: int = 0  #: How many of the draft's slots these are.

    @classmethod
    def of(cls, bid: Bid, draft: Proposal) -> Deployment:
        """Begin with nothing placed."""
        return cls(bid, draft, new_plan.interpret(*draft.workers.shape), bid.seen.data.copy())

    @property
    def slot(self) -> int:
        """The next slot, counted from the arrival."""
        return int(self.draft.slots[self.done])

    def workload(self) -> int:
        """Chunks that the draft's workers of the next slot process with its moves."""
        seen, t = self.bid.seen, self.slot
        room = self.draft.workers[t] * seen.worker_rate // seen.epochs
        local = np.minimum(room, self.remaining)
        others = min(int(self.draft.moved[t]), int((room - local).sum()))
        return min(int(local.sum()) + others, int(self.remaining.sum()))

    def subproblem(self) -> Subproblem:
        """Return (8) of the next slot."""
        ledger, job = self.bid.ledger, self.bid.job
        state = {"transfer": ledger.transferred, "resources": np.maximum(ledger.used, 0.0).tolist()}
        auction = ledger.auction.replace(jobs=(job,), occupied=state)
        slot = job.arrival + self.slot
        task = SlotTask(auction, ledger.prices, 0, slot, self.workload(), self.remaining)
        return Subproblem(OneShot(), task, read_slot, "dp")

    def placed(self, choice: SlotChoice) -> Deployment:
        """Place the next slot."""
        plan, remaining = SchedulePlan(*(part.copy() for part in self.plan)), self.remaining.copy()
        seen, (processed, server) = self.bid.seen, choice
        cost = book_slot.function(seen, self.slot, remaining, server, processed, plan, self.cost)
        return dataclasses.replace(
            self, plan=plan, remaining=remaining, cost=cost, done=self.done + 1
        )

    def proposal(self) -> Proposal | None:
        """Return the schedule, once the last slot is placed; the draft where data remain."""
        if self.done < len(self.draft.slots) and self.remaining.any():
            return None
        if self.remaining.any() or self.cost >= self.draft.cost:
            return self.draft
        finish = int(np.flatnonzero(self.plan.server >= 0)[-1])
        payoff = float(self.bid.seen.worth[finish]) - self.cost
        bound = max(self.draft.bound, payoff)
        return Proposal(payoff, finish, self.cost, *self.plan, bound)


def read_slot(form: LinearForm, answer: Answer) -> SlotChoice:
    """Return what a point of (8) processes."""
    processed = np.rint(form.values(answer.point, "processed")).astype(np.int64)
    return processed, int(form.values(answer.point, "server").argmax())


@own_solver("eris.one_shot", "dp")
def solve_slot(subproblem: Subproblem) -> SubproblemAnswer:
    """By multipliers of the transfer row, and where these leave a gap by a general solver."""
    task: SlotTask = subproblem.data
    auction, job, many = task.auction, task.auction.jobs[task.job], task.workload
    seen = job_slots(auction, job, task.prices, auction.transferred, auction.used)
    here = seen, task.slot - job.arrival, task.remaining
    tables, bounds = np.empty((4, auction.sites + 1, many + 1)), new_bounds.interpret(many)
    bound_workloads(*here, ROUNDS, many, many, tables, bounds)
    lower, upper = float(bounds.lower[many]), float(bounds.upper[many])
    if not upper - lower <= NEGLIGIBLE * float(seen.worth[0]):
        form = subproblem.formulation.form(task)
        answer = optimum_by_any(form)
        return SubproblemAnswer(read_slot(form, answer), answer.objective, answer.bound)
    multiplier, processed = float(bounds.multiplier[many]), np.zeros(auction.sites, np.int64)
    cover_slot(*here, many, 1.0, multiplier, tables)
    server = trace_slot(*here, multiplier, tables, many, processed)
    return SubproblemAnswer((processed, server), upper, lower)
