"""What one worker is worth to one master: the numbers that govern every surrogate program.

At time t a load l of master m on worker n yields l (1 − exp(c − u t / l)) expected rows, c = u a.
With h > 0 the solution of h − ln(1 + h) = c the best load is t / φ, φ = h / u (14), and it yields
t u / (1 + h).  As a share of the L rows needed, per unit of time: v = u / (L (1 + h)) (17).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing, log_excess_inverse
from farkas.numbers import Floats, Ints, floats
from farkas.registry import once
from farkas.tolerances import TIE

PRECISION = 1e-14  #: Relative width at which bisection of a time stops.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The derived numbers of every pair, shape (masters, workers)."""

    patience: Floats  #: h; infinite where forbidden.
    #: φ = h / u, so that the best load at time t is t / φ; infinite where forbidden.
    time_per_row: Floats
    #: v = u / (L (1 + h)), expected share of the master's rows per unit of time; 0 where forbidden.
    speed: Floats

    @classmethod
    def of(cls, data: CodedComputing) -> Pairs:
        """Numbers of an instance, computed once."""
        return _pairs(data)

    def loads(self, time: npt.ArrayLike) -> Floats:
        """Best real loads by ``time``, a number or shape (masters,); 0 where forbidden.  (15)."""
        return np.asarray(time, dtype=float).reshape(-1, 1) / self.time_per_row


@once
def _pairs(data: CodedComputing) -> Pairs:
    allowed = data.allowed
    rate = np.where(allowed, data.rates, 1.0)
    h = log_excess_inverse(rate * np.where(allowed, data.shifts, 1.0))
    speed = np.where(allowed, rate / (1.0 + h) / data.rows[:, None], 0.0)
    made = Pairs(np.where(allowed, h, np.inf), np.where(allowed, h / rate, np.inf), speed)
    for array in (made.patience, made.time_per_row, made.speed):
        array.setflags(write=False)
    return made


def owner_levels(speed: Floats, owner: npt.NDArray[np.int64]) -> Floats:
    """Σ_n v of the workers of each master, shape (masters,).

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    owner
        Shape (workers,), master of each worker, −1 where idle.
    """
    levels = np.zeros(len(speed))
    used = np.flatnonzero(owner >= 0)
    np.add.at(levels, owner[used], speed[owner[used], used])
    return levels


def theorem1_times(speed: Floats, owner: npt.NDArray[np.int64]) -> Floats:
    """Completion time of each master with its own workers, infinite without any.  (16)."""
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / owner_levels(speed, owner))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Ownership:
    """An instance whose workers are given away."""

    data: CodedComputing  #: The instance.
    owner: Ints  #: Shape (workers,), master of each worker, −1 where idle; Ω.

    @classmethod
    def of(cls, data: Ownership | CodedComputing) -> Ownership:
        """Return ``data``, or an instance whose workers are split in contiguous blocks."""
        return data if isinstance(data, Ownership) else cls(data, blocks_owner(data))


def blocks_owner(data: CodedComputing) -> Ints:
    """Contiguous blocks: owner of each worker, shape (workers,)."""
    sizes = [len(block) for block in data.blocks]
    return np.repeat(np.arange(data.num_masters), sizes)


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
    data: CodedComputing, probability: Floats, loads: Floats, time: float
) -> Floats:
    """Return the expected results (5) of every master by ``time``, shape (masters,).

    ``probability``, ``loads``: shape (masters, workers); k and l.
    """
    return floats((probability * loads * returned_share(data, loads, time)).sum(axis=1))


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


def sum_above(terms: list[float]) -> float:
    """Return the smallest double that is at least the exact sum of finite terms.

    >>> sum_above([0.5, 0.25]), sum_above([1.0, 2.0**-60]) == 1.0 + 2.0**-52
    (0.75, True)
    """
    total = math.fsum(terms)
    return math.nextafter(total, math.inf) if math.fsum([*terms, -total]) > 0 else total


def level(speed: Floats, share: Floats) -> float:
    """Level of the slowest master under ``share``, recomputed; 1/time.

    Parameters
    ----------
    speed, share
        Shape (masters, workers).
    """
    return float((speed * share).sum(axis=1).min())


def tidy(share: Floats) -> Floats:
    """Shares within [0, 1] whose columns sum to at most 1, from a solver's point."""
    clean = np.clip(share, 0.0, 1.0)
    clean[clean < TIE] = 0.0
    return np.asarray(clean / np.maximum(1.0, clean.sum(axis=0)))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class WorkerTypes:
    """Workers that are equally fast for every master, to the last bit, are of one type."""

    speed: Floats  #: Shape (masters, types); v of one worker of the type.
    of: Ints  #: Shape (workers,), type of each worker; types are numbered by their first worker.

    @classmethod
    def given(cls, speed: Floats) -> WorkerTypes:
        """Types of workers of given speeds, shape (masters, workers)."""
        _, first, of = np.unique(speed, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return cls(speed[:, first[order]], place[of.reshape(-1)])

    @classmethod
    def apart(cls, speed: Floats) -> WorkerTypes:
        """Take every worker for a type of its own."""
        return cls(speed, np.arange(speed.shape[1]))

    @property
    def size(self) -> Ints:
        """Workers of each type, shape (types,)."""
        return np.bincount(self.of, minlength=self.speed.shape[1])

    def counted(self, owner: Ints) -> Ints:
        """Return how many workers of each type a master owns, shape (masters, types)."""
        counts = np.zeros(self.speed.shape, np.int64)
        used = np.flatnonzero(owner >= 0)
        np.add.at(counts, (owner[used], self.of[used]), 1)
        return counts

    def owners(self, counts: Ints) -> Ints:
        """Return owners with these counts, shape (workers,); first masters own first workers.

        A worker that is left over goes to the master it is fastest for.
        """
        owner = np.empty(len(self.of), np.int64)
        masters = np.arange(len(self.speed))
        for kind, best in enumerate(self.speed.argmax(axis=0).tolist()):
            mine = np.flatnonzero(self.of == kind)
            given = np.repeat(masters, counts[:, kind])[: len(mine)]
            owner[mine] = np.concatenate([given, np.full(len(mine) - len(given), best)])
        return owner
