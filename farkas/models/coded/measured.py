"""What measured times guarantee of every pair, whatever their law: a step function, and a speed.

With confidence 1 − δ a load of l rows is back by t with probability F(t/l) >= G(t/l), where
G(s) = max(0, F_n(s) − ε) (`farkas.instances.coded.Measured`).  It yields l G(t/l) rows at least on
average, and best t v L with

    v = max_s G(s)/s / L,

at a time per row s that is one of the measured ones, since G/s falls between them.  Whatever the
law, the best load does not depend on the share k, so that P3 is the same linear program in v: all
that was used of exponential times is that yields scale with load and time together.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing, Measured
from farkas.numbers import Floats, Ints
from farkas.registry import once


def require_measured(data: CodedComputing) -> Measured:
    """Return the measured times; raises `NotApplicable` when the instance has none."""
    if data.measured is None:
        raise NotApplicable("the instance holds no measured times (measured)")
    return data.measured


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class MeasuredPairs:
    """The derived numbers of every pair, shape (masters, workers)."""

    #: s at which G(s)/s is largest; infinite where forbidden, or where nothing is guaranteed.
    time_per_row: Floats
    speed: Floats  #: v, guaranteed share of the master's rows per unit of time; 0 there.
    law: Ints  #: Law of every pair, −1 where forbidden.
    #: times, chances: for every law the times measured, ascending, and G at each.
    times: list[Floats]
    chances: list[Floats]

    @classmethod
    def of(cls, data: CodedComputing) -> MeasuredPairs:
        """Numbers of an instance, computed once.

        Raises
        ------
        NotApplicable
            When the instance holds no measured times.
        """
        return _measured_pairs(data)

    def returned(self, master: int, workers: Ints, per_row: Floats) -> Floats:
        """Guaranteed probability of a time per row, shape (workers,); G."""
        found = np.zeros(len(workers))
        for place, (law, most) in enumerate(
            zip(self.law[master, workers].tolist(), per_row.tolist(), strict=True)
        ):
            if law >= 0:
                seen = int(np.searchsorted(self.times[law], most, side="right"))
                found[place] = self.chances[law][seen - 1] if seen else 0.0
        return found


@once
def _measured_pairs(data: CodedComputing) -> MeasuredPairs:
    measured = require_measured(data)
    law = np.array([[-1 if one is None else one for one in row] for row in measured.law])
    times = [np.sort(np.array(one)) for one in measured.times]
    chances = [
        np.maximum(np.arange(1, len(one) + 1) / len(one) - margin, 0.0)
        for one, margin in zip(times, measured.margins, strict=True)
    ]
    best, speed = np.full(len(times) + 1, np.inf), np.zeros(len(times) + 1)
    for place, (one, chance) in enumerate(zip(times, chances, strict=True)):
        pace = chance / one
        if pace.max() > 0:
            best[place], speed[place] = one[pace.argmax()], pace.max()
    # forbidden pairs, of law −1, take the last entries
    return MeasuredPairs(best[law], speed[law] / data.rows[:, None], law, times, chances)
