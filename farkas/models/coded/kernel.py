"""What one worker is worth to one master: the numbers that govern every surrogate program.

At time t a load l of master m on worker n yields l (1 − exp(c − u t / l)) expected rows, c = u a.
With h > 0 the solution of h − ln(1 + h) = c the best load is t / φ, φ = h / u (14), and it yields
t u / (1 + h).  As a share of the L rows needed, per unit of time: v = u / (L (1 + h)) (17).
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats, Ints
from farkas.portable import log1p
from farkas.registry import once

#: Terms of the series of ln(1 + h) for h < 1; the first one left out is below 1e-26 of the sum.
TERMS = 25
STEPS = 8


def excess(h: npt.ArrayLike) -> Floats:
    """H − ln(1 + h) to full relative accuracy, also where it cancels.

    Parameters
    ----------
    h
        Any shape, >= 0.
    """
    h = np.asarray(h, dtype=float)
    small = np.minimum(h, 1.0)
    z = small / (2.0 + small)
    square = z * z
    tail = np.zeros_like(z)
    for j in range(TERMS, 0, -1):
        tail = square * (1.0 / (2 * j + 1) + tail)
    series = small * z - 2.0 * z * tail
    found: Floats = np.where(h < 1.0, series, h - log1p(h))
    return found


def patience(work: npt.ArrayLike) -> Floats:
    """Solve h − ln(1 + h) = work for h > 0; relative error about 1e-16 over the whole range.

    The textbook form −W₋₁(−exp(−c − 1)) − 1 underflows for c > 745 and cancels for small c.

    Parameters
    ----------
    work
        Any shape, within [1e-300, 1e300]; c = u a.

    Returns
    -------
    Same shape; h, the optimal time per row in units of the mean random part 1/u.
    """
    c = np.asarray(work, dtype=float)
    low, high = np.minimum(c, 1.0), np.maximum(c, 1.0)
    h: Floats = np.where(c < 1.0, np.sqrt(2.0 * low) + 2.0 * low / 3.0, high + log1p(high * 1.5))
    for _ in range(STEPS):
        h = h - (1.0 + h) * ((excess(h) - c) / h)
    return h


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
    h = patience(rate * np.where(allowed, data.shifts, 1.0))
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


# P[enough results]: the distribution of a sum of independent all-or-nothing loads, exactly.
#


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Owned:
    """An instance whose workers are given away."""

    data: CodedComputing  #: The instance.
    owner: Ints  #: Shape (workers,), master of each worker, −1 where idle; Ω.

    @classmethod
    def of(cls, data: Owned | CodedComputing) -> Owned:
        """Return ``data``, or an instance whose workers are split in contiguous blocks."""
        return data if isinstance(data, Owned) else cls(data, blocks_owner(data))


def blocks_owner(data: CodedComputing) -> Ints:
    """Contiguous blocks: owner of each worker, shape (workers,)."""
    sizes = [len(block) for block in data.blocks]
    return np.repeat(np.arange(data.num_masters), sizes)
