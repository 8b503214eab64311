"""Bound a slot by whole sizes: at prices, sizes that fit into all servers together."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.models.gadget.forest import forest
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Bools, Floats
from farkas.relaxations.gadget.generation import CapacityPrices
from farkas.relaxations.gadget.ring_pricing import RingPricing
from farkas.relaxations.gadget.ring_search import best_ring
from farkas.relaxations.gadget.size_knapsack import SizeKnapsack, best_sizes
from farkas.relaxations.gadget.tree_pricing import TreePricing


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
