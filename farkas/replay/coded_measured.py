"""A plan, replayed under what measured times guarantee: a time, enclosed.

By time t worker n has returned its l rows of master m with probability k G(t/l) at least, G the
guaranteed law of the pair (`farkas.instances.coded.Measured`): with #  of n measured times at most
t/l, G = #/n − ε, or 0.  The probability that a master has its rows rises with these, so what holds
for G holds for the true laws with the stated confidence.  It changes only where some t/l meets a
measured time; among these times the smallest at which every master is served is looked for.
"""

from __future__ import annotations

import bisect
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from farkas.errors import NotACertificate
from farkas.instances.coded import CodedComputing, Measured
from farkas.replay.base import Kept, Replayed
from farkas.replay.coded import falling
from farkas.replay.coded_chance import above, below, enclosed

PLACES = 96  #: Binary places of exponentials.

Numbers = tuple[tuple[float, ...], ...]


class MeasuredSender(NamedTuple):
    """What one worker does for one master: l in units, k, and its law."""

    load: int
    share: Fraction
    per_row: list[Fraction]  #: times at which the load is back, ascending
    margin: Fraction

    def chances(self, time: Fraction) -> tuple[float, float]:
        """Doubles not above and not below k G."""
        back = bisect.bisect_right(self.per_row, time)
        chance = self.share * max(Fraction(back, len(self.per_row)) - self.margin, Fraction(0))
        return below(chance), above(chance)


def require_margins(measured: Measured) -> None:
    """Raise `NotACertificate` unless exp(−2 n ε²) <= δ/K for every law, and so the bands hold."""
    each = (1 - Fraction(measured.confidence)) / len(measured.times)
    for times, margin in zip(measured.times, measured.margins, strict=True):
        y = 2 * len(times) * Fraction(margin) ** 2
        mantissa, halvings = falling((y.numerator << PLACES) // y.denominator, PLACES)
        late = Fraction(mantissa, 1 << PLACES) / Fraction(2) ** halvings
        if late * (1 + Fraction(1, 1 << (PLACES - 16))) > each:
            raise NotACertificate("a band of measured times is too narrow for the confidence")


def guaranteed_time(
    rows: int, senders: list[MeasuredSender], target: Fraction
) -> tuple[Fraction, Fraction] | None:
    """Enclose the smallest time at which a master is served; None where there is none.

    A plan whose probability is the target but for rounding counts as one that misses it.
    """
    times = sorted({time for one in senders for time in one.per_row})
    loads = [one.load for one in senders]

    def chance(place: int) -> tuple[Fraction, Fraction]:
        found = [one.chances(times[place]) for one in senders]
        low, high = (np.array([pair[end] for pair in found]) for end in (0, 1))
        return enclosed(loads, low, rows)[0], enclosed(loads, high, rows)[1]

    first = bisect.bisect_left(
        range(len(times)), True, key=lambda place: chance(place)[0] >= target
    )
    if first == len(times):
        return None
    early = first
    while early > 0 and chance(early - 1)[1] >= target:
        early -= 1
    return times[early], times[first]


def replay_measured(data: CodedComputing, share: Numbers, loads: Numbers, kept: Kept) -> Replayed:
    """Enclose the time that a plan guarantees.

    Parameters
    ----------
    share, loads
        [master][worker], checked as those of every plan.
    kept
        Takes what a plan breaks.

    Raises
    ------
    NotACertificate
        When a band is too narrow for the confidence.
    """
    measured = data.measured
    if measured is None:
        kept.broken.append("the instance holds no measured times")
        return Replayed.of(0, kept)
    if any(load != int(load) for row in loads for load in row):
        kept.broken.append("a load is no whole number of rows")
        return Replayed.of(0, kept)
    require_margins(measured)
    laws = [sorted(map(Fraction, times)) for times in measured.times]
    target = Fraction(data.success_probability)
    low = high = Fraction(0)
    for master, task in enumerate(data.masters):
        pairs = zip(share[master], loads[master], measured.law[master], strict=True)
        used = [(k, int(load), law) for k, load, law in pairs if k > 0 < load and law is not None]
        unit = math.gcd(*(load for _, load, _ in used)) or 1
        senders = [
            MeasuredSender(
                load // unit,
                Fraction(k),
                [load * time for time in laws[law]],
                Fraction(measured.margins[law]),
            )
            for k, load, law in used
        ]
        found = guaranteed_time(-(-task.rows // unit), senders, target)
        if found is None:
            kept.broken.append(
                f"the measured times never guarantee master {master} its {task.rows} rows with "
                f"probability {data.success_probability:g}"
            )
        else:
            low, high = max(low, found[0]), max(high, found[1])
    return Replayed.between(low, high, kept, note=said(data, measured))


def said(data: CodedComputing, measured: Measured) -> str:
    """Say what the value means."""
    return (
        f"With confidence {measured.confidence:g} every master has its rows by then with "
        f"probability {data.success_probability:g} at least, whatever the laws of which the "
        f"measured times are independent samples (bands of {len(measured.times)} laws together)."
    )
