"""Program coded.assignment_truncated: no worker counts for more than the level itself."""

import dataclasses
from typing import Any

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment import MaxMin
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats


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
