"""Programs coded.expected and coded.expected_integer: P3 and P2 as printed."""

from typing import Any

import numpy as np

from farkas.algebra import (
    Exp,
    IndexedSet,
    Param,
    PyomoProgram,
    Set,
    Sum,
    Var,
    Where,
    constraint,
    objective,
    option,
)
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing


class Plans(PyomoProgram):
    """Shares, loads and a time; forbidden pairs have no variables.  Coded (3a), (3c), (3d)."""

    kind = "coded"
    sense = "min"
    workers: str = option("shared", "dedicated")
    whole_loads = False
    least_load = 0

    def declare(self, m: Any, data: CodedComputing) -> None:
        """Declare the pairs of masters and workers, their law, and a plan.

        Raises
        ------
        NotApplicable
            When a master may use no worker.
        """
        require_served(data)
        m.masters = Set(range(data.num_masters), label="master")
        m.workers = Set(range(data.workers), label="worker")
        m.pairs = Set(np.argwhere(data.allowed), label=("master", "worker"))
        m.workers_of = IndexedSet(m.masters, _each(data.allowed), label="worker")
        m.masters_of = IndexedSet(m.workers, _each(data.allowed.T), label="master")
        m.rows = Param(m.masters, values=data.rows)
        m.rate = Param(m.pairs, values=data.rates[data.allowed])
        m.shift = Param(m.pairs, values=data.shifts[data.allowed])
        dedicated = self.workers == "dedicated"
        m.share = Var(m.pairs, upper=1, integer=dedicated, doc="k, P[it serves the master].")
        m.rows_sent = Var(
            m.pairs,
            lower=self.least_load,
            upper=self.most_rows(data),
            integer=self.whole_loads,
            initial=1,
            doc="l, the load; of an unused pair any, its share being 0.",
        )
        m.time = Var(initial=1, doc="t, in the instance's unit.")

    def most_rows(self, data: CodedComputing) -> Any:
        """Largest loads, a number or one for each pair."""
        return np.inf

    @objective
    def finish(m):
        """Time by which every master has its rows; (3a)."""
        return m.time

    @constraint("3c", "workers")
    def one_master_per_worker(m, n):
        """Shares of a worker sum to at most 1."""
        return Sum(m.share[i, n] for i in m.masters_of[n]) <= 1


class Expected(Plans):
    """Every master expects its rows in time; shares, loads and time together.  Coded (7), P3.

    As printed: non-convex, and negative instead of 0 where t < a l (see `expected_results`), which
    changes no optimum.  For Pyomo only; solve `coded.assignment_lp` (shared) or `coded.assignment`
    (dedicated) instead, they are the same problem.
    """

    name = "coded.expected"

    @constraint("6", "masters")
    def every_master_expects_its_rows(m, i):
        """A master expects its rows by t, each worker those that are not late on average."""
        return m.rows[i] <= Sum(
            m.share[i, n] * (m.rows_sent[i, n] * done(m, i, n)) for n in m.workers_of[i]
        )


class ExpectedInteger(Plans):
    """As P3 with whole loads and the true law of finishing times.  Coded (4), P2.

    For Pyomo only; `farkas.models.coded.integer` solves it exactly.
    """

    name = "coded.expected_integer"
    whole_loads = True

    @constraint("4b", "masters")
    def every_master_expects_its_rows(m, i):
        """A master expects its rows by t; before a l nothing has come back."""
        return m.rows[i] <= Sum(
            m.share[i, n] * Where(waited(m, i, n) >= 0, m.rows_sent[i, n] * done(m, i, n))
            for n in m.workers_of[i]
        )


def waited(m: Any, i: Any, n: Any) -> Any:
    """Time since the earliest at which the load can be done; t - a l."""
    return m.time - m.shift[i, n] * m.rows_sent[i, n]


def done(m: Any, i: Any, n: Any) -> Any:
    """P[T <= t] by (2), for t >= a l."""
    return 1 - Exp(-(m.rate[i, n] * waited(m, i, n) / m.rows_sent[i, n]))


def require_served(data: CodedComputing) -> None:
    """Raise `NotApplicable` when some master may use no worker at all: nothing is feasible."""
    for master in np.flatnonzero(~data.allowed.any(axis=1))[:1].tolist():
        raise NotApplicable(f"master {master} may use no worker: its completion time is infinite")


def _each(table: Any) -> list[Any]:
    return [np.flatnonzero(row) for row in table]
