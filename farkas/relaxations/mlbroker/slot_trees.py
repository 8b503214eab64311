"""Trees over the prices that count in a slot, until its bound meets the cost of its placements.

A leaf prices every cell, a site and a resource each, by the chord, by the list price or by the
discounted one with its surcharge.  What its jobs then do costs more where a cell on the chord is
used in part; the cell where this is most is branched on.  The leaf with the least bound is next.

A slot by itself, with what its new sites cost, is the program mlbroker.one_shot.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from farkas.certificates.mlbroker_slots import (
    FREE,
    LEAF,
    LIST,
    MOST_SITES,
    MOST_STEPS,
    REDUCED,
    SlotBounds,
    SlotLeaf,
)
from farkas.certificates.mlbroker_workers import ENDLESS, apart_costs, place_pairs
from farkas.certificates.sums import MOST_CELLS
from farkas.executor import Executor, nothing
from farkas.instances.mlbroker import Brokerage
from farkas.kernels import Kernel
from farkas.models.mlbroker.data import Snapshot, present_at, usage_of
from farkas.models.mlbroker.placement import OneShot, first_busy_slot
from farkas.numbers import Floats
from farkas.relaxations.mlbroker.job_schedules import (
    JobSchedules,
    SiteSchedules,
    joined,
    place_jobs,
    schedules_of,
)
from farkas.solvers.subproblem import (
    Subproblem,
    SubproblemAnswer,
    own_solver,
    solve_subproblem,
)
from farkas.tolerances import ROUNDING, TIE


@dataclasses.dataclass(slots=True, eq=False)
class SlotNode:
    """A node of a slot's tree."""

    leaf: SlotLeaf  #: What jobs do at its prices.
    #: bound, cost: USD: what the slot costs at least, and that with cells on the chord paid for as
    #: the jobs use them.
    bound: float
    cost: float
    #: Shape (sites, resources), USD: what cells on the chord cost more than it says.
    excess: Floats
    usage: Floats  #: Shape (sites, resources), units.
    cell: int = LEAF  #: Number of the cell that is branched on, and 1; `LEAF` for none.
    branches: tuple[SlotNode, ...] = ()  #: At list price, and with the discount.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DiscountTree:
    """A tree of one slot at some prices of deployments."""

    slot: int
    nodes: list[int]  #: In preorder, as certificates hold them.
    bound: Fraction  #: Least bound of a leaf, USD, exact.
    cost: float  #: Least cost of any placement that was met, USD.
    least: SlotNode  #: The leaf with the least bound.
    best: SlotLeaf  #: What jobs do at that cost.
    steps: int  #: That bounding the nodes again takes.


def _node(bounds: SlotBounds, slot: int, leaf: SlotLeaf) -> SlotNode:
    data, state = bounds.data, leaf.state
    found = leaf.found
    usage = usage_of(data, data.pairs_at(slot), found.workers, found.server)[slot]
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
    """Branch until the bound of a slot is near its cost, by USD or by a ``share`` of the cost.

    ``extra`` is as for `SlotBounds.leaf`. No more than ``most`` nodes are made, nor more steps of
    bounding them again than ``most_steps``, if the root does not take more. ``check`` is called
    again and again, and raises what ends the work.
    """
    root = _node(bounds, slot, bounds.leaf(slot, np.zeros(bounds.cells, np.int64), extra))
    tickets = itertools.count()
    waiting = [(root.bound, next(tickets), root)]
    done: list[SlotNode] = []
    cost, nodes, best, steps = root.cost, 1, root.leaf, root.leaf.steps
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
            break
        steps += more
        for branch in made:
            heapq.heappush(waiting, (branch.bound, next(tickets), branch))
        node.cell, node.branches, node.leaf = cell + 1, tuple(made), node.leaf.bare()
    ends = done + [node for _, _, node in waiting]
    least = min(ends, key=lambda node: node.bound)
    exact = min(node.leaf.total() for node in ends)
    for node in ends:
        node.leaf = node.leaf.bare()
    return DiscountTree(slot, _preorder(root), exact, cost, least, best.bare(), steps)


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


