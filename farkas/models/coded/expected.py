"""Programs coded.expected and coded.expected_integer: P3 and P2 as printed."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

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
from farkas.models.coded.kernel import Pairs, first_time, reference_time
from farkas.numbers import Floats, Ints


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


def best_loads(data: CodedComputing, time: float) -> tuple[Floats, Ints]:
    """Best whole loads by ``time`` and their expected results, each shape (masters, workers).

    Parameters
    ----------
    data
        The instance.
    time
        >= 0; t.

    Returns
    -------
    G(t) under the true law (5), 0 where forbidden, and its loads.
    """
    pairs = Pairs.of(data)
    base = np.floor(time / pairs.time_per_row)
    loads = np.maximum(base + np.arange(-1, 3).reshape(4, 1, 1), 0.0)
    used = data.allowed & (loads > 0)
    late = np.divide(time, loads, out=np.zeros_like(loads), where=used)
    late = np.where(used, late - np.where(data.allowed, data.shifts, 0.0), 0.0)
    with np.errstate(over="ignore"):
        results = np.where(used & (late > 0), loads * -np.expm1(-data.rates * late), 0.0)
    best = results.argmax(axis=0)[None]
    chosen = np.take_along_axis(np.where(used, loads, 0.0), best, 0)[0]
    return np.take_along_axis(results, best, 0)[0], chosen.astype(np.int64)


def integer_time(data: CodedComputing, master: int, workers: npt.ArrayLike) -> float:
    """Smallest t by which ``workers`` return the master's rows in expectation, loads whole.

    Infinite when none of them may serve it.
    """
    chosen = np.asarray(workers, dtype=np.int64)
    speed = Pairs.of(data).speed[master, chosen].sum()
    if not speed > 0:
        return np.inf
    return first_time(
        lambda t: best_loads(data, t)[0][master, chosen].sum() >= data.rows[master], 1.0 / speed
    )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class IntegerPlan:
    """A solution of P2: shares and whole loads, shape (masters, workers), and its time."""

    share: Floats
    loads: Ints
    time: float


def best_integer_plan(
    data: CodedComputing, best_share: Callable[[Floats], Floats], start: Floats
) -> IntegerPlan:
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
    share, time = start, _time_of(data, start)
    while True:
        earlier = time * (1.0 - EARLIER)
        gains = best_loads(data, earlier)[0] / rows
        candidate = best_share(gains)
        if not (gains * candidate).sum(axis=1).min() >= 1.0:
            return IntegerPlan(share, best_loads(data, time)[1], time)
        share, time = candidate, _time_of(data, candidate)


def _time_of(data: CodedComputing, share: Floats) -> float:
    slowest = float((Pairs.of(data).speed * share).sum(axis=1).min())

    def enough(time: float) -> bool:
        results = best_loads(data, time)[0] * share
        return bool((results.sum(axis=1) >= data.rows).all())

    return first_time(enough, 1.0 / slowest)


# The surrogate of P3 and P2, which counts *expected* results.
#
# `ExpectedConvex` is P3 for shared workers without any loss, with exponential cones; the programs
# as printed are in `farkas.models.coded.expected`.


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
        m.constrain("6", "every_master_expects_its_rows", _groups(master, data) @ kept >= 1)
        m.constrain(
            "6",
            "rows_lost_to_stragglers",
            cp.constraints.ExpCone(cp.multiply(work, load) - cp.multiply(h, spent), load, lost),
        )
        m.constrain("3c", "one_master_per_worker", _columns(worker, data) @ spent <= time)
        m.optimise(time)


def _groups(master: Any, data: CodedComputing) -> Any:
    import scipy.sparse as sp

    size = len(master)
    return sp.csr_array((np.ones(size), (master, np.arange(size))), (data.num_masters, size))


def _columns(worker: Any, data: CodedComputing) -> Any:
    import scipy.sparse as sp

    size = len(worker)
    return sp.csr_array((np.ones(size), (worker, np.arange(size))), (data.workers, size))
