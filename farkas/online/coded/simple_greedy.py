"""Algorithm coded.simple_greedy."""

import dataclasses

import numpy as np

from farkas.numbers import Floats, Ints
from farkas.online.coded.owners import OwnerPlanner
from farkas.online.driver import algorithm


def greedy_owner(speed: Floats) -> Ints:
    """Best pair for every master first, then the slowest master chooses; shape (workers,).

    Ties go to the smallest master, then the smallest worker.  With fewer workers than masters
    some masters stay without.

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    """
    masters, workers = speed.shape
    owner = np.full(workers, -1, dtype=np.int64)
    levels = np.zeros(masters)
    waiting, free = np.ones(masters, bool), np.ones(workers, bool)
    for _ in range(min(masters, workers)):
        open_pairs = np.where(waiting[:, None] & free, speed, -1.0)
        master, worker = divmod(int(open_pairs.argmax()), workers)
        owner[worker] = master
        levels[master] += speed[master, worker]
        waiting[master] = free[worker] = False
    while free.any():
        master = int(levels.argmin())
        worker = int(np.where(free, speed[master], -1.0).argmax())
        owner[worker] = master
        levels[master] += speed[master, worker]
        free[worker] = False
    return owner


@algorithm("coded.simple_greedy", source="Coded Algorithm 2")
@dataclasses.dataclass(frozen=True)
class SimpleGreedy(OwnerPlanner):
    """The best pair for every master first, then the slowest master chooses.

    For equal masters and workers that differ in speed only this is largest-first list scheduling
    with its guarantee (coded.largest_first); for unequal ones there is no guarantee
    (coded.simple_greedy_is_good).
    """

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Choose by `greedy_owner`; draws nothing."""
        return greedy_owner(speed)
