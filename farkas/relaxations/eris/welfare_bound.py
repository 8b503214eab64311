"""Prices for certificates, and the bounds they prove."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from farkas.certificates.eris import PricedAuction, certify_prices
from farkas.certificates.priced_tree import Case, PricedTree
from farkas.decomposition.column_generation import DualPoint, Left, price_rows, price_tree
from farkas.decomposition.master import Master, Pool
from farkas.decomposition.protocol import Plans, Pricing
from farkas.errors import NoAnswer
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats
from farkas.relaxations.eris.pricing import SchedulePricing
from farkas.solvers import Answer, Session
from farkas.solvers.session import optimum_of
from farkas.tolerances import LOOSE_GAP, SIMPLEX


class JobPricing:
    """Best schedule of one job on the empty system, again and again at other prices."""

    def __init__(self, auction: Auction, job: int) -> None:
        self.auction, self.job = auction, job
        self.program = BestSchedule(capacity="full")
        data = PricedJobs(auction, (job,), Prices.zero(auction))
        self.session = Session(self.program.form(data))

    def solve(self, prices: Prices) -> Answer:
        """Return the solver's answer at ``prices``; raises `NoAnswer` unless optimal."""
        data = PricedJobs(self.auction, (self.job,), prices)
        self.session.update(cost=self.program.form(data).cost)
        return optimum_of(self.session)

    def schedule(self, answer: Answer) -> tuple[float, Floats]:
        """Worth and usage (transfer by slot, then site x resource x slot) of the answer's point."""
        form, auction, job = self.session.form, self.auction, self.job
        parts = {
            name: np.rint(form.values(answer.point, name))
            for name in ("finished", "workers", "server", "processed", "local")
        }
        first = int(auction.arrival[job])
        count = len(parts["finished"])
        worth = float((parts["finished"] * np.array(auction.jobs[job].utility[:count])).sum())
        transfer = np.zeros(auction.slots)
        used = np.zeros(auction.used.shape)
        if len(parts["workers"]):
            remote = (parts["workers"] * (1 - parts["server"])).sum(axis=1)
            moved = (parts["processed"] - parts["local"]).sum(axis=1)
            transfer[first:] = (
                auction.chunk_size * moved + auction.jobs[job].parameter_size * remote
            )
            worker, server = auction.worker_demand[job], auction.server_demand[job]
            used[:, :, first:] = worker[:, None] * parts["workers"].T[:, None]
            used[:, :, first:] += server[:, None] * parts["server"].T[:, None]
        return worth, np.concatenate([transfer, used.ravel()])


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
        self._jobs = [JobPricing(auction, job) for job in range(auction.num_jobs)]

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """Return the payoffs that the solver claims, and the schedules; there are no cases."""
        answers = [job.solve(Prices(*self.program.parts(prices))) for job in self._jobs]
        payoff = np.array([max(0.0, answer.bound_or(np.inf)) for answer in answers])
        noise = SIMPLEX * self.most
        owners = np.flatnonzero(np.array([answer.objective for answer in answers]) > noise)
        found = [self._jobs[i].schedule(answers[i]) for i in owners.tolist()]
        use = np.array([used for _, used in found]).reshape(len(found), len(self.rows))
        worth = np.array([value for value, _ in found])
        return payoff, Plans(owners, worth, sparse.csr_array(use))


def generate_columns(
    auction: Auction, most_rounds: int = 1000, left: Left = lambda: math.inf
) -> Iterator[DualPoint]:
    """Solve the linear relaxation of (3) round by round.

    Every round prices all jobs exactly at the duals of the program of known schedules.  Bounds rest
    on the solver's claims; a proof of the prices found needs farkas.certificates.eris.  Raises
    `NoAnswer`: the solver did not finish a job.
    """
    pricing = ExactPricing(auction)
    master = Master(pricing, Pool(pricing))
    return price_rows(pricing, master, gap=SIMPLEX, left=left, rounds=most_rounds)


def relaxation_by_columns(auction: Auction, most_rounds: int = 1000) -> DualPoint:
    """Last round of `generate_columns`; raises `NoAnswer` unless bound and value meet there."""
    *_, last = generate_columns(auction, most_rounds)
    if not last.rounds or last.bound - last.value > LOOSE_GAP * max(abs(last.bound), 1.0):
        raise NoAnswer(f"column generation did not price_rows in {most_rounds} rounds")
    return last


def aggregated_prices(auction: Auction, left: Left = lambda: math.inf) -> Prices:
    """Prices by columns, the same at every site."""
    pricing = SchedulePricing(auction)
    prices = price_tree(pricing, gap=SIMPLEX, left=left).prices[0]
    return pricing.prices_of(prices)


def within(seconds: float) -> Left:
    """Count down from now."""
    end = time.monotonic() + seconds
    return lambda: max(0.0, end - time.monotonic())


def column_prices(auction: Auction, seconds: float) -> PricedTree:
    """Prices of the best round of column generation that the time allows."""
    *_, last = generate_columns(auction, left=within(seconds))
    return certify_prices(auction, *PricedAuction(auction).parts(last.prices))


def certify_welfare(auction: Auction) -> tuple[PricedTree, str]:
    """Prove an upper bound on every welfare, and say how; without prices all is for nothing."""
    prices = aggregated_prices(auction)
    proved = certify_prices(auction, prices.transfer, prices.resource)
    nothing = not (prices.transfer.any() or prices.resource.any())
    return proved, "everything for nothing" if nothing else "prices of all sites together"