#: A slot, and `extra`, `near`, `most` of `grow`.
SlotToGrow = tuple[int, Floats, float, int]


class SlotGrowth:
    """Grows trees of slots, each of which may take its share of the steps of a check.

    ``check``: called again and again; raises what ends the work.
    """

    kernels: ClassVar[tuple[Kernel[..., Any], ...]] = (place_pairs,)

    def __init__(self, data: Brokerage, check: Callable[[], None] = nothing) -> None:
        self.bounds, self.check = SlotBounds(data), check

    def __call__(self, task: SlotToGrow) -> DiscountTree:
        """Grow a tree."""
        share = MOST_STEPS * len(task[1]) // self.bounds.data.num_pairs
        return grow(self.bounds, *task, self.check, most_steps=share)


JobsToPlace = tuple[int, int, Floats]  #: `begin`, `end` and `slope` of `schedules_of`.


class JobPlacement:
    """Places jobs at prices, with many sites as cheaply as is found."""

    kernels: ClassVar[tuple[Kernel[..., Any], ...]] = (place_jobs, place_pairs)

    def __init__(self, data: Brokerage) -> None:
        self.data = data

    def __call__(self, task: JobsToPlace) -> JobSchedules:
        """Place some jobs."""
        if self.data.num_sites <= MOST_SITES:
            return schedules_of(self.data, *task)
        search = SiteSchedules(self.data, *task)
        search.search()
        return search.schedules()


def cheapest_schedules(
    data: Brokerage, slope: Floats, check: Callable[[], None], executor: Executor | None = None
) -> JobSchedules:
    """Place every job at prices of units, with more than `MOST_SITES` sites as well as is found.

    ``slope`` has shape (slots, sites, resources), USD a unit, finite, >= 0. ``check`` raises what
    ends the work.
    """
    begins = range(0, data.num_jobs, PART)
    tasks = [(begin, min(begin + PART, data.num_jobs), slope) for begin in begins]
    starts = data.pair_start
    steps = [pair_steps(data) * float(starts[end] - starts[begin]) for begin, end, _ in tasks]
    parts = list((executor or Executor()).each(JobPlacement(data), data, tasks, steps, check))
    sets = data.num_sites if data.num_sites > MOST_SITES else 1 << data.num_sites
    return joined(parts, sets, data.num_sites)


MOST_NODES = 200  #: Of a tree after which a general solver is asked.


@own_solver("mlbroker.one_shot", "slot_tree")
def slot_tree(asked: Subproblem) -> SubproblemAnswer:
    """Place the jobs of a slot by a tree over its discounts, or by HiGHS where that proves less."""
    program, now = asked.formulation, asked.data
    assert isinstance(program, OneShot)
    if not isinstance(now, Snapshot):
        now = first_busy_slot(now)
    market, bounds = now.market, SlotBounds(now.market)
    extra = new_sites(bounds, now)
    tree = grow(bounds, 0, extra, 0.0, MOST_NODES, nothing, share=TIE)
    best, bound = tree.best, float(tree.bound)
    moved = np.zeros(market.num_jobs)
    workers, server = best.found.workers, best.found.server
    apart_costs(market.pairs_at(0), bounds.placing, workers, server, moved)
    here = present_at(workers, server)
    usage = usage_of(market, market.pairs_at(0), workers, server)
    paid = market.resource_cost(usage)
    entered = market.deploy_cost[:, None] * (here & ~now.deployed)
    value = float(moved.sum() + paid.sum() + entered.sum())
    if bound < value * (1 - ROUNDING):
        return solve_subproblem(dataclasses.replace(asked, data=now, fastest="highs"))
    return SubproblemAnswer((workers, server), value, min(bound, value))


def new_sites(bounds: SlotBounds, now: Snapshot) -> Floats:
    """Return what sets cost for sites where jobs were not before, shape (jobs, sets), USD."""
    entered = ~now.deployed @ bounds.members.T
    return np.asarray(now.market.deploy_cost[:, None] * entered)
