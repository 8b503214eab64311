"""The best dedicated assignment, certainly: all are tried, in a tree, or by an integer program."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from farkas.instances.base import Positive
from farkas.instances.coded import CodedComputing
from farkas.kernels import clock
from farkas.models.coded.completion_times import Allocation, dedicated_plan
from farkas.models.coded.kernel import Pairs, WorkerTypes
from farkas.numbers import Floats, Ints
from farkas.online.coded.environment import OwnerPlanner
from farkas.online.coded.local_search import least_level, local_optimum
from farkas.online.coded.owner_tree import FEW, OwnerTree
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.relaxations.coded.sharing import best_sharing

if TYPE_CHECKING:
    from farkas.solvers.answer import Answer

MOST_TRIED = 20_000  #: Owners that a search tries one by one; of more it searches a tree.
FIRST_NODES, MORE_NODES = 1_000, 200_000  #: Of the first part of a tree, and of each further one.
#: Nodes for few masters, and for many, of whom less can be excluded; then a program is solved.
MOST_NODES, MOST_OF_MANY = 20_000_000, 1_000_000
UNITS = 12  #: Binary places of levels below the largest speed, against absolute tolerances.


class Owners(NamedTuple):
    """What a search for the best owners found."""

    owner: Ints  #: Shape (workers,), master of each worker.
    #: What ended the search before the owners were known to be optimal, in words; empty when
    #: nothing did.
    stopped: str = ""


def best_owner(speed: Floats) -> Ints:
    """Optimal owners, in a tree; where it has too many nodes the solver chooses counts.

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
    from farkas.solvers import Reason

    masters, workers = speed.shape
    start = local_optimum(speed, greedy_owner(speed), "lexicographic")
    if masters == 1 or not speed.any(axis=1).all():
        return Owners(start)
    if masters**workers <= MOST_TRIED:
        return Owners(_better(speed, start, every_owner(speed)))
    begin, late = clock(), f"the time limit of {seconds:g} s"
    tree = OwnerTree(speed, start, best_sharing(speed).prices)
    try:
        while tree.nodes < (MOST_NODES if masters <= FEW else MOST_OF_MANY):
            if tree.advance(MORE_NODES if tree.nodes else FIRST_NODES):
                return Owners(
                    _better(speed, start, local_optimum(speed, tree.owner, "lexicographic"))
                )
            if clock() - begin > seconds:
                return Owners(_better(speed, start, tree.owner), late)
    except KeyboardInterrupt:
        return Owners(_better(speed, start, tree.owner), "Ctrl-C")
    start = _better(speed, start, tree.owner)
    answer = solve_counts(speed, start, begin + seconds - clock())
    stops = {Reason.TIME_LIMIT: late, Reason.INTERRUPTED: "Ctrl-C"}
    stopped = stops.get(answer.reason, "")
    if not stopped:
        answer.require_optimal()
    return Owners(owners_at(speed, answer.point, start) if answer.has_point else start, stopped)


def solve_counts(speed: Floats, start: Ints, seconds: float = math.inf) -> Answer:
    """Let the solver choose counts of equal workers, from those of the owners ``start``."""
    from farkas.models.coded.assignment import AssignmentByType, Speeds
    from farkas.solvers import solve

    unit = 2.0 ** (int(np.frexp(speed.max())[1]) - UNITS)
    form = AssignmentByType().form(Speeds(speed, unit))
    level = least_level(speed, start) / unit
    point = np.append(WorkerTypes.given(speed).counted(start).reshape(-1), level)
    return solve(form, gap=0.0, start=point, time_limit=max(seconds, 0.0))


def owners_at(speed: Floats, point: Floats, start: Ints) -> Ints:
    """Owners of a point of the program of counts, improved by moves and swaps; or ``start``."""
    types = WorkerTypes.given(speed)
    counts = np.round(point[: types.speed.size]).astype(np.int64).reshape(types.speed.shape)
    return _better(speed, start, local_optimum(speed, types.owners(counts), "lexicographic"))


def _better(speed: Floats, start: Ints, found: Ints) -> Ints:
    return found if least_level(speed, found) > least_level(speed, start) else start


def every_owner(speed: Floats) -> Ints:
    """Optimal owners by trying all, the readable reference; every worker is used."""
    masters, workers = speed.shape
    levels = np.zeros((1, masters))
    for n in range(workers):
        levels = np.repeat(levels, masters, axis=0)
        rows = np.arange(len(levels))
        levels[rows, rows % masters] += speed[rows % masters, n]
    best = int(levels.min(axis=1).argmax())
    digits = [best // masters ** (workers - 1 - n) % masters for n in range(workers)]
    return np.array(digits, dtype=np.int64)


@algorithm("coded.brute_force", source="Coded section V, benchmark 3")
@dataclasses.dataclass(frozen=True)
class BruteForce(OwnerPlanner):
    """The best dedicated assignment, with the loads of Theorem 1.

    Parameters
    ----------
    time_limit
        Seconds of a search of more than 20,000 assignments: a tree with prices of masters, and a
        solver where that has too many nodes.  After them, or Ctrl-C, the best found so far counts,
        and a remark says that it is not proved optimal.
    """

    time_limit: Positive = 60.0

    def step(self, state: Any, arrivals: CodedComputing) -> tuple[str, Allocation]:
        """Plan; the state is what stopped the search early."""
        found = search_owners(Pairs.of(arrivals).speed, self.time_limit)
        return found.stopped, dedicated_plan(arrivals, found.owner)

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Search; draws nothing."""
        return search_owners(speed, self.time_limit).owner

    def remarks(self, state: str) -> list[str]:
        """Say so when the assignment is not known to be the best."""
        if not state:
            return []
        return [f"stopped by {state}: the best assignment found so far, not proved optimal"]
