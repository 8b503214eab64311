"""Trees over the prices that count in a slot, until its bound meets the cost of its placements.

A leaf prices every cell, a site and a resource each, by the chord, by the list price or by the
discounted one with its surcharge.  What its jobs then do costs more where a cell on the chord is
used in part; the cell where this is most is branched on.  The leaf with the least bound is next.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from farkas.certificates.mlbroker_charges import place_charged
from farkas.certificates.mlbroker_slots import (
    FREE,
    LEAF,
    LIST,
    MOST_SITES,
    MOST_STEPS,
    REDUCED,
    SiteBounds,
    SlotBounds,
    SlotLeaf,
)
from farkas.certificates.mlbroker_workers import ENDLESS, place_pairs
from farkas.certificates.sums import MOST_CELLS
from farkas.executor import Executor, nothing
from farkas.instances.mlbroker import Brokerage
from farkas.kernels import Kernel
from farkas.numbers import Floats
from farkas.relaxations.mlbroker.lives import (
    Lives,
    SiteLives,
    joined,
    lives_of,
    place_jobs,
    usage_of,
)


@dataclasses.dataclass(slots=True, eq=False)
class SlotNode:
    """A node of a slot's tree."""

    leaf: SlotLeaf  #: What jobs do at its prices.
    #: bound, cost: USD: what the slot costs at least, and with the jobs where they are; without
    #: tolls both would be the same but for cells on the chord.
    bound: float
    cost: float
    #: Shape (sites, resources), USD: what cells on the chord cost more than it says.
    excess: Floats
    usage: Floats  #: Shape (sites, resources), units.
    cell: int = LEAF  #: That is branched on; `LEAF` for none.
    branches: tuple[SlotNode, ...] = ()  #: At list price, and with the discount.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DiscountTree:
    """A tree of one slot at some tolls."""

    slot: int
    nodes: list[int]  #: In preorder, as certificates hold them.
    bound: Fraction  #: Least bound of a leaf, USD, exact.
    cost: float  #: Least cost of any placement that was met, USD.
    least: SlotNode  #: The leaf with the least bound.
    best: SlotLeaf  #: What jobs do at that cost.
    steps: int  #: That bounding the nodes again takes.
    #: taken, refused: the most steps that a branching was allowed, and those of the one that was
    #: not.
    taken: int
    refused: int

    def same_within(self, most_steps: int) -> bool:
        """Whether another limit of steps would have let the same tree grow."""
        return self.taken <= most_steps < self.refused


def _node(bounds: SlotBounds, slot: int, leaf: SlotLeaf) -> SlotNode:
    data, state = bounds.data, leaf.state
    usage = usage_of(data, data.pairs_at(slot), leaf.workers, leaf.server)[slot]
    surcharge = np.where(state == REDUCED, data.surcharge, 0.0)
    difference = data.resource_cost(usage) - leaf.slope * usage - surcharge
    bound = float(leaf.bound.sum() + surcharge.sum())
    excess = np.where(state == FREE, difference, 0.0)
    return SlotNode(leaf, bound, bound + float(difference.sum()), excess, usage)


def grow(
    bounds: SlotBounds,
    slot: int,
    extra: Floats,
    near: float,
    most: int,
    check: Callable[[], None],
    *,
    share: float = 0.0,
    most_steps: int = ENDLESS,
) -> DiscountTree:
    """Branch until the bound of a slot is near its cost.

    Parameters
    ----------
    slot
        With jobs.
    extra
        Shape (jobs of the slot, sets), USD, see `SlotBounds.extra`.
    near
        Distance of bound and cost that is near enough, USD.
    most
        Nodes after which no more are made.
    check
        Called again and again; raises what ends the work.
    share
        Distance that is near enough as a share of the cost, where that is more.
    most_steps
        That bounding the nodes again may take, if the root does not take more.
    """
    root = _node(bounds, slot, bounds.leaf(slot, np.zeros(bounds.cells, np.int64), extra))
    tickets = itertools.count()
    waiting = [(root.bound, next(tickets), root)]
    done: list[SlotNode] = []
    cost, nodes, best, steps = root.cost, 1, root.leaf, root.leaf.steps
    taken, refused = -ENDLESS, ENDLESS + 1
    while waiting and nodes < most and waiting[0][0] < cost - max(near, share * cost):
        check()
        node = heapq.heappop(waiting)[2]
        deep = bounds.table(slot) * (int((node.leaf.state != FREE).sum()) + 2)
        if not node.excess.max() > 0 or deep > MOST_CELLS:
            done.append(node)
            continue
        cell = int(node.excess.argmax())
        made = []
        for price in (LIST, REDUCED):
            branch = _node(bounds, slot, bounds.branch(slot, node.leaf, cell, price, extra))
            nodes += 1
            if branch.cost < cost:
                cost, best = branch.cost, branch.leaf
            made.append(branch)
        more = sum(branch.leaf.steps for branch in made)
        if steps + more > most_steps:
            done.append(node)
            refused = steps + more
            break
        steps += more
        taken = max(taken, steps)
        for branch in made:
            heapq.heappush(waiting, (branch.bound, next(tickets), branch))
        node.cell, node.branches, node.leaf = cell, tuple(made), node.leaf.bare()
    ends = done + [node for _, _, node in waiting]
    least = min(ends, key=lambda node: node.bound)
    exact = min(node.leaf.total() for node in ends)
    for node in ends:
        node.leaf = node.leaf.bare()
    return DiscountTree(
        slot, _preorder(root), exact, cost, least, best.bare(), steps, taken, refused
    )


