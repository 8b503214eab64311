"""Program coded.loads_dual: what a row of each master is worth in time."""

from typing import Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.owned import Owned


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
