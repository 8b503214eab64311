"""Whole loads: P2 exactly, and what rounding costs.

For fixed t the best whole load of a pair is near t/φ, because l (1 − exp(c − u t/l)) is concave in
l; G(t) is what it yields.  Rounding the real loads at the real optimum always falls short, in
either direction: the optimum is the unique maximiser and the constraint is tight.  So t moves.
"""

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats, Ints

PRECISION = 1e-14  #: Relative width at which bisection of a time stops.
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


def first_time(enough: Callable[[float], bool], low: float, precision: float = PRECISION) -> float:
    """Smallest time from ``low`` > 0 on for which ``enough``, a monotone predicate, is true.

    Doubling, then bisection to a relative ``precision``; the end that is enough is returned.
    """
    if enough(low):
        return low
    high = low
    while not enough(high):
        low, high = high, 2 * high
    while high - low > precision * high:
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


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
