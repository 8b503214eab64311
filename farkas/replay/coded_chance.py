"""A plan, replayed under the true law: the time by which every master has its rows, enclosed.

Worker n returns its l rows of master m by time t with probability p = k (1 − exp(u a − u t/l)), 0
before t = a l, all rows or none.  By t the master has the rows of those that returned, X; it is
served when P[X >= L] >= ρ (3b), and the run is worth the smallest t at which every master is.

P[X >= L] rises with every p and with t.  So the time lies between any t at which some master's
probability, computed with every p rounded up, is below ρ, and any t at which all of them, computed
with every p rounded down, reach it.  The exponentials are enclosed by decimals.  The sum over sets
of workers is a recursion in doubles of numbers >= 0, which adds and multiplies only; `reached` says
by how much that can be wrong.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from farkas.certificates.directed_rounding import directed, exponential
from farkas.certificates.doubles import double
from farkas.instances.coded import CodedComputing
from farkas.numbers import Floats
from farkas.replay.base import Replay, Requirements
from farkas.replay.coded import Numbers, enclosed_time
from farkas.tolerances import TINY, ULP

DIGITS = 30  #: Decimal digits of exponentials.
FARTHEST = 3000  #: Beyond this y, exp(−y) counts as 0.
#: The enclosure is 2**-WIDTH wide, relative to the time, or as narrow as rounding lets it be.
WIDTH = 40
STEPS = 100  #: Steps of the search for a guess at most; one that is worse costs time only.
LEAST = 1 / 64  #: Share of an interval by which a step of that search shortens it at least.
MOST_TIME = 2.0**1000  #: No guess is later.


class Sender(NamedTuple):
    """What one worker does for one master: l, k, u a and u/l."""

    load: int
    share: float
    work: Fraction
    slope: Fraction


class WaitingMaster(NamedTuple):
    """A master that waits for its rows."""

    rows: int
    senders: list[Sender]

    def chances(self, time: Fraction) -> tuple[Floats, Floats]:
        """Doubles not above and not below p of every worker, each shape (senders,)."""
        found = [_chance(one, time) for one in self.senders]
        return np.array([low for low, _ in found]), np.array([high for _, high in found])

    def served(self, time: Fraction, target: Fraction) -> bool | None:
        """Whether P[X >= L] at ``time`` is at least ``target``; None where rounding hides it."""
        low, high = self.chances(time)
        if enclosed(self.loads, low, self.rows)[0] >= target:
            return True
        return False if enclosed(self.loads, high, self.rows)[1] < target else None

    @property
    def loads(self) -> list[int]:
        """Rows of every worker."""
        return [one.load for one in self.senders]

    def guess(self, target: float) -> float:
        """About when the master is served, > 0: the method of false position, with halving."""
        high = float(max((one.work + 1) / one.slope for one in self.senders))
        low, below, above = 0.0, -target, self._missing(high, target)
        while above < 0 and high < MOST_TIME:
            low, below, high = high, above, 2 * high
            above = self._missing(high, target)
        for step in range(STEPS):
            if high - low <= high * 2.0**-WIDTH or not below < above:
                break
            part = 0.5 if step % 4 == 3 else min(max(-below / (above - below), LEAST), 1 - LEAST)
            middle = low + part * (high - low)
            found = self._missing(middle, target)
            if found >= 0:
                # the end that stays counts half, so that it moves soon
                high, above, below = middle, found, below / 2
            else:
                low, below, above = middle, found, above / 2
        return high

    def _missing(self, time: float, target: float) -> float:
        """P[X >= L] less the target, in doubles."""
        return reached(self.loads, self.chances(Fraction(time))[0], self.rows) - target


def _chance(sender: Sender, time: Fraction) -> tuple[float, float]:
    """Doubles not above and not below k (1 − exp(u a − u t/l))."""
    y = sender.slope * time - sender.work
    if y <= 0:
        return 0.0, 0.0
    near, share = -min(y, Fraction(FARTHEST)), Fraction(sender.share)
    least, most = (Fraction(exponential(near, directed(DIGITS, up=up))) for up in (False, True))
    if y > FARTHEST:
        least = Fraction(0)
    sides = share * (1 - min(most, Fraction(1))), share * (1 - least)
    return probability(sides[0], up=False), probability(sides[1], up=True)


def probability(value: Fraction, *, up: bool) -> float:
    """Return the double in [0, 1] that is next to a probability, on the stated side."""
    found = double(value, up=up)
    assert found is not None
    return min(found, 1.0)  # a share may exceed 1 by a rounding error


def enclosed(loads: list[int], chances: Floats, rows: int) -> tuple[Fraction, Fraction]:
    """Enclose P[X >= rows] of independent all-or-nothing loads, for the exact ``chances``.

    ``loads`` are rows of every worker, ``chances`` doubles in [0, 1].
    """
    found = Fraction(reached(loads, chances, rows))
    # every sum and product of N recursions, the 1 − p, and the sums of at most L parts
    steps = 4 * len(loads) + rows + 8
    wrong = Fraction(steps) * Fraction(ULP) * 2
    lost = Fraction(TINY) * steps * (rows + 1)
    return found * (1 - wrong) - lost, min(Fraction(1), found * (1 + wrong) + lost)


def reached(loads: list[int], chances: Floats, rows: int) -> float:
    """P[X >= rows] in doubles: one worker after the other, P[X = s] for s < rows.

    After n workers an entry is a sum of products of doubles >= 0, each of which has passed at most
    n products, n sums and n differences 1 − p, every one within half a unit in the last place or
    the smallest double; what is summed at the end, at most ``rows`` parts a worker.
    """
    mass = np.zeros(rows)
    mass[0] = 1.0
    found = 0.0
    for load, chance in zip(loads, chances.tolist(), strict=True):
        if load <= 0 or chance <= 0:
            continue
        first = max(rows - load, 0)
        found += float(mass[first:].sum()) * chance
        moved = mass[:first] * chance
        mass *= 1.0 - chance
        mass[rows - first :] += moved
    return found


def quantile(waiting: WaitingMaster, target: Fraction) -> tuple[Fraction, Fraction] | None:
    """Enclose the smallest time at which a master is served; None where there is none.

    A plan whose probability approaches the target without passing it by more than rounding counts
    as one without such a time, and so does one that no double is late enough for.
    """
    ever = np.array([min(one.share, 1.0) for one in waiting.senders])
    if enclosed(waiting.loads, ever, waiting.rows)[0] <= target:
        return None
    guess = Fraction(waiting.guess(float(target)))
    return enclosed_time(lambda time: waiting.served(time, target), guess, WIDTH)


def replay_chance(
    data: CodedComputing, share: Numbers, loads: Numbers, kept: Requirements
) -> Replay:
    """Enclose the time by which every master is served.

    Parameters
    ----------
    share, loads
        [master][worker], checked as those of every plan.
    kept
        Takes what a plan breaks.
    """
    if any(load != int(load) for row in loads for load in row):
        kept.broken.append("a load is no whole number of rows")
        return Replay.of(0, kept)
    target = Fraction(data.success_probability)
    low = high = Fraction(0)
    for master, task in enumerate(data.masters):
        found = quantile(_waiting(data, master, share[master], loads[master]), target)
        if found is None:
            kept.broken.append(
                f"master {master} never has its {task.rows} rows with probability "
                f"{data.success_probability:g}"
            )
        else:
            low, high = max(low, found[0]), max(high, found[1])
    return Replay.between(low, high, kept)


def _waiting(
    data: CodedComputing, master: int, share: tuple[float, ...], loads: tuple[float, ...]
) -> WaitingMaster:
    """Return a master and the workers that send it rows, all in units that divide every load."""
    pairs = zip(share, loads, data.rate[master], data.shift[master], strict=True)
    found = [
        Sender(int(load), k, Fraction(u) * Fraction(a), Fraction(u) / int(load))
        for k, load, u, a in pairs
        if k > 0 and load > 0 and u is not None and a is not None
    ]
    unit = math.gcd(*(one.load for one in found)) or 1
    rows = -(-data.masters[master].rows // unit)
    return WaitingMaster(rows, [one._replace(load=one.load // unit) for one in found])
