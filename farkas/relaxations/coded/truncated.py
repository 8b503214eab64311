"""Program coded.assignment_truncated: no worker counts for more than the level itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment import MaxMin
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Bools, Floats
from farkas.tolerances import TIE


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


# Shared workers by few of their pairs, where there are many more workers than masters.
#
# At an optimum all workers but one fewer than there are masters serve one master, and prices say
# which: the master that pays most, π v.  A sample of the workers gives prices that are nearly those
# of all; so the program is solved on the pairs that pay best, and again with every pair that its
# prices prefer to those, until there is none.  Then its prices are those of the whole program.


MANY = 60  #: Workers a master from which on their number makes a sample pay.
SAMPLE = 15  #: Workers a master in a sample.
PAIRS = 2  #: Pairs of a worker that are kept at first, on average.
MOST_ROUNDS = 5

Vertex = tuple[Floats, Floats]
#: Shares and prices of a vertex, from speeds and the room of workers.
Solve = Callable[[Floats, Floats], Vertex]


def sifted(solve: Solve, speed: Floats, room: Floats) -> Vertex:
    """Return a vertex of the whole program and its prices, by ``solve`` on parts of it.

    Raises `NoAnswer`: what ``solve`` raises for the whole program.

    Parameters
    ----------
    solve
        Solves a program; a pair of speed 0 is none.
    speed
        Shape (masters, workers), >= 0; v.
    room
        Shape (workers,), how much of each may be shared out.
    """
    masters, workers = speed.shape
    if workers < MANY * masters:
        return solve(speed, room)
    some = slice(None, None, workers // (SAMPLE * masters))
    try:
        _, prices = solve(speed[:, some], room[some])
        kept = _best_pairs(prices[:, None] * speed, PAIRS * workers)
        for _ in range(MOST_ROUNDS):
            share, prices = solve(np.where(kept, speed, 0.0), room)
            worth = prices[:, None] * speed
            best = np.where(kept, worth, 0.0).max(axis=0)
            if float((worth.max(axis=0) * room).sum()) <= float((best * room).sum()) * (1.0 + TIE):
                return share, prices  # they allow all pairs no more than these
            kept |= worth > best
    except NoAnswer:  # a part may be without one where the whole is not
        pass
    return solve(speed, room)


def _best_pairs(worth: Floats, count: int) -> Bools:
    """Pairs that come nearest to the best of their worker, ``count`` of them and all as near."""
    best = worth.max(axis=0)
    near = worth / np.where(best > 0, best, 1.0)
    least = -np.partition(-near, count - 1, axis=None)[count - 1]
    return np.asarray((near >= least) & (worth > 0))


class AssignmentLp(MaxMin):
    """Workers shared by probabilities, for the slowest master.  Relaxation of Coded (18).

    For shared workers this *is* P3: for fixed t and k the best load is t/φ whatever k, and the
    expected results become t Σ v k.  So 1/t = max over k of min over masters of Σ v k.
    """

    name = "coded.assignment_lp"
