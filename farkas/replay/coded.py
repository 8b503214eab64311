"""A plan, replayed: shares checked exactly, its completion time enclosed between two fractions.

By time t master m expects Σ w (1 − exp(u a − u t/l)) rows, w = k l (6), and is done when these are
the L it needs, that is when

    S(t) = Σ w exp(u a − u t/l)  falls to  R = Σ w − L.

S falls strictly, so the time lies between any t with S(t) > R and any with S(t) <= R.  Both are
decided in integers: R is exact, S is enclosed (`falling`).  Doubles only guess where to look.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from farkas.instances.coded import FOR_P1, CodedComputing
from farkas.portable_functions import log1p
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


def falling(y: int, places: int) -> tuple[int, int]:
    """Return m and h such that exp(-y) is about m 2**-h; y and m in units of 2**-places.

    The relative error is below δ = 2**(15 - places) for every y within a unit of the given one,
    places >= 64 and |h| <= 2**13 + 2.  With y = h ln 2 + r, 0 <= r < ln 2:

    - ln 2 is known to two units, so r to 2 |h| and, with y, to 2**14 + 6 units;
    - s = r/256 is rounded down by less than a unit; the series of exp(-s), s < 2**-8.5, is left
      after places/8 terms, with less than a unit to come, and its sum, each step of which is
      rounded by less than a unit and multiplied by s, by 1.01 units: 3.1 units relative to it;
    - a squaring doubles the relative error and rounds by a unit of at least a half: after eight,
      256 x 3.1 + 255 x 2 < 2**11 units.

    Together they stay below 2**15 units.
    """
    halvings, rest = divmod(y, log2_units(places))
    small, one = rest >> 8, 1 << places
    found = one
    for term in range(places // 8, 0, -1):
        found = one - (small * found >> places) // term
    for _ in range(8):
        found = found * found >> places
    return found, halvings


@functools.cache
def log2_units(places: int) -> int:
    """Return ln 2 = 2 Σ 3**-(2j+1) / (2j+1) in units of 2**-places, less than two too small."""
    guarded = places + 32
    return sum((2 << guarded) // (int(3**odd) * odd) for odd in range(1, guarded, 2)) >> 32


#: An enclosure is 2**-WIDTH wide, relative to the time, or as narrow as its integers can tell.
WIDTH = 47
#: Binary places of the integers, and those of Σ w / L on top, since 1 − exp(−y) may cancel.
BITS = 112
#: Halvings beyond which exp(−y) counts as 0 or as infinite.
#:
#: No w/R makes up: w is a product of two doubles and R a sum of such and an integer, so that w/R
#: lies between 2**-4250 and 2**4250 for fewer than 2**50 workers.
FARTHEST = 1 << 13
LATEST = Fraction(sys.float_info.max)  #: No run states a later time.
STEPS = 60  #: Steps of Newton's method at most; a guess that is worse costs time only.

EXPECTED = "Its time is that by which rows are expected, with a probability that is not proved."

Numbers = tuple[tuple[float, ...], ...]


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
        pairs = working_pairs(data, master, share[master], loads[master])
        found = completion(pairs, task.rows)
        if found is None and _never(pairs, task.rows):
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


def working_pairs(
    data: CodedComputing, master: int, share: tuple[float, ...], loads: tuple[float, ...]
) -> list[WorkingPair]:
    """Return the pairs that work for a master."""
    return [
        WorkingPair(
            Fraction(k) * Fraction(load), Fraction(u) * Fraction(a), Fraction(u) / Fraction(load)
        )
        for k, load, u, a in zip(share, loads, data.rate[master], data.shift[master], strict=True)
        if k > 0 and load > 0 and u is not None and a is not None
    ]


def _never(pairs: list[WorkingPair], rows: int) -> bool:
    """Whether the rows are not expected however long one waits."""
    return sum((pair.weight for pair in pairs), Fraction(0)) <= rows


def completion(pairs: list[WorkingPair], rows: int) -> tuple[Fraction, Fraction] | None:
    """Enclose the smallest t with S(t) <= R; None when there is none, or no double is as large."""
    weight = sum((pair.weight for pair in pairs), Fraction(0))
    rest = weight - rows
    if rest <= 0:
        return None
    curve = LateShare.of(pairs, rest, BITS + max(0, math.ceil(weight / rows).bit_length()))
    # exp(-y) >= 1 - y: the time is no earlier than where Σ w (1 - y) = R
    pace = sum((pair.weight * pair.slope for pair in pairs), Fraction(0))
    early = (rows + sum((pair.weight * pair.work for pair in pairs), Fraction(0))) / pace
    return enclosed_time(curve.late, curve.guess(early), WIDTH)


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
    """S/R in integers, units of 2**-places."""

    places: int  #: Binary places, >= 64.
    #: For every pair w/R as two integers, u a rounded down to units, u/l as two integers.
    parts: list[tuple[int, int, int, int, int]]

    @classmethod
    def of(cls, pairs: list[WorkingPair], rest: Fraction, places: int) -> LateShare:
        """Write pairs as integers."""
        parts = []
        for pair in pairs:
            work = (pair.work.numerator << places) // pair.work.denominator
            parts.append(
                (
                    pair.weight.numerator * rest.denominator,
                    pair.weight.denominator * rest.numerator,
                    work,
                    pair.slope.numerator,
                    pair.slope.denominator,
                )
            )
        return cls(places, parts)

    def at(self, time: Fraction) -> tuple[int, int] | None:
        """S/R and -t S'/R at a time, in units; None when a part is beyond all doubles."""
        places, total, fall = self.places, 0, 0
        farthest = FARTHEST * log2_units(places)
        for top, bottom, work, slope, per in self.parts:
            spent = (slope * time.numerator << places) // (per * time.denominator)
            if spent - work < -farthest:
                return None
            if spent - work > farthest:
                continue
            found, halvings = falling(spent - work, places)
            if halvings >= 0:
                found = found * top // (bottom << halvings)
            else:
                found = (found * top << -halvings) // bottom
            total += found
            fall += found * spent >> places
        return total, fall

    def late(self, time: Fraction) -> bool | None:
        """Whether S(time) <= R for sure, or > R; None where rounding hides it.

        A part comes out as an integer τ where it is T.  With δ = 2**(15 - places), which `falling`
        promises for y known to a unit, and less than a unit lost to the last division,

            τ (1 - δ) <= T <= (τ + 1) (1 + 2 δ).
        """
        found = self.at(time)
        if found is None:
            return False
        one = 1 << self.places
        if found[0] * (one - (1 << 15)) > one * one:
            return False
        return True if (found[0] + len(self.parts)) * (one + (1 << 16)) <= one * one else None

    def guess(self, early: Fraction) -> Fraction:
        """About where S = R: Newton's method in doubles for ln S, which is convex.

        Parameters
        ----------
        early
            No later than that, > 0.  Newton's method begins there, or where no part is above 4 R.
        """
        log2, time = log2_units(self.places), 0.0
        try:
            time = float(early)
            for top, bottom, work, slope, per in self.parts:
                least = work + (top.bit_length() - bottom.bit_length() - 1) * log2
                time = max(time, least * per / (slope << self.places))
            for _ in range(STEPS):
                found = self.at(Fraction(time))
                if found is None:
                    break
                above = (found[0] - (1 << self.places)) / (1 << self.places)
                step = float(log1p(above)) * (found[0] / found[1])
                time *= 1.0 + step
                if abs(step) < TIE:
                    break
        except (OverflowError, ZeroDivisionError):
            pass
        return Fraction(time) if 0 < time < math.inf else early
