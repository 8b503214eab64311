"""The surrogate of P3 and P2, which counts *expected* results.

`ExpectedConvex` is P3 for shared workers without any loss, with exponential cones; the programs
as printed are in `farkas.models.coded.expected`.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.algebra import ConvexModel, ConvexProgram
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Bools, Floats, floats
from farkas.tolerances import ROUNDING


def returned_share(data: CodedComputing, loads: Floats, time: float) -> Floats:
    """P[T <= time] of every pair under the true law (5), shape (masters, workers).

    Parameters
    ----------
    data
        The instance.
    loads
        Shape (masters, workers), rows, >= 0; l.
    time
        >= 0; t.
    """
    used = data.allowed & (loads > 0)
    per_row = np.divide(time, loads, out=np.zeros_like(data.rates), where=used)
    late = np.where(used, per_row - np.where(used, data.shifts, 0.0), 0.0)
    with np.errstate(over="ignore"):
        return np.where(used & (late > 0), -np.expm1(-data.rates * late), 0.0)


def expected_results(
    data: CodedComputing, probability: Floats, loads: Floats, time: float, *, printed: bool = False
) -> Floats:
    """Return the expected results of every master by ``time``, shape (masters,).

    Parameters
    ----------
    probability, loads
        Shape (masters, workers); k and l.
    printed
        (6) instead of (5): negative instead of 0 where t < a l.
    """
    if not printed:
        return _by_master(probability * loads * returned_share(data, loads, time))
    return _printed(data, probability, loads, np.full(data.num_masters, time))


def surrogate_times(data: CodedComputing, probability: Floats, loads: Floats) -> Floats:
    """Smallest t at which each master expects its rows under (6), shape (masters,).

    Infinite where the loads are too few ever.  Bisection to the last bit: (6) increases in t.
    Loads that hardly suffice are summed exactly: what may be late of them is all that is left of
    two nearly equal numbers.
    """
    spare = np.where(data.allowed, probability * loads, 0.0).sum(axis=1) - data.rows
    hardly = abs(spare) <= ROUNDING * data.rows
    for master in np.flatnonzero(hardly):
        spare[master] = _exact_spare(data, probability, loads, int(master))
    reachable = spare > 0

    def enough(times: Floats) -> Bools:
        times = np.where(reachable, times, 1.0)
        found = np.asarray(_printed(data, probability, loads, times) >= data.rows)
        if not hardly.any():
            return found
        return np.where(hardly, _late(data, probability, loads, times) <= spare, found)

    low = np.zeros(data.num_masters)
    high = np.where(reachable, 1.0, np.inf)
    for power in range(1, 1024):
        short = reachable & ~enough(high)
        if not short.any():
            break
        high = np.where(short, 2.0**power, high)
    for _ in range(1100):
        middle = low + (high - low) / 2
        undecided = reachable & (middle > low) & (middle < high)
        if not undecided.any():
            break
        done = enough(middle)
        high = np.where(undecided & done, middle, high)
        low = np.where(undecided & ~done, middle, low)
    return high


def _exact_spare(data: CodedComputing, share: Floats, loads: Floats, master: int) -> float:
    """Rows beyond those that a master needs; of the right sign whatever the rounding."""
    use = data.allowed[master]
    pairs = zip(share[master, use].tolist(), loads[master, use].tolist(), strict=True)
    sent = sum((Fraction(k) * Fraction(load) for k, load in pairs), Fraction(0))
    spare = sent - data.masters[master].rows
    return float(spare) or math.copysign(math.ulp(0.0), spare) if spare else 0.0


def _late(data: CodedComputing, probability: Floats, loads: Floats, times: Floats) -> Floats:
    """Return the results of each master that are not there at its own time under (6)."""
    used, exponent = _exponent(data, probability, loads, times)
    with np.errstate(over="ignore"):
        return _by_master(np.where(used, probability * loads * np.exp(exponent), 0.0))


def _exponent(
    data: CodedComputing, probability: Floats, loads: Floats, times: Floats
) -> tuple[Bools, Floats]:
    """Pairs in use, and u a - u t/l of each, shape (masters, workers)."""
    used = data.allowed & (loads > 0) & (probability > 0)
    safe = np.where(used, loads, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        exponent = data.rates * (np.where(used, data.shifts, 0.0) - times[:, None] / safe)
    return used, np.where(used, exponent, 0.0)


def _printed(data: CodedComputing, probability: Floats, loads: Floats, times: Floats) -> Floats:
    """Return the expected results of each master at its own time under (6)."""
    used, exponent = _exponent(data, probability, loads, times)
    with np.errstate(over="ignore", invalid="ignore"):
        results = np.where(used, probability * loads * -np.expm1(exponent), 0.0)
    return _by_master(results)


def _by_master(results: Floats) -> Floats:
    return floats(results.sum(axis=1))


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


def reference_time(data: CodedComputing) -> float:
    """Completion time of P3 with equal shares k = 1/M; the unit of convex programs.

    Raises
    ------
    NotApplicable
        When some master may use no worker at all.
    """
    slowest = float(Pairs.of(data).speed.sum(axis=1).min()) / data.num_masters
    if slowest == 0:
        raise NotApplicable("a master may use no worker: its completion time is infinite")
    return 1.0 / slowest


def _groups(master: Any, data: CodedComputing) -> Any:
    import scipy.sparse as sp

    size = len(master)
    return sp.csr_array((np.ones(size), (master, np.arange(size))), (data.num_masters, size))


def _columns(worker: Any, data: CodedComputing) -> Any:
    import scipy.sparse as sp

    size = len(worker)
    return sp.csr_array((np.ones(size), (worker, np.arange(size))), (data.workers, size))
