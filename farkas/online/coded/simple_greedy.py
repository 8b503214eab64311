"""Algorithm coded.simple_greedy."""

import dataclasses

import numpy as np

from farkas.instances.base import Count
from farkas.numbers import Floats, Ints
from farkas.online.coded.environment import OwnerPlanner
from farkas.online.coded.local_search import Variant, favourites, least_level, local_optimum
from farkas.online.driver import algorithm
from farkas.tolerances import SHARE


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
            own = local_optimum(speed, own, self.variant)
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


def round_forest(share: Floats) -> Ints:
    """Owner of every worker from the shares of a vertex; shape (workers,), −1 where idle.

    All masters that share a worker but one lose it.  At a vertex they form trees with the workers,
    some around one cycle, so that every loss finds a master of its own; the smallest one of a tree
    loses none.  Shares that are no vertex may hold more cycles; then a master may lose more.

    Parameters
    ----------
    share
        Shape (masters, workers); k.
    """
    in_use = share > SHARE
    owner = np.where(in_use.any(axis=0), share.argmax(axis=0), -1)
    shared = np.flatnonzero(in_use.sum(axis=0) > 1).tolist()
    losers: dict[int, list[int]] = {n: [] for n in shared}

    def loses(master: int, tried: set[int]) -> bool:
        """Let a master lose a worker, where others may have to lose another one."""
        for n in (n for n in shared if in_use[master, n] and n not in tried):
            tried.add(n)
            full = len(losers[n]) == in_use[:, n].sum() - 1
            moved = next((m for m in losers[n] if loses(m, tried)), None) if full else None
            if full and moved is None:
                continue
            losers[n] = [m for m in losers[n] if m != moved] + [master]
            return True
        return False

    for master in reversed(range(len(share))):
        loses(master, set())
    for n in shared:
        owner[n] = next(m for m in np.flatnonzero(in_use[:, n]).tolist() if m not in losers[n])
    return owner


@algorithm("coded.round_lp", source="not in the paper; after Bezáková and Dani (2005)")
@dataclasses.dataclass(frozen=True)
class RoundLp(OwnerPlanner):
    """Vertex of the linear program, shared workers given to one of their masters.

    A master loses at most one worker: V >= V_LP − max v (coded.rounding_loses_one_worker).

    Parameters
    ----------
    polish
        Whether the lexicographic local search follows.
    """

    polish: bool = True

    def owner(self, speed: Floats, seed: int) -> Ints:
        """Round, then search; where the program serves nobody, as the simple greedy."""
        from farkas.relaxations.coded.sharing import best_sharing

        sharing = best_sharing(speed)
        if sharing.level == 0:
            return greedy_owner(speed)
        rounded = round_forest(sharing.share)
        if not self.polish:
            return rounded
        # idle workers are worth something somewhere
        owner = np.where(rounded < 0, speed.argmax(axis=0), rounded)
        found = local_optimum(speed, owner, "lexicographic")
        return max(found, rounded, key=lambda own: least_level(speed, own))
