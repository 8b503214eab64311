"""Algorithm coded.round_lp."""

import dataclasses

import numpy as np

from farkas.numbers import Floats, Ints
from farkas.online.coded.exhaustive import least_level
from farkas.online.coded.local_search import climb
from farkas.online.coded.owners import OwnerPlanner
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.relaxations.coded.assignment_lp import best_sharing
from farkas.tolerances import SHARE


def round_forest(share: Floats) -> Ints:
    """Owner of every worker from the shares of a vertex; shape (workers,), −1 where idle.

    At a vertex the shared workers and the masters that share them form a forest.  Every tree is
    rooted at its smallest master and a shared worker goes to its parent, so that a master loses at
    most the one worker it is a child of.  Shares with a cycle are rounded along a spanning
    forest; then a master may lose more.

    Parameters
    ----------
    share
        Shape (masters, workers); k.
    """
    masters = len(share)
    in_use = share > SHARE
    owner = np.where(in_use.any(axis=0), share.argmax(axis=0), -1)
    split = set(np.flatnonzero(in_use.sum(axis=0) > 1).tolist())
    seen: set[int] = set()
    for root in range(masters):
        if root in seen:
            continue
        seen.add(root)
        waiting = [root]
        while waiting:
            master = waiting.pop()
            for worker in sorted(w for w in split if in_use[master, w]):
                split.remove(worker)
                owner[worker] = master
                children = [m for m in np.flatnonzero(in_use[:, worker]).tolist() if m not in seen]
                seen.update(children)
                waiting += children
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
