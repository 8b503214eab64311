"""Program coded.assignment, and the max-min structure it shares with its relaxations."""

import math
from typing import Any, ClassVar

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats
from farkas.tolerances import TIE


def sum_above(terms: list[float]) -> float:
    """Return the smallest double that is at least the exact sum of finite terms.

    >>> sum_above([0.5, 0.25]), sum_above([1.0, 2.0**-60]) == 1.0 + 2.0**-52
    (0.75, True)
    """
    total = math.fsum(terms)
    return math.nextafter(total, math.inf) if math.fsum([*terms, -total]) > 0 else total


class MaxMin(Program):
    """Share workers so that the slowest master is as fast as possible."""

    kind = "coded"
    sense = "max"
    integral: ClassVar[bool] = False

    def speeds(self, data: Any) -> Floats:
        """Speeds of the pairs, shape (masters, workers), 1/time; v."""
        return Pairs.of(data).speed

    def scale(self, data: Any) -> float:
        """Return the unit of the objective: the largest speed, so that numbers are near 1."""
        return float(self.speeds(data).max()) or 1.0

    def declare(self, m: Any, data: Any) -> None:
        """Shares k of workers and the level V of the slowest master."""
        speed = self.speeds(data) / self.scale(data)
        masters, workers = speed.shape
        m.masters = Set(range(masters), label="master")
        m.workers = Set(range(workers), label="worker")
        m.speed = Param(m.masters, m.workers, values=speed)
        m.share = Var(m.masters, m.workers, integer=self.integral, upper=(speed > 0).astype(float))
        m.level = Var(
            # a share is at most 1; the sums are rounded up, so that the optimum is never cut off
            implied_upper=min(sum_above(row) for row in speed.tolist()),
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
