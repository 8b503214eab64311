"""A plan, replayed: shares checked exactly, its completion time enclosed between two fractions.

By time t master m expects Σ w (1 − exp(u a − u t/l)) rows, w = k l (6), and is done when these are
the L it needs, that is when

    S(t) = Σ w exp(u a − u t/l)  falls to  R = Σ w − L.

S falls strictly, so the time lies between any t with S(t) > R and any with S(t) <= R.  R is exact,
and S is enclosed by decimals, each part rounded to the side that counts.
"""

from __future__ import annotations

import decimal
import functools
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from farkas.certificates.directed_rounding import directed, exponential, quotient
from farkas.certificates.doubles import nearest
from farkas.instances.coded import FOR_P1, CodedComputing
from farkas.replay.base import (
    Entry,
    Replay,
    Requirements,
    RunDecisions,
    decoded,
    fixed,
    places,
    replays,
)
from farkas.tolerances import TIE

#: An enclosure is 2**-WIDTH wide, relative to the time, or as narrow as decimals can tell.
WIDTH = 50
#: Decimal digits of S/R, and those of Σ w / L on top, since 1 − exp(−y) may cancel.
DIGITS = 26
LATEST = Fraction(sys.float_info.max)  #: No run states a later time.
STEPS = 60  #: Steps of Newton's method at most; a guess that is worse costs time only.

EXPECTED = "Its time is that by which rows are expected, with a probability that is not proved."

Numbers = tuple[tuple[float, ...], ...]
Entries = tuple[float | None, ...]  #: Rates or shifts of a master's pairs; None where forbidden.


class PlanEntry(Entry, frozen=True, kw_only=True):
    """Shares and loads of every pair; see `farkas.models.coded.completion_times.Allocation`."""

    share: Numbers
    loads: Numbers


class WorkingPair(NamedTuple):
    """What one worker does for one master: w, u a and u/l."""

    weight: Fraction
    work: Fraction
    slope: Fraction


@replays.register("coded")
def replay(data: CodedComputing, run: RunDecisions) -> Replay:
    """Check the plan and enclose the time at which the last master expects its rows."""
    kept = Requirements()
    plans = decoded(run.decisions, list[PlanEntry])
    if len(plans) != 1:
        kept.broken.append(f"{len(plans)} decisions, one plan is wanted")
        return Replay.of(0, kept)
    share, loads = plans[0].share, plans[0].loads
    widths = [data.workers] * data.num_masters
    if [len(row) for row in share] != widths or [len(row) for row in loads] != widths:
        kept.broken.append(f"shares and loads need shape {(data.num_masters, data.workers)}")
        return Replay.of(0, kept)
    kept = plan_faults(data, share, loads)
    if run.algorithm.startswith(FOR_P1):
        from farkas.replay.coded_chance import replay_chance

        return replay_chance(data, share, loads, kept) if not kept.broken else Replay.of(0, kept)
    low = high = Fraction(0)
    endless = not kept.broken
    for master, task in enumerate(data.masters):
        found = expected_time(data, master, share[master], loads[master])
        if found is None and _sent(data, master, share[master], loads[master]) <= task.rows:
            kept.broken.append(f"master {master} never expects its {task.rows} rows")
        elif found is None:
            endless = False  # it ends, after more time than a run can state
            kept.broken.append(f"master {master} expects its {task.rows} rows beyond any double")
        elif found is not None:
            low, high = max(low, found[0]), max(high, found[1])
    ends = not kept.broken
    return Replay.between(
        low, high, kept, note=EXPECTED if ends else "", endless=endless and not ends
    )


def plan_faults(data: CodedComputing, share: Numbers, loads: Numbers) -> Requirements:
    """Shares lie in [0, 1] and add up to at most 1; loads are >= 0, and 0 where forbidden."""
    kept = Requirements()
    places(number for row in loads for number in row)  # refuses what is not finite
    after = places(number for row in share for number in row)
    for worker in range(data.workers):
        column = [fixed(row[worker], after) for row in share]
        if min(column) < 0 or not kept.within(sum(column), 1 << after):
            shares = ", ".join(f"{row[worker]:.9g}" for row in share)
            kept.broken.append(f"worker {worker} is shared out too often or too little: {shares}")
        if min(row[worker] for row in loads) < 0:
            kept.broken.append(f"worker {worker} has a negative load")
        for master, row in enumerate(loads):
            if row[worker] > 0 and column[master] > 0 and data.rate[master][worker] is None:
                kept.broken.append(f"master {master} may not use worker {worker}")
            if row[worker] > 0 and column[master] == 0:
                kept.broken.append(f"worker {worker} has a load, and no share, of master {master}")
    return kept


