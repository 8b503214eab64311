"""The offline optimum: problem (2), corrected and linear."""

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from farkas.algebra import Param, Sum, constraint, objective, option
from farkas.instances.eris import Auction
from farkas.models.eris.schedule_rows import (
    CompactMoves,
    ExplicitMoves,
    ScheduleRows,
    sent,
    sent_by_pairs,
    when_compact,
    when_explicit,
)
from farkas.numbers import Floats
from farkas.tolerances import ROUNDING, allowed

FORGIVEN = 2 * ROUNDING  #: Share of a capacity beyond what rounding may add to any run's use of it.


class CouplingRows(ScheduleRows):
    """Rows that couple jobs, and the welfare."""

    def declare_coupling(self, m, auction: Auction) -> None:
        """Declare budget and capacities."""
        sizes = [auction.chunk_size, *(job.parameter_size for job in auction.jobs)]
        m.budget = Param(values=forgiven(np.array(auction.transfer_budget), sizes))
        units = np.concatenate([auction.worker_demand, auction.server_demand]).T.tolist()
        capacity = np.array(auction.capacity)
        for k, each in enumerate(units):
            capacity[:, k] = forgiven(capacity[:, k], each)
        m.capacity = Param(m.sites, m.resources, values=capacity)

    @constraint("2d", "busy_slots", when=when_compact)
    def transfer_of_slot(m, t):
        """Moved chunks and parameters of remote workers fit in the budget of a slot."""
        return m.budget >= Sum(sent(m, i, t) for i in m.jobs_at[t])

    @constraint("2d", "busy_slots", when=when_explicit)
    def transfer_of_moves(m, t):
        """As `transfer_of_slot`; chunks that stay at their site are not moved."""
        return m.budget >= Sum(sent_by_pairs(m, i, t) for i in m.jobs_at[t])

    @constraint("2e", "busy_slots", "sites", "resources")
    def capacity_of_site(m, t, r, k):
        """Workers and servers of all jobs fit in a site."""
        return m.capacity[r, k] >= Sum(
            m.worker_units[i, k] * m.workers[i, t, r] + m.server_units[i, k] * m.server[i, t, r]
            for i in m.jobs_at[t]
        )

    @objective
    def welfare(m):
        """Worth of all completed jobs; (2)."""
        return Sum(m.worth[i, t] * m.finished[i, t] for i, t in m.finishes)


class Offline(CouplingRows, CompactMoves, ExplicitMoves):
    """Greatest welfare when all jobs are known.  Eris (2), corrected.

    As printed, (2a) equates only totals over sites, so that one site's chunks may be processed
    twice and another's never; (2d) charges chunks that stay where they are, and charges remote
    workers once per pair of sites.  Both ways to write the moves have the same optimum.

    Capacities and budget are as runs are held to them, up to rounding: see `forgiven`.
    """

    name = "eris.offline"
    moves = option("compact", "explicit")

    def declare(self, m, data: Auction) -> None:
        """Declare all jobs on an empty system."""
        if self.moves == "compact":
            self.declare_compact(m, data, range(data.num_jobs))
        else:
            self.declare_explicit(m, data, range(data.num_jobs))
        self.declare_coupling(m, data)


class OfflineTotal(CouplingRows, CompactMoves):
    """Greatest welfare when chunks are counted over all sites together.  Eris (2a) as printed.

    Where data are makes no difference here: nothing is ever moved.  The optimum bounds that of
    eris.offline, sometimes strictly; its schedules train a biased model.
    """

    name = "eris.offline_total"
    by_site = False

    def declare(self, m, data: Auction) -> None:
        """Declare all jobs on an empty system."""
        self.declare_compact(m, data, range(data.num_jobs))
        self.declare_coupling(m, data)


def forgiven(limits: Floats, amounts: Iterable[float]) -> Floats:
    """Raise limits by `FORGIVEN` where whole numbers of ``amounts`` may exceed them by less.

    In decimals 0.1 + 0.2 fit into 0.3, as every run has it; in exact arithmetic they do not, and a
    program that forbids them does not bound runs.  Limits that no sum exceeds by so little stay.
    """
    used = [Fraction(each) for each in amounts]
    below = math.lcm(*(each.denominator for each in used))
    unit = Fraction(math.gcd(*(int(each * below) for each in used)), below)
    raised = allowed(limits, FORGIVEN)

    def apart(low: float, high: float) -> bool:
        return unit > 0 and (high == math.inf or Fraction(low) // unit < Fraction(high) // unit)

    pairs = zip(limits.ravel().tolist(), raised.ravel().tolist(), strict=True)
    found = [high if apart(low, high) else low for low, high in pairs]
    return np.array(found, dtype=float).reshape(limits.shape)
