"""Prices for certificates, and the bounds they prove."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from farkas.certificates.eris import PricedAuction, certify_prices
from farkas.certificates.priced_tree import Case, PricedTree
from farkas.decomposition.column_generation import DualPoint, price_rows, price_tree
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Plans, Pricing
from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.relaxations.eris.payoff_bound import read_plans, use_of
from farkas.relaxations.eris.pricing import SchedulePricing
from farkas.solvers import Session
from farkas.solvers.session import optimum_of
from farkas.tolerances import LOOSE_GAP, SIMPLEX


class ExactPricing(Pricing):
    """Jobs as owners whose schedules a solver finds; rows are those of the program."""

    program: PricedAuction

    def __init__(self, auction: Auction) -> None:
        self.program, self.owners = PricedAuction(auction), auction.num_jobs
        transfer = np.full(auction.slots, auction.transfer_budget)
        self.rows = np.concatenate([transfer, np.repeat(auction.capacity, auction.slots)])
        self.hard, self.row_of = self.rows, np.arange(len(self.rows))
        self.place_of = np.zeros(len(self.rows), np.int64)
        self.most = np.array([job.utility[0] for job in auction.jobs])
        free = Prices.zero(auction)
        self._sessions = [Session(self._form(job, free)) for job in range(self.owners)]

    def _form(self, job: int, prices: Prices) -> LinearForm:
        """State the best schedule of a job on the empty system."""
        data = PricedJobs(self.program.instance, (job,), prices)
        return BestSchedule(capacity="full").form(data)

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """Return the payoffs, and the schedules; there are no cases."""
        from farkas.exact.solver import exact_answer  # here: other bounds of runs need no search

        payoff, noise = np.zeros(self.owners), SIMPLEX * self.most
        owners, worth, use = list[int](), list[float](), list[Floats]()
        for i, session in enumerate(self._sessions):
            form = self._form(i, Prices(*self.program.parts(prices)))
            session.update(cost=form.cost)
            answer = exact_answer(form, optimum_of(session))
            payoff[i] = max(0.0, answer.bound_or(np.inf))
            if answer.objective > noise[i]:
                value, used = self._schedule(i, form, answer.point)
                owners.append(i)
                worth.append(value)
                use.append(used)
        rows = sparse.csr_array(np.array(use).reshape(len(use), len(self.rows)))
        return payoff, Plans(np.array(owners, np.int64), np.array(worth), rows)

    def _schedule(self, i: int, form: LinearForm, point: Floats) -> tuple[float, Floats]:
        """Worth of a job's schedule at a point, and what it uses, by row."""
        auction = self.program.instance
        job, plan = auction.jobs[i], read_plans(auction, form, point).get(i)
        if plan is None:  # without data
            return job.utility[0], np.zeros(len(self.rows))
        transfer, used = use_of(auction, job, plan)
        return job.utility[len(plan.server) - 1], np.concatenate([transfer, used.ravel()])


MOST_ROUNDS = 1000  #: Of column generation.


def generate_columns(auction: Auction) -> Iterator[DualPoint]:
    """Solve the linear relaxation of (3) round by round, the programs of jobs by a solver.

    A job's optimum is compared with an exact search, of at most ten times the solver's seconds.
    Raises `NoAnswer`: the solver did not finish a job.
    """
    pricing = ExactPricing(auction)
    master = Master(pricing, Pool(pricing))
    return price_rows(pricing, master, gap=SIMPLEX, left=lambda: math.inf, rounds=MOST_ROUNDS)


def relaxation_by_columns(auction: Auction) -> DualPoint:
    """Last round of `generate_columns`; raises `NoAnswer` unless bound and value meet there."""
    *_, last = generate_columns(auction)
    if not last.rounds or last.bound - last.value > LOOSE_GAP * max(abs(last.bound), 1.0):
        raise NoAnswer(f"column generation did not meet the bound in {MOST_ROUNDS} rounds")
    return last


def aggregated_prices(auction: Auction) -> Prices:
    """Prices by columns, the same at every site."""
    pricing = SchedulePricing(auction)
    found = price_tree(pricing, gap=SIMPLEX, left=lambda: math.inf)
    return pricing.prices_of(found.prices[0])


def certify_welfare(auction: Auction) -> tuple[PricedTree, str]:
    """Prove an upper bound on every welfare, and say how; without prices all is for nothing."""
    prices = aggregated_prices(auction)
    proved = certify_prices(auction, prices.transfer, prices.resource)
    nothing = not (prices.transfer.any() or prices.resource.any())
    return proved, "everything for nothing" if nothing else "prices of all sites together"
