"""Branch and bound over the owners of workers, by prices of masters."""

from typing import NamedTuple

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
from farkas.models.coded.kernel import Pairs, WorkerTypes
from farkas.models.coded.law import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints
from farkas.online.coded.environment import Planner
from farkas.online.coded.local_search import least_level

FEW = 5  #: Masters of whom every subset's prices are raised.
RAISED = 1.08, 1.25, 1.8  #: Factors by which they are.


def raised(prices: Floats) -> Floats:
    """Prices that sum to 1, and the same with those of some masters raised, if there are `FEW`.

    Where a master is ahead of the others, prices at which it counts for less exclude more.

    Parameters
    ----------
    prices
        Shape (masters,), >= 0, not all 0.

    Returns
    -------
    Shape (prices, masters), the given ones first.
    """
    masters = len(prices)
    chosen = (
        np.arange(1, 2**masters - 1 if masters <= FEW else 1)[:, None] >> np.arange(masters) & 1
    )
    above = [np.where(chosen, prices * factor, prices) for factor in RAISED]
    found = np.concatenate([prices[None], *above])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


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
        price = raised(prices)
        rest, worth = np.zeros((masters, workers + 1)), np.zeros((len(price), workers + 1))
        rest[:, :-1] = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
        for one, total in zip(price, worth, strict=True):
            total[:-1] = np.cumsum((one[:, None] * table).max(axis=0)[::-1])[::-1]
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
            trial=np.arange(len(price)),
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

    speed: Floats2  #: (masters, workers)
    rest: Floats2  #: (masters, workers + 1), to each master
    price: Floats2  #: (prices, masters), each sums to 1
    worth: Floats2  #: (prices, workers + 1), at these prices
    again: Ints1  #: (workers + 1,), whether equal to the worker before


class OwnerSearch(NamedTuple):
    """Where a search stands."""

    best: Ints1  #: (workers,), owners to beat
    record: Floats1  #: [their least level]
    choice: Ints1  #: (workers,), owner tried, -1 for none
    levels: Floats2  #: (workers + 1, masters), with the first workers only
    at: Ints1  #: [workers placed, nodes visited]
    trial: Ints1  #: (prices,), in which order they are tried: those that excluded much come first


@compiled(steps=lambda limits, search, most_nodes: most_nodes * len(limits.speed))
def dive(limits: Limits, search: Out[OwnerSearch], most_nodes: int) -> bool:
    """Search depth first from where the search stands; returns whether it ended.

    A node is left where some master cannot beat the record even with all workers to come, or where
    the levels weighted by some prices cannot: for weights that sum to 1 they are at least the least
    level.
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
        if _open(limits, search, depth + 1):
            depth += 1
            if limits.again[depth]:
                choice[depth] = choice[depth - 1] - 1
    return True


@compiled
def _open(limits: Limits, search: Out[OwnerSearch], depth: int) -> bool:
    """Whether the record may be beaten with so many workers placed; prices that say no move up."""
    levels, trial = search.levels, search.trial
    for m in range(levels.shape[1]):
        if levels[depth, m] + limits.rest[m, depth] <= search.record[0]:
            return False
    for place in range(len(trial)):
        k = trial[place]
        reach = limits.worth[k, depth]
        for m in range(levels.shape[1]):
            reach += limits.price[k, m] * levels[depth, m]
        if reach <= search.record[0]:
            trial[place] = trial[place // 2]
            trial[place // 2] = k
            return False
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


class OwnerPlanner(Planner):
    """Chooses an owner of every worker; loads follow from Theorem 1."""

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Choose owners and load their workers."""
        return dedicated_plan(data, self.owner(Pairs.of(data).speed, seed))

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Return the master of each worker, shape (workers,), −1 where idle."""
        raise NotImplementedError(f"{type(self).__name__} chooses no owners")
