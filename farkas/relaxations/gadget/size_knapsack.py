"""One resource of all servers together: which sizes of rings fit into it, and the best of them."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.kernels import Floats2, Ints1, compiled
from farkas.models.gadget.slot import SlotView
from farkas.numbers import Floats, Ints
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
