"""Programs coded.expected and coded.expected_integer: P3 and P2 as printed."""

from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.algebra import (
    ConvexModel,
    ConvexProgram,
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
from farkas.models.coded.kernel import Pairs, first_time, reference_time, returned_share
from farkas.numbers import Floats, floats


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


class ExpectedPlans(Plans):
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

    For Pyomo only; `farkas.models.coded.expected` solves it exactly.
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


# Whole loads: P2 exactly, and what rounding costs.
#
# For fixed t the best whole load of a pair is near t/φ: l (1 − exp(c − u t/l)) is concave in
# l; G(t) is what it yields.  Rounding the real loads at the real optimum always falls short, in
# either direction: the optimum is the unique maximiser and the constraint is tight.  So t moves.


#: Share by which a better plan must be earlier, so that rounds end; far above `PRECISION`.
EARLIER = 1e-10


def best_results(data: CodedComputing, time: float) -> Floats:
    """Return what the best whole loads are expected to return, shape (masters, workers); G.

    By ``time`` >= 0, under the true law (5); 0 where forbidden.
    """
    base = np.floor(time / Pairs.of(data).time_per_row)
    tried = [np.maximum(base + more, 0.0) for more in range(-1, 3)]
    results = [loads * returned_share(data, loads, time) for loads in tried]
    return floats(np.max(results, axis=0))


def integer_time(data: CodedComputing, share: Floats) -> float:
    """Smallest t by which shares return every master's rows in expectation, loads whole.

    Infinite when a master has no worker that may serve it.
    """
    slowest = float((Pairs.of(data).speed * share).sum(axis=1).min())
    if not slowest > 0:
        return np.inf
    return first_time(
        lambda t: bool(((best_results(data, t) * share).sum(axis=1) >= data.rows).all()),
        1.0 / slowest,
    )


def best_integer_time(
    data: CodedComputing, best_share: Callable[[Floats], Floats], start: Floats
) -> float:
    """Solve P2: the smallest t at which some shares k give every master its rows.

    Time falls from the time of the current shares; at a slightly earlier time the best shares are
    computed anew, until they too fall short.  A handful of solves instead of one per bisection.

    Parameters
    ----------
    data
        The instance.
    best_share
        Maximiser k of min over masters of Σ_n g k for a matrix g, shape (masters, workers).
    start
        Shares that serve every master, for example those of P3.
    """
    rows = data.rows[:, None]
    time = integer_time(data, start)
    while True:
        gains = best_results(data, time * (1.0 - EARLIER)) / rows
        candidate = best_share(gains)
        if not (gains * candidate).sum(axis=1).min() >= 1.0:
            return time
        time = integer_time(data, candidate)


class ExpectedConvex(ConvexProgram):
    """P3 for shared workers as a convex program, without loss.  Not in the paper.

    With τ = k t and w = k l the expected results k l (1 − exp(c − u t/l)) become the perspective
    w (1 − exp(c − u τ/w)), concave in (w, τ).  Loads are in units of t₀/φ and times in units of t₀,
    t₀ the optimum with equal shares.  Forbidden pairs have no variables.
    """

    name = "coded.expected_convex"
    kind = "coded"
    sense = "min"

    def declare(self, m: ConvexModel, data: CodedComputing) -> None:
        """Build the exponential-cone program."""
        import cvxpy as cp

        unit = reference_time(data)
        pairs = Pairs.of(data)
        master, worker = np.nonzero(data.allowed)
        h = pairs.patience[master, worker]
        size = len(master)
        # rows of a full load in units of what the master needs
        portion = unit / pairs.time_per_row[master, worker] / data.rows[master]
        spent = m.variable("time_spent", (size,), nonneg=True)
        load = m.variable("load", (size,), nonneg=True)
        lost = m.variable("lost", (size,), nonneg=True)
        time = m.variable("time")
        kept = cp.multiply(portion, load - lost)
        work = (data.rates * np.where(data.allowed, data.shifts, 1.0))[master, worker]
        mine = (master == np.arange(data.num_masters)[:, None]).astype(float)
        m.constrain("6", "every_master_expects_its_rows", mine @ kept >= 1)
        m.constrain(
            "6",
            "rows_lost_to_stragglers",
            cp.constraints.ExpCone(cp.multiply(work, load) - cp.multiply(h, spent), load, lost),
        )
        its = (worker == np.arange(data.workers)[:, None]).astype(float)
        m.constrain("3c", "one_master_per_worker", its @ spent <= time)
        m.optimise(time)
