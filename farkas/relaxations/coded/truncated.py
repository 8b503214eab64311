"""Program coded.assignment_truncated: no worker counts for more than the level itself."""

import dataclasses
from typing import Any

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment import MaxMin
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats
from farkas.relaxations.coded.assignment_lp import best_sharing
from farkas.tolerances import LEVEL

HALVINGS = 60


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Capped:
    """An instance with a cap on speeds, 1/time."""

    data: CodedComputing
    cap: float


class AssignmentTruncated(MaxMin):
    """The linear program with speeds cut to a cap; bounds the dedicated optimum.  Not in the paper.

    A dedicated assignment of level V keeps it when speeds are cut to V, so V is at most the largest
    cap that the program itself reaches (`truncated_level`).  That repairs the gap of the linear
    program where one worker dominates.  Takes a `Capped`, or an instance, whose cap then is the
    slowest master's level with every worker.
    """

    name = "coded.assignment_truncated"

    def speeds(self, data: Any) -> Floats:
        """Return min(v, cap)."""
        if isinstance(data, Capped):
            return np.asarray(np.minimum(Pairs.of(data.data).speed, data.cap))
        speed = Pairs.of(data).speed
        return np.asarray(np.minimum(speed, speed.sum(axis=1).min()))


def truncated_level(speed: Floats) -> float:
    """Largest V <= V_LP with LP(min(v, V)) >= V, by bisection; 1/time.

    The upper end of the last interval is returned: every level above it was refuted, so it is the
    end that bounds the dedicated optimum.  Where no dedicated assignment serves every master it
    is therefore a tiny positive number, not 0.

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    """
    high = best_sharing(speed).level
    if high == 0 or _reaches(speed, high):
        return high
    low = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _reaches(speed, middle):
            low = middle
        else:
            high = middle
    return high


def _reaches(speed: Floats, cap: float) -> bool:
    # in multiples of the cap, so that tiny levels are as accurate as others
    return best_sharing(np.minimum(speed / cap, 1.0)).level >= 1.0 - LEVEL
