"""Algorithm coded.iterated_greedy."""

import dataclasses

import numpy as np

from farkas.instances.base import Count
from farkas.numbers import Floats, Ints
from farkas.online.coded.local_search import Variant, climb, favourites, least_level
from farkas.online.coded.owners import OwnerPlanner
from farkas.online.driver import algorithm


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
