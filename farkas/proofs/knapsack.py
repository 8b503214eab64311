"""Knapsacks: what hardness is reduced from, with their optima by dynamic programming."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Knapsack(NamedTuple):
    """Things of whole weights and worths, and the weight that fits."""

    weights: tuple[int, ...]
    worths: tuple[int, ...]
    room: int


def knapsacks(count: int, things: int = 6) -> Iterator[Knapsack]:
    """Draw knapsacks; every other one asks for a sum of weights (worths equal weights)."""
    rng = np.random.default_rng(0)
    for number in range(count):
        weights = rng.integers(1, 12, things)
        worths = weights if number % 2 else rng.integers(1, 12, things)
        room = int(weights.sum()) // 2
        yield Knapsack(tuple(weights.tolist()), tuple(worths.tolist()), room)


def most_worth(knapsack: Knapsack) -> int:
    """Greatest worth that fits.

    >>> most_worth(Knapsack((2, 3, 4), (3, 4, 6), 5))
    7
    """
    best = [0] * (knapsack.room + 1)
    for weight, worth in zip(knapsack.weights, knapsack.worths, strict=True):
        for room in range(knapsack.room, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + worth)
    return best[-1]
