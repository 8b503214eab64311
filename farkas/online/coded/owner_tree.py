"""Branch and bound over the owners of workers, by prices of masters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
from farkas.models.coded.kernel import WorkerTypes
from farkas.numbers import Floats, Ints, floats
from farkas.online.coded.local_search import MORE, least_level

FEW = 5  #: Masters of whom every subset's prices are raised, too.
RAISED = 1.08, 1.25, 1.8  #: Factors by which they are.


class OwnerSearch(NamedTuple):
    """Where a search stands; workers are in the order in which they get masters."""

    speed: Floats2  #: Shape (masters, workers).
    #: rest, worth: what workers from one on add to each master alone, and at prices; shapes
    #: (masters, workers + 1) and (prices, workers + 1).
    rest: Floats2
    worth: Floats2
    price: Floats2  #: Shape (prices, masters), each sums to 1.
    again: Ints1  #: Shape (workers + 1,), whether equal to the worker before.
    best: Ints1  #: Shape (workers,), owners to beat.
    record: Floats1  #: Their least level, shape (1,).
    choice: Ints1  #: Shape (workers,), owner tried, -1 for none.
    levels: Floats2  #: Shape (workers + 1, masters), with the first workers only.
    at: Ints1  #: Workers placed and nodes visited, shape (2,).
    trial: Ints1  #: Shape (prices,), their order: those that excluded much come first.


def raised(prices: Floats) -> Floats:
    """Prices, and the same with those of some masters raised, shape (prices, masters).

    Where a master is ahead of the others, prices at which it counts for less exclude more.
    """
    masters = len(prices)
    subsets = np.arange(1, 2**masters - 1 if masters <= FEW else 1)
    chosen = subsets[:, None] >> np.arange(masters) & 1
    every = [prices[None], *(np.where(chosen, prices * factor, prices) for factor in RAISED)]
    found = np.concatenate(every)
    return floats(found / found.sum(axis=1, keepdims=True))


class OwnerTree:
    """A search of all owners, depth first, that can be continued.

    Equal workers get masters in ascending order: one order of each choice.

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
        self.order = np.lexsort((types, -speed.max(axis=0)))
        masters, workers = speed.shape
        price = raised(prices)
        table = np.ascontiguousarray(speed[:, self.order] / speed.max())
        best = start[self.order].astype(np.int64)
        again = np.zeros(workers + 1, np.int64)
        again[1:-1] = np.diff(types[self.order]) == 0
        self.search = OwnerSearch(
            speed=table,
            rest=_from_each_on(table),
            worth=_from_each_on((price[:, :, None] * table).max(axis=1)),
            price=price,
            again=again,
            best=best,
            record=np.array([least_level(table, best)]),
            choice=np.full(workers, -1),
            levels=np.zeros((workers + 1, masters)),
            at=np.zeros(2, np.int64),
            trial=np.arange(len(price)),
        )

    @property
    def nodes(self) -> int:
        """Nodes visited."""
        return int(self.search.at[1])

    @property
    def owner(self) -> Ints:
        """Best owners so far, shape (workers,)."""
        owner = np.empty_like(self.search.best)
        owner[self.order] = self.search.best
        return owner

    def advance(self, nodes: int) -> bool:
        """Visit so many nodes more; returns whether the search ended."""
        return dive(self.search, self.nodes + nodes)


def _from_each_on(table: Floats) -> Floats:
    """Add up each column and those behind it, shape (rows, columns + 1)."""
    sums = np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
    return np.ascontiguousarray(np.append(sums, np.zeros((len(table), 1)), axis=1))


@compiled(steps=lambda search, most_nodes: most_nodes * len(search.speed))
def dive(search: Out[OwnerSearch], most_nodes: int) -> bool:
    """Search depth first from where the search stands; returns whether it ended."""
    masters, workers = search.speed.shape
    levels, choice = search.levels, search.choice
    depth = search.at[0]
    while depth >= 0:
        if depth == workers:  # better than the record: nodes that are not are left
            search.record[0] = levels[workers].min()
            search.best[:] = choice
            depth -= 1
        elif choice[depth] + 1 == masters:
            choice[depth] = -1
            depth -= 1
        elif search.at[1] == most_nodes:
            break
        else:
            search.at[1] += 1
            choice[depth] += 1
            for m in range(masters):
                levels[depth + 1, m] = levels[depth, m]
            levels[depth + 1, choice[depth]] += search.speed[choice[depth], depth]
            if may_win(search, depth + 1):
                depth += 1
                if search.again[depth]:
                    choice[depth] = choice[depth - 1] - 1
    search.at[0] = depth
    return bool(depth < 0)


@compiled
def may_win(search: Out[OwnerSearch], depth: int) -> bool:
    """Whether the record may be beaten with so many workers placed; prices that say no move up.

    It may not where a master cannot with all workers to come, nor where levels weighted by prices
    cannot: these are at least the least level.
    """
    levels, trial, record = search.levels, search.trial, search.record[0] * MORE
    for m in range(levels.shape[1]):
        if levels[depth, m] + search.rest[m, depth] <= record:
            return False
    for place in range(len(trial)):
        k = trial[place]
        reach = search.worth[k, depth]
        for m in range(levels.shape[1]):
            reach += search.price[k, m] * levels[depth, m]
        if reach <= record:
            trial[place] = trial[place // 2]
            trial[place // 2] = k
            return False
    return True
