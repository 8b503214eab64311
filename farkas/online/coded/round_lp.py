"""Algorithm coded.round_lp."""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Mapping

import numpy as np

from farkas.numbers import Floats, Ints
from farkas.online.coded.local_search import climb, least_level
from farkas.online.coded.owner_tree import OwnerPlanner
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.relaxations.coded.sharing import best_sharing
from farkas.tolerances import SHARE


def round_forest(share: Floats) -> Ints:
    """Owner of every worker from the shares of a vertex; shape (workers,), −1 where idle.

    At a vertex, shared workers and the masters that share them form trees, some of them around one
    cycle.  A tree is rooted at its smallest master, or at its cycle, around which every master
    keeps one worker and loses one; any other shared worker goes to its parent.  So a master loses
    at most one worker.  Shares that are no vertex may hold more cycles; then it may lose more.

    Parameters
    ----------
    share
        Shape (masters, workers); k.
    """
    in_use = share > SHARE
    owner = np.where(in_use.any(axis=0), share.argmax(axis=0), -1)
    users = {
        int(n): set(np.flatnonzero(in_use[:, n]).tolist())
        for n in np.flatnonzero(in_use.sum(axis=0) > 1)
    }
    seen: set[int] = set()
    rings = _rings(users)
    for ring in [*rings, *([(root, -1)] for root in range(len(share)))]:
        waiting = [master for master, _ in ring if master not in seen]
        seen.update(waiting)
        for master, worker in ring:
            if worker >= 0:
                owner[worker] = master
                waiting += _children(users.pop(worker), seen)
        while waiting:
            master = waiting.pop()
            for worker in sorted(n for n, masters in users.items() if master in masters):
                owner[worker] = master
                waiting += _children(users.pop(worker), seen)
    return owner


def _children(masters: set[int], seen: set[int]) -> list[int]:
    """Masters that are met for the first time, ascending; they are seen from now on."""
    new = sorted(masters - seen)
    seen.update(new)
    return new


def _rings(users: Mapping[int, set[int]]) -> list[list[tuple[int, int]]]:
    """Every cycle as masters, each with the worker that it keeps: the next one around.

    ``users`` are the masters of each shared worker.
    """
    left = {worker: set(masters) for worker, masters in users.items()}
    while True:  # peel off what hangs on by one end
        shares = Counter(itertools.chain.from_iterable(left.values()))
        left = {n: {m for m in masters if shares[m] > 1} for n, masters in left.items()}
        core = {n: masters for n, masters in left.items() if len(masters) > 1}
        if core == left and all(count > 1 for count in shares.values()):
            break
        left = core
    rings = []
    while left:
        start = master = min(itertools.chain.from_iterable(left.values()))
        ring: list[tuple[int, int]] = []
        while True:
            worker = min((n for n, masters in left.items() if master in masters), default=-1)
            if worker < 0:
                break
            ring.append((master, worker))
            master = min(left.pop(worker) - {master})
            if master == start:
                break
        rings.append(ring)
    return rings


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
        sharing = best_sharing(speed)
        if sharing.level == 0:
            return greedy_owner(speed)
        rounded = round_forest(sharing.share)
        if not self.polish:
            return rounded
        # idle workers are worth something somewhere
        owner = np.where(rounded < 0, speed.argmax(axis=0), rounded)
        found = climb(speed, owner, "lexicographic")
        return max(found, rounded, key=lambda own: least_level(speed, own))
