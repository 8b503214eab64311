"""The best dedicated assignment, certainly: all tried, met in the middle, or an integer program."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.base import Positive
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, WorkerTypes
from farkas.models.coded.law import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints
from farkas.online.coded.environment import OwnerPlanner
from farkas.online.coded.local_search import least_level, local_optimum
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm

if TYPE_CHECKING:
    from farkas.certificates.coded_counts import Counts
    from farkas.solvers.answer import Answer

MOST_TRIED = 20_000  #: Owners that a search tries one by one; of more it solves a program.
MOST_HALVES = 20  #: Workers of two masters whose halves a search lists.
MOST_PAIRED = 40
MOST_OWNERS = 3_000_000


class Owners(NamedTuple):
    """What a search for the best owners found."""

    owner: Ints  #: Shape (workers,), master of each worker.
    #: What ended the search before the owners were known to be optimal, in words; empty when
    #: nothing did.
    stopped: str = ""


def best_owner(speed: Floats) -> Ints:
    """Optimal owners: few are tried one by one, of more the solver chooses counts of equal workers.

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

    Parameters
    ----------
    seconds
        Time limit.
    """
    from farkas.certificates.coded_counts import Counts
    from farkas.solvers import Reason

    masters, workers = speed.shape
    start = local_optimum(speed, greedy_owner(speed), "lexicographic")
    if masters == 1 or not speed.any(axis=1).all():
        return Owners(start)
    if masters == 2 and workers <= MOST_HALVES:
        return Owners(_better(speed, start, meet_in_the_middle(speed)))
    if masters**workers <= MOST_TRIED:
        return Owners(_better(speed, start, every_owner(speed)))
    answer = solve_counts(Counts.of_speeds(speed), speed, start, seconds)
    stops = {Reason.TIME_LIMIT: f"the time limit of {seconds:g} s", Reason.INTERRUPTED: "Ctrl-C"}
    stopped = stops.get(answer.reason, "")
    if not stopped:
        answer.require_optimal()
    return Owners(owners_at(speed, answer.point, start) if answer.has_point else start, stopped)


def solve_counts(
    program: Counts, speed: Floats, start: Ints, seconds: float, gap: float = 0.0
) -> Answer:
    """Let the solver choose counts of equal workers, from those of the owners ``start``."""
    from farkas.solvers import solve

    level = least_level(speed, start) / program.unit
    point = np.append(WorkerTypes.given(speed).counted(start).reshape(-1), level)
    return solve(program.form, gap=gap, start=point, time_limit=max(seconds, 0.0))


def owners_at(speed: Floats, point: Floats, start: Ints) -> Ints:
    """Owners of a point of the program of counts, improved by moves and swaps; or ``start``."""
    types = WorkerTypes.given(speed)
    counts = np.round(point[: types.speed.size]).astype(np.int64).reshape(types.speed.shape)
    return _better(speed, start, local_optimum(speed, types.owners(counts), "lexicographic"))


def _better(speed: Floats, start: Ints, found: Ints) -> Ints:
    return found if least_level(speed, found) > least_level(speed, start) else start


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
        ``search``: one of the other two where there are few owners, else the solver's integer
        program; ``enumerate``: all M^N owners, at most 3 million; ``halves``: meet in the middle,
        two masters and at most 40 workers.
    time_limit
        Seconds of the solver; after them, or Ctrl-C, the best assignment found so far counts, and a
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
