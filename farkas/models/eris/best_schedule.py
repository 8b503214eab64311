"""The schedule of best payoff at given prices: problems (5) and (7)."""

from __future__ import annotations

import dataclasses
from typing import Protocol, Self

import numpy as np

from farkas.algebra import Param, Sum, constraint, objective, option
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.models.eris.schedule_rows import (
    CompactMoves,
    ExplicitMoves,
    ScheduleRows,
    sent,
    sent_by_pairs,
    when_compact,
    when_explicit,
)


@dataclasses.dataclass(frozen=True, eq=False)
class PricedJobs:
    """Jobs that each choose a schedule for themselves, and the prices they pay."""

    auction: Auction  #: The instance; its state gives the residual capacities.
    jobs: tuple[int, ...]  #: Indices of the jobs, any number.
    prices: Prices  #: What they pay.

    @classmethod
    def of(cls, data: Auction | MeetsPrices | Self) -> PricedJobs:
        """All jobs of an instance at the prices of its state, unless chosen already."""
        if isinstance(data, PricedJobs):
            return data
        if not isinstance(data, Auction):
            return data.priced_jobs()
        return cls(data, tuple(range(data.num_jobs)), posted_on_arrival(data))


class MeetsPrices(Protocol):
    """What makes `PricedJobs` only when a program is built on it."""

    def priced_jobs(self) -> PricedJobs:
        """Return the jobs, the state and the prices."""
        ...


def payoff_of(m, volume):
    """Worth less posted cost, where a job sends a volume in a slot."""
    worth = Sum(m.worth[i, t] * m.finished[i, t] for i, t in m.finishes)
    transfer = Sum(m.transfer_price[t] * volume(m, i, t) for i, t in m.pairs)
    hosting = Sum(
        m.worker_price[i, t, r] * m.workers[i, t, r] + m.server_price[i, t, r] * m.server[i, t, r]
        for i, t in m.pairs
        for r in m.sites
    )
    return worth - transfer - hosting


class PricedSchedules(ScheduleRows):
    """What is free, what it costs, and that workers and servers fit."""

    capacity = option("residual", "full")

    def declare_prices(self, m, chosen: PricedJobs) -> None:
        """Declare what is free, and what a worker and a server cost."""
        auction, prices = chosen.auction, chosen.prices
        left = self.capacity == "residual"
        slots = np.array(m.busy_slots.members(), dtype=np.int64)
        # use may pass a capacity by a rounding error; nothing less than nothing is free
        transfer = np.maximum(0.0, auction.transfer_budget - auction.transferred * left)
        resources = np.maximum(0.0, auction.capacity[:, :, None] - auction.used * left)
        m.budget = Param(m.busy_slots, values=transfer[slots])
        m.free = Param(
            m.busy_slots, m.sites, m.resources, values=np.moveaxis(resources[:, :, slots], 2, 0)
        )
        pairs = np.array(m.pairs.members(), dtype=np.int64).reshape(-1, 2)
        cost = prices.resource[:, :, pairs[:, 1]]
        m.transfer_price = Param(m.busy_slots, values=prices.transfer[slots])
        worker, server = auction.worker_demand[pairs[:, 0]].T, auction.server_demand[pairs[:, 0]].T
        m.worker_price = Param(m.pairs, m.sites, values=(worker * cost).sum(axis=1).T)
        m.server_price = Param(m.pairs, m.sites, values=(server * cost).sum(axis=1).T)

    @constraint("7a", "pairs", when=when_compact)
    def transfer_fits(m, i, t):
        """Moved chunks and parameters of remote workers fit in what is free of the budget."""
        return m.budget[t] >= sent(m, i, t)

    @constraint("7a", "pairs", when=when_explicit)
    def transfer_of_moves(m, i, t):
        """As `transfer_fits`; chunks that stay at their site are not moved."""
        return m.budget[t] >= sent_by_pairs(m, i, t)

    @constraint("7b", "pairs", "sites", "resources")
    def schedule_fits(m, i, t, r, k):
        """Workers and server fit in what is free at a site."""
        used = m.worker_units[i, k] * m.workers[i, t, r] + m.server_units[i, k] * m.server[i, t, r]
        return used <= m.free[t, r, k]


class BestSchedule(PricedSchedules, CompactMoves):
    """Best payoff, worth less posted cost, of each job by itself.  Eris (5), (7).

    The sum over the jobs chosen; they do not compete.  ``capacity`` says where a schedule must fit:
    in what the state leaves, as Algorithm 2 demands, or in the empty system, as (4a) demands.
    """

    name = "eris.best_schedule"

    def declare(self, m, data: Auction | PricedJobs | MeetsPrices) -> None:
        """Declare the chosen jobs, and their chunks by totals."""
        chosen = PricedJobs.of(data)
        self.declare_compact(m, chosen.auction, chosen.jobs)
        self.declare_prices(m, chosen)

    @objective
    def payoff(m):
        """Worth less posted cost; (5)."""
        return payoff_of(m, sent)


class BestScheduleByPairs(PricedSchedules, ExplicitMoves):
    """Best payoff of each job by itself, every move by itself, as printed.  Eris (5), (7).

    The optimum is that of eris.best_schedule.
    """

    name = "eris.best_schedule_pairs"

    def declare(self, m, data: Auction | PricedJobs | MeetsPrices) -> None:
        """Declare the chosen jobs, and every move of their chunks."""
        chosen = PricedJobs.of(data)
        self.declare_explicit(m, chosen.auction, chosen.jobs)
        self.declare_prices(m, chosen)

    @objective
    def payoff(m):
        """Worth less posted cost; (5)."""
        return payoff_of(m, sent_by_pairs)
