"""Algorithm coded.simple_greedy."""

import dataclasses

import numpy as np

from farkas.instances.base import Count
from farkas.numbers import Floats, Ints
from farkas.online.coded.local_search import Variant, climb, favourites, least_level
from farkas.online.coded.owner_tree import OwnerPlanner
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


@algorithm("coded.iterated_greedy", source="Coded Algorithm 1")
@dataclasses.dataclass(frozen=True)
class IteratedGreedy(OwnerPlanner):
    """Local search from everyone's favourite master, restarted by giving workers back.

    As printed the sums are never updated, the termination is in the text only, and with two empty
    masters no move is accepted, ever (coded.iterated_greedy_is_finite).  ``lexicographic`` accepts
    what raises the sorted levels and does not get stuck.

    Parameters
    ----------
    variant
        Which moves are accepted.
    rounds
        Local searches at most.
    patience
        Rounds without a better assignment after which it stops.
    """

    variant: Variant = "printed"
    rounds: Count = 20
    patience: Count = 5

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Search; a round draws floor(N/M) distinct workers that go back to their favourites."""
        rng = np.random.default_rng(seed)
        masters, workers = speed.shape
        own = favourites(speed)
        best, best_level, idle = own, -1.0, 0
        for _ in range(self.rounds):
            own = climb(speed, own, self.variant)
            level = least_level(speed, own)
            if level > best_level:
                best, best_level, idle = own, level, 0
            else:
                idle += 1
            if idle >= self.patience:
                break
            own = own.copy()
            removed = rng.choice(workers, workers // masters, replace=False)
            own[removed] = favourites(speed)[removed]
        return best
