"""Programs of max-min allocation: who serves whom, so that the slowest master is fast."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, WorkerTypes, sum_above
from farkas.numbers import Floats


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Speeds:
    """Bare speeds as data of a program, in place of an instance."""

    speed: Floats  #: Shape (masters, workers), not all 0; v.
    unit: float  #: Of the objective, 1/time.


class MaxMin(Program):
    """Share workers so that the slowest master is as fast as possible."""

    kind = "coded"
    sense = "max"
    integral: ClassVar[bool] = False
    by_type: ClassVar[bool] = False  #: Whether equal workers are one column.

    def speeds(self, data: CodedComputing | Speeds) -> Floats:
        """Speeds of the pairs, shape (masters, workers), 1/time; v."""
        return data.speed if isinstance(data, Speeds) else Pairs.of(data).speed

    def scale(self, data: CodedComputing | Speeds) -> float:
        """Return the unit of the objective: the largest speed, so that numbers are near 1."""
        return data.unit if isinstance(data, Speeds) else float(self.speeds(data).max()) or 1.0

    def declare(self, m: Any, data: Any) -> None:
        """Shares k of workers, or counts of a type, and the level V of the slowest master."""
        every = self.speeds(data)
        types = WorkerTypes.given(every) if self.by_type else WorkerTypes.apart(every)
        speed = types.speed / self.scale(data)
        masters, workers = speed.shape
        m.masters = Set(range(masters), label="master")
        m.workers = Set(range(workers), label="type" if self.by_type else "worker")
        m.speed = Param(m.masters, m.workers, values=speed)
        m.size = Param(m.workers, values=types.size)
        m.share = Var(m.masters, m.workers, integer=self.integral, upper=types.size * (speed > 0))
        m.level = Var(
            # a share is at most 1; the sums are rounded up, so that the optimum is never cut off
            implied_upper=min(
                sum_above(row) for row in np.repeat(speed, types.size, axis=1).tolist()
            ),
            reason="no master is faster than with every worker",
        )

    @constraint("18a", "masters")
    def every_master_reaches_the_level(m, i):
        """Speeds of a master's workers add up to at least the level."""
        return Sum(m.speed[i, n] * m.share[i, n] for n in m.workers) >= m.level

    @constraint("3c", "workers")
    def one_master_per_worker(m, n):
        """A worker serves one master, or is shared with probabilities that sum to at most 1."""
        return Sum(m.share[i, n] for i in m.masters) <= 1

    @objective
    def slowest(m):
        """Level of the slowest master, in multiples of the largest speed."""
        return m.level


class Assignment(MaxMin):
    """Dedicated workers for the slowest master: max-min allocation.  Coded (18), P5.

    Optimum V in multiples of the largest speed max v; the completion time of P3 with dedicated
    workers is 1/(V max v).  A forbidden pair is an upper bound 0.
    """

    name = "coded.assignment"
    integral: ClassVar[bool] = True


class AssignmentByType(MaxMin):
    """Dedicated workers for the slowest master, equal workers merged: the same optimum as P5.

    P5 with variables for types of workers instead of workers (`WorkerTypes`): only how many of a
    type serve a master matters, so any optimum is one of P5, and back.  Thirty GPUs of three models
    have three columns a master instead of thirty, and none of their symmetries.  Not in the paper.
    """

    name = "coded.assignment_by_type"
    integral: ClassVar[bool] = True
    by_type: ClassVar[bool] = True

    @constraint("18b", "workers")
    def one_master_per_worker(m, n):
        """Each worker of a type serves one master at most."""
        return Sum(m.share[i, n] for i in m.masters) <= m.size[n]
