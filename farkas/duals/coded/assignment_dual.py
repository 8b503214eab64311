"""Program coded.assignment_dual: prices of masters and wages of workers."""

from typing import Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.loads import Owned


class AssignmentDual(Program):
    """Dearest prices of masters whose workers earn at most 1 together.  Dual of (7), P3.

    The paper prints no dual of P3 or P5.  For shared workers 1/t is a linear program, and this is
    its dual turned around: the optimum, in units of 1/max v, is the completion time itself.  Every
    feasible point is a lower bound; x eliminated, that is t >= Σ π / Σ_n max_m π v.
    """

    name = "coded.assignment_dual"
    kind = "coded"
    sense = "max"

    def declare(self, m: Any, data: Any) -> None:
        """Price of each master and wage of each worker."""
        speed = Pairs.of(data).speed
        if not speed.max(axis=1).all():
            raise NotApplicable("a master may use no worker: its completion time is infinite")
        speed = speed / speed.max()
        masters, workers = speed.shape
        m.masters = Set(range(masters), label="master")
        m.workers = Set(range(workers), label="worker")
        m.speed = Param(m.masters, m.workers, values=speed)
        with np.errstate(over="ignore"):  # then nothing is implied
            dearest = np.nextafter(1.0 / speed.max(axis=1), np.inf)  # rounded up
        m.price = Var(
            m.masters,
            implied_upper=dearest,
            reason="the fastest worker of a master earns at most 1",
        )
        m.wage = Var(m.workers, implied_upper=1.0, reason="all wages add up to at most 1")

    @constraint("7b", "masters", "workers")
    def a_worker_earns_what_it_is_worth(m, i, n):
        """No master would pay a worker more than its wage.  Column k."""
        return m.speed[i, n] * m.price[i] <= m.wage[n]

    @constraint("7a")
    def wages_are_normalised(m):
        """Wages add up to at most 1.  Column V."""
        return Sum(m.wage[n] for n in m.workers) <= 1

    @objective
    def all_prices(m):
        """Sum of prices: the completion time in units of 1/max v."""
        return Sum(m.price[i] for i in m.masters)


class LoadsDual(Program):
    """Lagrange dual of the loads of dedicated workers, a linear program.  Coded (10)-(13).

    P4 is homogeneous in loads and time, so its Lagrangian is bounded only where
    λ Σ u/(1+h) <= 1, and then equals λ L.  There is no gap: λ* L = t*.  One multiplier a master, in
    units of its own Theorem 1 time per row; takes what `coded.loads` takes.
    """

    name = "coded.loads_dual"
    kind = "coded"
    sense = "max"

    def declare(self, m: Any, data: Any) -> None:
        """Multiplier of each master's rows."""
        owned = Owned.of(data)
        levels = owner_levels(Pairs.of(owned.data).speed, owned.owner)
        if not levels.all():
            late = int(np.flatnonzero(levels == 0)[0])
            raise NotApplicable(f"master {late} has no worker it may use: its time is infinite")
        m.masters = Set(range(len(levels)), label="master")
        m.time = Param(m.masters, values=1.0 / levels)
        m.worth = Var(m.masters, implied_upper=1.0, reason="(16) in units of t*/L")

    @constraint("11", "masters")
    def more_load_gains_nothing(m, i):
        """At the best load of every worker the Lagrangian does not fall for ever."""
        return m.worth[i] <= 1

    @objective
    def all_times(m):
        """Sum of the masters' completion times λ L."""
        return Sum(m.time[i] * m.worth[i] for i in m.masters)
