"""Programs dps.interval_ip and dps.interval_lp: all servers of a type as one."""

from typing import Any, ClassVar

import numpy as np

from farkas.algebra import Param, Sum, Var, objective, option
from farkas.instances.dps import Market
from farkas.models.dps.windows import TypeCapacity
from farkas.numbers import Floats, Ints
from farkas.tolerances import allowed


def demand_bound(market: Market, worker: Floats, ps: Floats) -> float:
    """Payments of all jobs that can afford the prices, whether or not they fit.  DPS (3), 2nd term.

    ``worker``, ``ps``: prices, shapes (worker types,), (server types,).
    """
    asked = market.asked(worker, ps)
    return float(asked[asked <= allowed(market.budget)].sum())


def printed_bound(market: Market, worker: Floats, ps: Floats) -> float:
    """Right-hand side of (3) as printed, which is no bound.

    Its first term multiplies a price with units and unused slots, although a job pays once; it
    vanishes when jobs run as long as the horizon.  Runtimes are averaged over all jobs of a type.
    """
    supply = 0.0
    for side, price in zip(market.sides, (worker, ps), strict=True):
        for kind in np.unique(side.types):
            mean = float(market.least_runtime[side.types == kind].mean())
            supply += float(price[kind]) * int(side.capacity[kind]) * (market.horizon - mean)
    return min(demand_bound(market, worker, ps), supply)


def corrected_bound(market: Market, worker: Floats, ps: Floats) -> float:
    """Bound on the profit of fixed prices: demand, and units times the sales each can make.

    A unit starts a job at most once in as many arrival slots as the shortest job holds it.
    """
    asked = market.asked(worker, ps)
    able = (asked <= allowed(market.budget)) & market.fits
    supply = 0.0
    for side, price in zip(market.sides, (worker, ps), strict=True):
        for kind in np.unique(side.types[able]):
            jobs = np.flatnonzero(able & (side.types == kind))
            held = fewest_slots(market)[jobs].min()
            span = market.arrival[jobs].max() - market.arrival[jobs].min() + held
            supply += float(price[kind]) * int(side.capacity[kind]) * int(span // held)
    return min(float(asked[able].sum()), supply)


def fewest_slots(market: Market) -> Ints:
    """Arrival slots in which a job holds its units at the least, shape (jobs,)."""
    runtime = market.least_runtime
    closed = market.occupancy == "closed"
    held = np.floor(runtime) + 1 if closed else np.maximum(1.0, np.ceil(runtime))
    return held.astype(np.int64)


class Interval(TypeCapacity):
    """Jobs as intervals that share the capacity of their types.  Relaxes DPS (2).

    A job holds its units for the shortest time any placement allows.  ``rewards``: "budget";
    "capped", the budget or the most a capped price yields; "fixed", payments at the instance's
    fixed prices, which bounds the profit of these prices.  ``shape``: "cliques" states capacity
    per maximal clique of intervals; "scarce" leaves out cliques that all find units at once, which
    no optimum needs.  With one server the integer program is DPS (2).
    """

    sense = "max"
    integral: ClassVar[bool] = True
    rewards: str = option("budget", "capped", "fixed")
    shape: str = option("cliques", "scarce")

    def reward(self, data: Market) -> Floats:
        """Return what an accepted job counts, shape (jobs,)."""
        if self.rewards == "budget":
            return data.budget
        if self.rewards == "fixed":
            asked = data.asked(*data.require_prices(self.full_name))
            return np.where(asked <= allowed(data.budget), asked, 0.0)
        data.require_cap(self.full_name)
        return data.capped_reward

    def declare(self, m: Any, data: Market) -> None:
        """Declare jobs, and rows of both sides."""
        self.declare_jobs(m, data, self.shape == "scarce")
        m.reward = Param(m.jobs, values=self.reward(data))
        m.accepted = Var(m.jobs, integer=self.integral, upper=data.fits, doc="Job accepted; f.")

    @objective
    def payments(m):
        """Rewards of the accepted jobs."""
        return Sum(m.reward[i] * m.accepted[i] for i in m.jobs)


class IntervalIP(Interval):
    """Best set of jobs when all servers of a type count as one.  Relaxes DPS (2)."""

    name = "dps.interval_ip"


class IntervalLP(Interval):
    """Best fractions of jobs when all servers of a type count as one.  Relaxes DPS (2)."""

    name = "dps.interval_lp"
    integral = False
