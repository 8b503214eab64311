"""Bound a slot by whole sizes: at prices, sizes that fit into all servers together."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.kernels import Floats2, Ints1, compiled
from farkas.models.gadget.forest import forest
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.gadget.generation import CapacityPrices
from farkas.relaxations.gadget.ring_pricing import RingPricing, TreePricing
from farkas.relaxations.gadget.ring_search import best_ring
from farkas.tolerances import FLOORS, ROUNDING

MOST_ROOM = 1 << 10  #: Units of room, at most: units are as large as that needs.

DIVISORS = range(1, 17)  #: Parts of the smallest demand that are tried as a unit of all demands.


@dataclasses.dataclass(frozen=True, eq=False)
class SizeKnapsack:
    """One resource of all servers together, in whole units.

    Workers are rounded down to units and so is every server, whose workers are a whole number of
    units together: rings that fit into the servers fit into the knapsack.
    """

    resource: int
    unit: float  #: Amount of the resource.
    weight: Ints  #: Shape (participants,), units of a worker.
    room: int  #: Units of all servers.

    @classmethod
    def of(cls, slot: SlotView, resource: int) -> SizeKnapsack:
        """Return the knapsack of a limited resource that somebody needs."""
        cluster = slot.cluster
        demand = cluster.demand[slot.jobs, resource]
        held = cluster.capacity[cluster.is_server, resource]
        least = float(demand[demand > 0].min())
        unit = next((u for u in (least / d for d in DIVISORS) if _whole(demand / u)), least)
        unit = max(unit, float((held / MOST_ROOM).sum()))
        with np.errstate(over="ignore"):  # what is beyond doubles does not fit anyway
            weight = np.floor(demand / unit * (1.0 + ROUNDING))
        weight = np.minimum(weight, 2 * MOST_ROOM).astype(np.int64)
        return cls(resource, unit, weight, room_of(held, unit))


def room_of(held: Floats, unit: float) -> int:
    """Units that workers on servers count at most, each server rounded down; ``held`` by server."""
    return int(np.floor(held / unit * ((1.0 + FLOORS) * (1.0 + ROUNDING))).sum())


def _whole(numbers: Floats) -> bool:
    return bool((np.abs(numbers - np.rint(numbers)) <= ROUNDING * numbers).all())


@compiled(steps=lambda profit, weight, room: profit.size * (room + 1))
def best_sizes(profit: Floats2, weight: Ints1, room: int) -> tuple[float, Ints1]:
    """Choose one size for each job, largest profit within the room; smaller sizes first in ties.

    Parameters
    ----------
    profit
        Shape (jobs, sizes + 1), of sizes from 0 on; -inf where not allowed, never for 0.
    weight
        Shape (jobs,), units of a worker.
    room
        Units for all.

    Returns
    -------
    The profit, and the sizes, shape (jobs,).
    """
    jobs, sizes = profit.shape
    best = np.zeros(room + 1)
    chosen = np.zeros((jobs, room + 1), np.int64)
    for i in range(jobs):
        for left in range(room, -1, -1):  # what lies below is still without the job
            most, size = best[left] + profit[i, 0], 0
            for k in range(1, sizes):
                if k * weight[i] > left:
                    break
                worth = best[left - k * weight[i]] + profit[i, k]
                if worth > most:
                    most, size = worth, k
            best[left], chosen[i, left] = most, size
    counts = np.zeros(jobs, np.int64)
    left = room
    for i in range(jobs - 1, -1, -1):
        counts[i] = chosen[i, left]
        left -= counts[i] * weight[i]
    return best[room], counts


@dataclasses.dataclass(frozen=True, eq=False)
class WholeSizes:
    """What rings of each size are worth at prices, and the bound that their best choice gives."""

    knapsack: SizeKnapsack  #: What they fit into together.
    prices: CapacityPrices  #: Of what they pay for besides.
    #: Shape (participants, sizes + 1), bound on what a ring of the size is worth at the prices,
    #: from size 0 on, >= 0; -inf where the size is not allowed.
    profit: Floats
    bound: float  #: Rent of the cluster at the prices, and the best sizes.


def whole_sizes(slot: SlotView, prices: CapacityPrices, labels: int) -> WholeSizes | None:
    """Bound a slot by sizes instead of the part of a price that all servers have in common.

    Of the resource with the largest common part nobody pays it; instead the sizes fit into all
    servers together, whole ones.  Where links are plentiful nothing else has a price: the bound is
    the best choice of sizes on one large server, which no relaxation over rings sees.  It proves
    at least what the prices prove, but for what labels leave open, and for sizes that have no ring
    where rings cost nothing.

    Parameters
    ----------
    prices
        Of everything that can fill up.
    labels
        Of the search for the best ring of one size, for sizes of the best choice that walks
        without memory leave open; 0 for none.

    Returns
    -------
    None where no resource limits all servers.
    """
    cluster = slot.cluster
    held = np.where(cluster.is_server[:, None], cluster.capacity, 0.0)
    total = held.sum(axis=0)
    wanted = cluster.demand[slot.jobs].sum(axis=0)
    limited = np.flatnonzero(np.isfinite(total) & (total > 0) & (wanted > 0))
    if not len(limited):
        return None
    # servers that hold nothing of a resource do not keep others from sharing its price
    common = np.where(held > 0, prices.node, np.inf)[:, limited].min(axis=0)
    most = np.lexsort((wanted[limited] / total[limited], common * total[limited]))[-1]
    resource, paid = int(limited[most]), float(common[most])
    knapsack = SizeKnapsack.of(slot, resource)
    node = prices.node.copy()
    node[:, resource] = np.maximum(0.0, node[:, resource] - paid)
    rest = CapacityPrices(node, prices.link)
    profit, unsure = size_profits(slot, rest, 0)
    best, chosen = best_sizes(profit, knapsack.weight, knapsack.room)
    while labels and (again := unsure & (np.arange(profit.shape[1]) == chosen[:, None])).any():
        profit[again] = size_profits(slot, rest, labels, again)[0][again]
        unsure &= ~again
        best, chosen = best_sizes(profit, knapsack.weight, knapsack.room)
    return WholeSizes(knapsack, rest, profit, rest.rent(cluster) + best)


def size_profits(
    slot: SlotView, prices: CapacityPrices, labels: int, which: Bools | None = None
) -> tuple[Floats, Bools]:
    """Bound what a ring of each size is worth.

    Parameters
    ----------
    prices
        Of everything that can fill up.
    labels
        Of the search for the best ring of one size, where that search is needed.
    which
        Shape (participants, sizes + 1), sizes that are searched; all by default.

    Returns
    -------
    Shapes (participants, sizes + 1): >= 0, or -inf where not allowed; and where more labels may
    lower the bound.
    """
    profit = np.full((len(slot.jobs), slot.gains.shape[1] + 1), -np.inf)
    unsure = np.zeros(profit.shape, np.bool_)
    profit[:, 0] = 0.0
    profit[:, 1:][slot.allowed] = np.maximum(slot.gains[slot.allowed], 0.0)
    tree = forest(slot.cluster)
    if tree is not None:
        pricing = TreePricing(slot.cluster, tree, slot.jobs, slot.largest)
        cost, _ = pricing.costs(prices.node, prices.link)
        earned = slot.gains[:, : cost.shape[1]] - cost
        known = slot.allowed[:, : cost.shape[1]]
        profit[:, 1 : cost.shape[1] + 1][known] = np.maximum(earned[known], 0.0)
        return profit, unsure
    if not prices.node.any() and not prices.link.any():
        return profit, unsure  # nobody asks whether there is a ring that costs nothing
    searched = RingPricing(slot)
    worker = (slot.cluster.demand[slot.jobs][:, None] * prices.node).sum(axis=2)
    length = slot.cluster.bandwidth[slot.jobs][:, None] * prices.link
    some = profit > 0 if which is None else which & (profit > 0)
    for place, size in np.argwhere(some).tolist():
        task = searched.task(place, worker[place], length[place])
        worth = np.full(size + 1, -np.inf)
        worth[size] = task.worth[size]
        found, most, *_ = best_ring(searched.network, task._replace(worth=worth), 0.0, labels)
        profit[place, size], unsure[place, size] = most, most > found
    return profit, unsure
