"""What workers with a budget can do when loads may wait for what is back, as one reads it."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

from farkas.instances.coded import CodedComputing


def returned(data: CodedComputing, m: int, n: int, load: int, time: float) -> float:
    """P[T <= t] of a load."""
    u, a = data.rate[m][n], data.shift[m][n]
    late = time / load - a
    return -math.expm1(-u * late) if late > 0 else 0.0


def waiting(
    data: CodedComputing, m: int, order: Sequence[int], prices: Sequence[int], time: float, b: int
) -> float:
    """Largest P[X >= L] when workers are asked in order, each for any load or not at all."""

    @functools.cache
    def best(place: int, budget: int, missing: int) -> float:
        if missing <= 0:
            return 1.0
        if place == len(order):
            return 0.0
        n = order[place]
        found = best(place + 1, budget, missing)
        if prices[n] <= budget:
            left = budget - prices[n]
            for load in range(1, missing + 1):
                p = returned(data, m, n, load, time)
                then = p * best(place + 1, left, missing - load)
                found = max(found, then + (1 - p) * best(place + 1, left, missing))
        return found

    return best(0, b, data.masters[m].rows)


def planned(data: CodedComputing, m: int, prices: Sequence[int], time: float, b: int) -> float:
    """Largest P[X >= L] of fixed loads on workers that cost ``b`` or less, by enumeration."""
    able = [n for n in range(data.workers) if data.rate[m][n] is not None]
    rows, found = data.masters[m].rows, 0.0
    for loads in itertools.product(range(rows + 1), repeat=len(able)):
        used = [(n, load) for n, load in zip(able, loads, strict=True) if load]
        if sum(prices[n] for n, _ in used) > b:
            continue
        back = [returned(data, m, n, load, time) for n, load in used]
        reached = 0.0
        for came in itertools.product((0, 1), repeat=len(used)):
            if sum(load * one for (_, load), one in zip(used, came, strict=True)) >= rows:
                reached += math.prod(p if one else 1 - p for p, one in zip(back, came, strict=True))
        found = max(found, reached)
    return found
