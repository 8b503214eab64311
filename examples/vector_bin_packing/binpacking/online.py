"""First fit, in order of arrival or of size, and the fewest bins."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

import msgspec

import farkas
from farkas.certificates import RunBound, run_bounds
from farkas.online import Bound, Demo, Outcome, algorithm, environment


@environment("binpacking", demo=Demo("binpacking.first_fit", "binpacking.shares"))
class Room:
    """Shows one item after the other; a decision is the bin it goes into, counted from 0."""

    sense = "min"

    def known(self, instance):
        """Capacities are known in advance."""
        return tuple(instance.capacity)

    def arrivals(self, instance):
        """One item a step."""
        return [item.size for item in instance.items]

    def evaluate(self, instance, decisions):
        """Bins in use, and those that are too full."""
        costs = [
            {"bins": float(place not in decisions[:step])} for step, place in enumerate(decisions)
        ]
        return Outcome(costs, too_full(instance, decisions))

    def bound(self, instance):
        """The optimum in shares, proved from its multipliers."""
        solution = farkas.solve(instance, "binpacking.shares", certify=True)
        plain = msgspec.to_builtins(solution.certificate)
        return Bound.of(solution.bound, "duals of binpacking.shares", plain)


# whole packings are packings in shares, too
run_bounds.add("binpacking", (RunBound("linear", "binpacking.shares"),))


def too_full(instance, places):
    """Say which bins hold more than they can."""
    held = {}
    for place, item in zip(places, instance.items, strict=True):
        before = held.get(place, [0] * len(item.size))
        held[place] = [a + b for a, b in zip(before, item.size, strict=True)]
    return [
        f"bin {place} is too full in dimension {dimension}"
        for place, used in held.items()
        for dimension, (amount, limit) in enumerate(zip(used, instance.capacity, strict=True))
        if amount > limit
    ]


def fitted(bins, size, capacity):
    """Put an item into the first bin that has room for it, opening one; return the bin."""
    for place, used in enumerate(bins):
        after = [a + b for a, b in zip(used, size, strict=True)]
        if all(a <= c for a, c in zip(after, capacity, strict=True)):
            bins[place] = after
            return place
    bins.append(list(size))
    return len(bins) - 1


@algorithm("binpacking.first_fit", source="Johnson (1973)")
@dataclasses.dataclass(frozen=True)
class FirstFit:
    """Puts every item into the first bin that has room for it, in order of arrival."""

    def start(self, known, seed):
        """No bin is open."""
        return known, ()

    def step(self, state, arrivals):
        """Look at the bins in order."""
        capacity, bins = state[0], list(state[1])
        place = fitted(bins, arrivals, capacity)
        return (capacity, tuple(bins)), place


WEIGHTS = {"sum": sum, "max": max, "product": math.prod}


@algorithm("binpacking.first_fit_decreasing", source="Panigrahy et al. (2011), FFDSum, FFDProd")
@dataclasses.dataclass(frozen=True)
class FirstFitDecreasing:
    """First fit in order of falling weight; equal weights in the order of the file.

    Parameters
    ----------
    weight
        ``sum`` or ``product`` of an item's sizes as shares of the capacity, or the largest.
    """

    weight: Literal["sum", "max", "product"] = "sum"

    def decide(self, instance, seed):
        """Sort, then pack."""
        capacity, sizes = instance.capacity, [item.size for item in instance.items]
        share = math.prod(capacity)
        weights = [
            WEIGHTS[self.weight]([s * (share // c) for s, c in zip(size, capacity, strict=True)])
            for size in sizes
        ]
        places, bins = [0] * len(sizes), []
        for item in sorted(range(len(sizes)), key=lambda i: -weights[i]):
            places[item] = fitted(bins, sizes[item], capacity)
        return places


@algorithm("binpacking.fewest", source="none; enumeration")
@dataclasses.dataclass(frozen=True)
class Fewest:
    """The fewest bins, by enumeration: for small instances."""

    def decide(self, instance, seed):
        """Ask for more and more bins until the items fit."""
        capacity, sizes = instance.capacity, [item.size for item in instance.items]
        full = [sum(size[d] for size in sizes) for d in range(len(capacity))]
        least = max((-(-f // c) for f, c in zip(full, capacity, strict=True)), default=0)
        order = sorted(range(len(sizes)), key=lambda i: -max(sizes[i]))
        places = [0] * len(sizes)
        count = max(least, 1)
        while not packed(order, sizes, capacity, [[0] * len(capacity)] * count, places):
            count += 1
        return places


def packed(order, sizes, capacity, bins, places):
    """Fill ``places`` so that the items of ``order`` fit into the bins; False where they do not."""
    if not order:
        return True
    item, seen = order[0], []
    for place, used in enumerate(bins):
        after = [a + b for a, b in zip(used, sizes[item], strict=True)]
        if used in seen or any(a > c for a, c in zip(after, capacity, strict=True)):
            continue  # a bin that holds as much was tried
        seen.append(used)
        places[item] = place
        rest = [*bins[:place], after, *bins[place + 1 :]]
        if packed(order[1:], sizes, capacity, rest, places):
            return True
    return False