def _preorder(root: SlotNode) -> list[int]:
    nodes, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node.cell)
        waiting += reversed(node.branches)
    return nodes


PART = 256  #: Jobs that are placed between two looks at the clock.
PAIR_STEPS = 3e3  #: Steps that a pair takes for every set of sites, at a guess.
#: Steps that a pair takes for every site where sets are not listed, at a guess.
CHARGED_STEPS = 1e5


def pair_steps(data: Brokerage) -> float:
    """Guess the steps of placing a pair."""
    sites = data.num_sites
    return CHARGED_STEPS * sites if sites > MOST_SITES else PAIR_STEPS * (1 << sites)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotToGrow:
    """A slot whose tree is to be grown; fields are arguments of `grow`."""

    slot: int
    extra: Floats
    near: float
    most: int


class SlotGrowth:
    """Grows trees of slots.

    ``check``: called again and again; raises what ends the work.
    """

    kernels: ClassVar[tuple[Kernel[..., Any], ...]] = (place_pairs,)
    of: ClassVar[type[SlotBounds]] = SlotBounds

    def __init__(self, data: Brokerage, check: Callable[[], None] = nothing) -> None:
        self.bounds, self.check = self.of(data), check
        self.room = MOST_STEPS
        """Steps that the next tree may take."""

    def __call__(self, task: SlotToGrow) -> DiscountTree:
        """Grow a tree."""
        return grow(
            self.bounds, task.slot, task.extra, task.near, task.most, self.check,
            most_steps=self.room,
        )  # fmt: skip


class SiteGrowth(SlotGrowth):
    """Grows trees of slots at tolls of single sites."""

    kernels = (place_charged,)
    of = SiteBounds


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobsToPlace:
    """Jobs to be placed; fields are arguments of `lives_of`."""

    begin: int
    end: int
    slope: Floats
    tolls: bool


class JobPlacing:
    """Places jobs at prices."""

    kernels: ClassVar[tuple[Kernel[..., Any], ...]] = (place_jobs,)

    def __init__(self, data: Brokerage) -> None:
        self.data = data

    def __call__(self, task: JobsToPlace) -> Lives:
        """Place some jobs."""
        return lives_of(self.data, task.begin, task.end, task.slope, tolls=task.tolls)


class SitePlacing(JobPlacing):
    """Places jobs at prices, with many sites: as cheaply as is found."""

    kernels = (place_charged,)

    def __call__(self, task: JobsToPlace) -> Lives:
        """Place some jobs."""
        search = SiteLives(self.data, task.begin, task.end, task.slope)
        search.search()
        return search.lives()


def cheapest_lives(
    data: Brokerage,
    slope: Floats,
    check: Callable[[], None],
    executor: Executor | None = None,
    *,
    tolls: bool = True,
) -> Lives:
    """Place every job at prices of units, with more than `MOST_SITES` sites as well as is found.

    Parameters
    ----------
    slope
        Shape (slots, sites, resources), USD a unit, finite, >= 0.
    check
        Called again and again; raises what ends the work.
    executor
        Who places; this process if left out.
    tolls
        Whether they are wanted; else their array has no rows.
    """
    begins = range(0, data.num_jobs, PART)
    tasks = [JobsToPlace(k, min(k + PART, data.num_jobs), slope, tolls) for k in begins]
    pairs = (data.pair_start[task.end] - data.pair_start[task.begin] for task in tasks)
    steps = [pair_steps(data) * float(some) for some in pairs]
    many = data.num_sites > MOST_SITES
    work = SitePlacing(data) if many else JobPlacing(data)
    parts = list((executor or Executor()).each(work, data, tasks, steps, check))
    return joined(parts, data.num_sites if many else 1 << data.num_sites, data.num_sites)