def expected_time(
    data: CodedComputing, master: int, share: tuple[float, ...], loads: tuple[float, ...]
) -> tuple[Fraction, Fraction] | None:
    """Enclose the time at which a master expects its rows; None when there is none, or no double.

    Who values a plan also has its value proved, so that the last plans are remembered.
    """
    return _time_of(share, loads, data.rate[master], data.shift[master], data.masters[master].rows)


@functools.lru_cache(maxsize=64)
def _time_of(
    share: tuple[float, ...], loads: tuple[float, ...], rate: Entries, shift: Entries, rows: int
) -> tuple[Fraction, Fraction] | None:
    return completion(working_pairs(share, loads, rate, shift), rows)


def _sent(
    data: CodedComputing, master: int, share: tuple[float, ...], loads: tuple[float, ...]
) -> Fraction:
    """Rows that are expected in the end, however long one waits."""
    pairs = working_pairs(share, loads, data.rate[master], data.shift[master])
    return sum((pair.weight for pair in pairs), Fraction(0))


def working_pairs(
    share: tuple[float, ...], loads: tuple[float, ...], rate: Entries, shift: Entries
) -> list[WorkingPair]:
    """Return the pairs that work for a master; all have shape (workers,)."""
    return [
        WorkingPair(
            Fraction(k) * Fraction(load), Fraction(u) * Fraction(a), Fraction(u) / Fraction(load)
        )
        for k, load, u, a in zip(share, loads, rate, shift, strict=True)
        if k > 0 and load > 0 and u is not None and a is not None
    ]


def completion(pairs: list[WorkingPair], rows: int) -> tuple[Fraction, Fraction] | None:
    """Enclose the smallest t with S(t) <= R; None when there is none, or no double is as large."""
    weight = sum((pair.weight for pair in pairs), Fraction(0))
    rest = weight - rows
    if rest <= 0:
        return None
    curve = LateShare(pairs, rest, DIGITS + len(str(math.ceil(weight / rows))))
    return enclosed_time(curve.late, curve.guess(), WIDTH)


def enclosed_time(
    late: Callable[[Fraction], bool | None], guess: Fraction, width: int
) -> tuple[Fraction, Fraction] | None:
    """Enclose the least time that is late enough; None where no double is.

    Parameters
    ----------
    late
        Whether a time is late enough; None where rounding hides it.
    guess
        About the time, > 0; a worse one takes longer.
    width
        The enclosure is 2**-width wide, relative to the time, or as narrow as ``late`` can tell.
    """
    step = guess / (2 << width)
    low, high = guess - step, guess + step
    while low > 0 and late(low) is not False:
        low -= step
        step *= 16
    low = max(low, Fraction(0))  # nothing is there at once
    step = guess / (2 << width)
    while not late(high):
        high += step
        step *= 16
        if high > 2 * LATEST:
            return None
    while (high - low) * (1 << width) > high:
        middle = (low + high) / 2
        said = late(middle)
        if said is None:
            break
        low, high = (low, middle) if said else (middle, high)
    return (low, high) if high <= LATEST else None


class LateShare(NamedTuple):
    """S/R, part by part."""

    pairs: list[WorkingPair]
    rest: Fraction  #: R, > 0.
    digits: int  #: Of decimals.

    def parts(self, time: Fraction, context: decimal.Context) -> list[decimal.Decimal]:
        """Bounds on the parts of S/R at a time, by the direction of a context."""
        return [
            context.multiply(
                quotient(pair.weight / self.rest, context),
                exponential(pair.work - pair.slope * time, context),
            )
            for pair in self.pairs
        ]

    def late(self, time: Fraction) -> bool | None:
        """Whether S(time) <= R for sure, or > R; None where rounding hides it."""
        above, below = (directed(self.digits, up=up) for up in (True, False))
        if functools.reduce(above.add, self.parts(time, above)) <= 1:
            return True
        return False if functools.reduce(below.add, self.parts(time, below)) > 1 else None

    def guess(self) -> Fraction:
        """About where S = R, > 0, a double where one is near: Newton's method for ln S.

        It is convex and falls.  The method begins where the latest part is R by itself, which is no
        later.
        """
        near = directed(self.digits, up=False)
        begins = [
            (pair.work + Fraction(near.ln(quotient(pair.weight / self.rest, near)))) / pair.slope
            for pair in self.pairs
        ]
        slopes = [quotient(pair.slope, near) for pair in self.pairs]
        time = max(Fraction(0), *begins)
        for _ in range(STEPS):
            parts = self.parts(time, near)
            total = functools.reduce(near.add, parts)
            fall = functools.reduce(near.add, map(near.multiply, parts, slopes))
            step = Fraction(near.divide(near.multiply(near.ln(total), total), fall))
            time = Fraction(quotient(time + step, near))
            if abs(step) <= time * Fraction(TIE):
                break
        short = nearest(time)
        return Fraction(short) if 0 < short < math.inf else time
