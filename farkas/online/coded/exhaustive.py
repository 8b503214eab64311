"""The best dedicated assignment, certainly: branch and bound, and meet in the middle."""

import dataclasses
import math
from typing import Any, Literal, NamedTuple

import numpy as np

from farkas.compiled import Floats1, Floats2, Ints1, Out, clock, compiled
from farkas.errors import NotApplicable
from farkas.instances.base import Positive
from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment_by_type import AssignmentByType, WorkerTypes
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.plans import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints
from farkas.online.coded.local_search import climb
from farkas.online.coded.owners import OwnerPlanner
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.relaxations.coded.sharing import Speeds, best_sharing
from farkas.solvers import Reason, solve

MOST_NODES = 4_000_000
FIRST_NODES, MORE_NODES = 1_000, 200_000
"""Nodes of the first part of a search, and of each further one; in between it may be stopped."""
MOST_PAIRED = 40
MOST_OWNERS = 3_000_000
UNITS = 2.0**12


class _Given(AssignmentByType):
    """The same program on given speeds, in small units against absolute tolerances."""

    def speeds(self, data: Speeds) -> Floats:
        """Return the speeds themselves."""
        return data.speed

    def scale(self, data: Speeds) -> float:
        """Return a unit of 2^-12 of the largest speed."""
        return super().scale(data) / UNITS


def least_level(speed: Floats, owner: Ints) -> float:
    """Level of the slowest master, 1/time."""
    return float(owner_levels(speed, owner).min())


class Owners(NamedTuple):
    """What a search for the best owners found.

    Parameters
    ----------
    owner
        Shape (workers,), master of each worker.
    stopped
        What ended the search before the owners were known to be optimal, in words; empty when
        nothing did.
    """

    owner: Ints
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
    are the prices of the linear program: for any prices the levels still reachable, weighted, are
    at most the weighted sum of what is left.

    Parameters
    ----------
    seconds
        Time limit.
    """
    begin = clock()
    start = climb(speed, greedy_owner(speed), "lexicographic")
    sharing = best_sharing(speed)
    if sharing.level == 0 or len(speed) == 1:
        return Owners(start)
    search = OwnerTree(speed, start, sharing.prices)
    late = f"the time limit of {seconds:g} s"
    try:
        while search.nodes < MOST_NODES:
            if search.advance(MORE_NODES if search.nodes else FIRST_NODES):
                return Owners(search.owner)
            if clock() - begin > seconds:
                return Owners(search.owner, late)
    except KeyboardInterrupt:
        return Owners(search.owner, "Ctrl-C")
    return _by_integer_program(speed, search.owner, begin + seconds - clock(), late)


class OwnerTree:
    """A search of all owners, depth first, that can be continued.

    Equal workers follow one another and get masters in ascending order: one order of each choice.

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    start
        Shape (workers,), owners to beat.
    prices
        Shape (masters,), >= 0, not all 0; any, good ones prune better.
    """

    def __init__(self, speed: Floats, start: Ints, prices: Floats) -> None:
        types = WorkerTypes.given(speed).of
        self._order = np.lexsort((types, -speed.max(axis=0)))
        self._start = start
        self._speed = speed
        masters, workers = speed.shape
        table = speed[:, self._order] / speed.max()
        price = prices / prices.sum()
        rest, worth = np.zeros((masters, workers + 1)), np.zeros(workers + 1)
        rest[:, :-1] = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
        worth[:-1] = np.cumsum((price[:, None] * table).max(axis=0)[::-1])[::-1]
        again = np.zeros(workers + 1, np.int64)
        again[1:-1] = np.diff(types[self._order]) == 0
        best = start[self._order].astype(np.int64)
        self._limits = Limits(table, rest, price, worth, again)
        self._search = OwnerSearch(
            best=best,
            record=np.array([least_level(table, best)]),
            choice=np.full(workers, -1, np.int64),
            levels=np.zeros((workers + 1, masters)),
            at=np.zeros(2, np.int64),
        )

    @property
    def nodes(self) -> int:
        """Nodes visited."""
        return int(self._search.at[1])

    @property
    def owner(self) -> Ints:
        """Best owners so far, also where an interrupt left a record half written."""
        owner = np.empty_like(self._search.best)
        owner[self._order] = self._search.best
        return max(owner, self._start, key=lambda own: least_level(self._speed, own))

    def advance(self, nodes: int) -> bool:
        """Visit so many nodes more; returns whether the search ended."""
        return dive(self._limits, self._search, self.nodes + nodes)


class Limits(NamedTuple):
    """What workers from any one on can still add, fastest worker first."""

    speed: Floats2  # (masters, workers)
    rest: Floats2  # (masters, workers + 1), to each master
    price: Floats1  # (masters,), sums to 1
    worth: Floats1  # (workers + 1,), at these prices
    again: Ints1  # (workers + 1,), whether equal to the worker before


class OwnerSearch(NamedTuple):
    """Where a search stands."""

    best: Ints1  # (workers,), owners to beat
    record: Floats1  # [their least level]
    choice: Ints1  # (workers,), owner tried, -1 for none
    levels: Floats2  # (workers + 1, masters), with the first workers only
    at: Ints1  # [workers placed, nodes visited]


@compiled(steps=lambda limits, search, most_nodes: most_nodes * len(limits.price))
def dive(limits: Limits, search: Out[OwnerSearch], most_nodes: int) -> bool:
    """Search depth first from where the search stands; returns whether it ended.

    A node is left where some master cannot beat the record even with all workers to come, or where
    the weighted levels cannot: for weights that sum to 1 they are at least the least level.
    """
    masters, workers = limits.speed.shape
    levels, choice = search.levels, search.choice
    depth = search.at[0]
    while depth >= 0:
        if depth == workers:
            _keep(search)
            depth -= 1
            continue
        if choice[depth] + 1 == masters:
            choice[depth] = -1
            depth -= 1
            continue
        if search.at[1] == most_nodes:
            search.at[0] = depth
            return False
        search.at[1] += 1
        choice[depth] += 1
        for m in range(masters):
            levels[depth + 1, m] = levels[depth, m]
        levels[depth + 1, choice[depth]] += limits.speed[choice[depth], depth]
        reach = limits.worth[depth + 1]
        open_ = True
        for m in range(masters):
            reach += limits.price[m] * levels[depth + 1, m]
            if levels[depth + 1, m] + limits.rest[m, depth + 1] <= search.record[0]:
                open_ = False
                break
        if open_ and reach > search.record[0]:
            depth += 1
            if limits.again[depth]:
                choice[depth] = choice[depth - 1] - 1
    return True


@compiled
def _keep(search: Out[OwnerSearch]) -> None:
    """Keep the owners tried if their least level is a record."""
    workers, masters = len(search.choice), search.levels.shape[1]
    least = search.levels[workers, 0]
    for m in range(1, masters):
        least = min(least, search.levels[workers, m])
    if least > search.record[0]:
        search.record[0] = least
        for n in range(workers):
            search.best[n] = search.choice[n]


def _by_integer_program(speed: Floats, start: Ints, seconds: float, late: str) -> Owners:
    """Branch and bound of the solver, gap 0; its point is rounded, measured and improved."""
    types, given = WorkerTypes.given(speed), Speeds(speed)
    size = types.speed.size
    point = np.zeros(size + 1)
    point[:size] = types.counted(start).reshape(-1)
    point[-1] = UNITS * least_level(speed, start) / speed.max()
    answer = solve(_Given().form(given), gap=0.0, start=point, time_limit=max(seconds, 0.0))
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
