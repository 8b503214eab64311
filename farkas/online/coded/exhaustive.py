"""The best dedicated assignment, certainly: branch and bound, and meet in the middle."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.base import Positive
from farkas.instances.coded import CodedComputing
from farkas.kernels import clock
from farkas.models.coded.kernel import Pairs, WorkerTypes
from farkas.models.coded.law import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints
from farkas.online.coded.local_search import climb, least_level
from farkas.online.coded.owner_tree import FEW, OwnerPlanner, OwnerTree
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm

if TYPE_CHECKING:
    pass

#: Nodes of a search for few masters, and for many, of whom less can be excluded.
MOST_NODES, MOST_OF_MANY = 20_000_000, 4_000_000
#: Nodes of the first part of a search, and of each further one; in between it may be stopped.
FIRST_NODES, MORE_NODES = 1_000, 200_000
MOST_PAIRED = 40
MOST_OWNERS = 3_000_000


class Owners(NamedTuple):
    """What a search for the best owners found."""

    owner: Ints  #: Shape (workers,), master of each worker.
    #: What ended the search before the owners were known to be optimal, in words; empty when
    #: nothing did.
    stopped: str = ""


def best_owner(speed: Floats) -> Ints:
    """Optimal owners: proved by branch and bound where it ends, else by an integer program.

    Parameters
    ----------
    speed
        Shape (masters, workers), >= 0; v.

    Returns
    -------
    Shape (workers,), master of each worker.

    Raises
    ------
    KeyboardInterrupt
        Where Ctrl-C ended the search.
    """
    found = search_owners(speed)
    if found.stopped:
        raise KeyboardInterrupt
    return found.owner


def search_owners(speed: Floats, seconds: float = math.inf) -> Owners:
    """As `best_owner`; a time limit or Ctrl-C leaves the best owners found until then.

    Equal workers are merged, in the search and in the integer program.  The bounds of the search
    are the prices of the linear program and others near them: for any prices the levels still
    reachable, weighted, are at most the weighted sum of what is left.

    Parameters
    ----------
    seconds
        Time limit.
    """
    from farkas.relaxations.coded.sharing import best_sharing

    begin = clock()
    start = climb(speed, greedy_owner(speed), "lexicographic")
    sharing = best_sharing(speed)
    if sharing.level == 0 or len(speed) == 1:
        return Owners(start)
    search = OwnerTree(speed, start, sharing.prices)
    late = f"the time limit of {seconds:g} s"
    try:
        while search.nodes < (MOST_NODES if len(speed) <= FEW else MOST_OF_MANY):
            if search.advance(MORE_NODES if search.nodes else FIRST_NODES):
                return Owners(search.owner)
            if clock() - begin > seconds:
                return Owners(search.owner, late)
    except KeyboardInterrupt:
        return Owners(search.owner, "Ctrl-C")
    return _by_integer_program(speed, search.owner, begin + seconds - clock(), late)


def _by_integer_program(speed: Floats, start: Ints, seconds: float, late: str) -> Owners:
    """Branch and bound of the solver, gap 0; its point is rounded, measured and improved."""
    from farkas.models.coded.assignment import UNITS, GivenByType
    from farkas.relaxations.coded.sharing import Speeds
    from farkas.solvers import Reason, solve

    types, given = WorkerTypes.given(speed), Speeds(speed)
    size = types.speed.size
    point = np.zeros(size + 1)
    point[:size] = types.counted(start).reshape(-1)
    point[-1] = UNITS * least_level(speed, start) / speed.max()
    answer = solve(GivenByType().form(given), gap=0.0, start=point, time_limit=max(seconds, 0.0))
    stops = {Reason.TIME_LIMIT: late, Reason.INTERRUPTED: "Ctrl-C"}
    stopped = stops.get(answer.reason, "")
    if not stopped:
        answer.require_optimal()
    if not answer.has_point:
        return Owners(start, stopped)
    counts = np.round(answer.point[:size]).astype(np.int64).reshape(types.speed.shape)
    found = climb(speed, types.owners(counts), "lexicographic")
    return Owners(max(found, start, key=lambda owner: least_level(speed, owner)), stopped)


def every_owner(speed: Floats) -> Ints:
    """Optimal owners by trying all, the readable reference; every worker is used.

    Raises
    ------
    NotApplicable
        With more than 3 million assignments.
    """
    masters, workers = speed.shape
    if masters**workers > MOST_OWNERS:
        raise NotApplicable(f"{masters}^{workers} assignments are too many to try; use search")
    levels = np.zeros((1, masters))
    for n in range(workers):
        levels = np.repeat(levels, masters, axis=0)
        rows = np.arange(len(levels))
        levels[rows, rows % masters] += speed[rows % masters, n]
    best = int(levels.min(axis=1).argmax())
    digits = [best // masters ** (workers - 1 - n) % masters for n in range(workers)]
    return np.array(digits, dtype=np.int64)


def meet_in_the_middle(speed: Floats) -> Ints:
    """Optimal owners for two masters: all subsets of either half, Pareto pruned.

    Raises
    ------
    NotApplicable
        With another number of masters, or more than 40 workers.
    """
    masters, workers = speed.shape
    if masters != 2 or workers > MOST_PAIRED:
        raise NotApplicable(f"meet in the middle takes 2 masters and at most {MOST_PAIRED} workers")
    half = workers // 2
    left, right = _front(speed[:, :half]), _front(speed[:, half:])
    # along the left front a rises and b falls; the best partner of each is where the levels cross
    best, pair = -1.0, (0, 0)
    for i in range(len(left[0])):
        a, b = left[0][i] + right[0], left[1][i] + right[1]
        cross = int(np.searchsorted(a - b, 0.0))
        for j in (cross - 1, cross):
            if 0 <= j < len(a) and min(a[j], b[j]) > best:
                best, pair = min(a[j], b[j]), (int(left[2][i]), int(right[2][j]))
    owner = np.ones(workers, dtype=np.int64)
    for n in range(workers):
        bits, at = (pair[0], n) if n < half else (pair[1], n - half)
        owner[n] = 0 if bits >> at & 1 else 1
    return owner


def _front(speed: Floats) -> tuple[Floats, Floats, Ints]:
    """Undominated (level of 0, level of 1, workers of 0 as bits), level of 0 ascending."""
    first, second = np.zeros(1), np.zeros(1)
    bits = np.zeros(1, dtype=np.int64)
    for n in range(speed.shape[1]):
        first = np.concatenate([first, first + speed[0, n]])
        second = np.concatenate([second + speed[1, n], second])
        bits = np.concatenate([bits, bits | (1 << n)])
        order = np.lexsort((-second, -first))
        first, second, bits = first[order], second[order], bits[order]
        record = np.concatenate([[-1.0], np.maximum.accumulate(second)[:-1]])
        keep = second > record
        first, second, bits = first[keep], second[keep], bits[keep]
    return first[::-1], second[::-1], bits[::-1]


@algorithm("coded.brute_force", source="Coded section V, benchmark 3")
@dataclasses.dataclass(frozen=True)
class BruteForce(OwnerPlanner):
    """The best dedicated assignment, with the loads of Theorem 1.

    Parameters
    ----------
    method
        ``search``: branch and bound with prices of masters, and the solver's integer program where
        that takes too long; ``enumerate``: all M^N owners, at most 3 million; ``halves``: meet in
        the middle, two masters and at most 40 workers.
    time_limit
        Seconds of a search; after them, or Ctrl-C, the best assignment found so far counts, and a
        remark says that it is not proved optimal.
    """

    method: Literal["search", "enumerate", "halves"] = "search"
    time_limit: Positive = 60.0

    def step(self, state: Any, arrivals: CodedComputing) -> tuple[str, Allocation]:
        """Plan; the state is what stopped the search early."""
        found = self.owners(Pairs.of(arrivals).speed)
        return found.stopped, dedicated_plan(arrivals, found.owner)

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Return the owners that `owners` finds."""
        return self.owners(speed).owner

    def owners(self, speed: Floats) -> Owners:
        """Choose by the method; draws nothing."""
        if self.method == "search":
            return search_owners(speed, self.time_limit)
        return Owners(
            every_owner(speed) if self.method == "enumerate" else meet_in_the_middle(speed)
        )

    def remarks(self, state: str) -> list[str]:
        """Say so when the assignment is not known to be the best."""
        if not state:
            return []
        return [f"stopped by {state}: the best assignment found so far, not proved optimal"]
