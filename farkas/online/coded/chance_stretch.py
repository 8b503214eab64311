"""Algorithm coded.chance_stretch."""

import dataclasses

import numpy as np

from farkas.instances.base import Count, Positive
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.plans import Allocation
from farkas.online.coded.chance_plans import ChancePlanner, Grains
from farkas.online.coded.local_search import climb
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm


@algorithm("coded.chance_stretch", source="not in the paper; P1", problem="coded.chance")
@dataclasses.dataclass(frozen=True)
class ChanceStretch(ChancePlanner):
    """Owners of P5, and for each master the multiple of Theorem 1's loads with the best quantile.

    With ``most`` = 1 these are the paper's loads, judged by P1.

    Parameters
    ----------
    most
        Largest multiple that is tried.
    tried
        Number of multiples from 1 to ``most``.
    grains
        Grains that a master needs; loads are whole grains.
    """

    most: Positive = 3.0
    tried: Count = 41
    grains: Count = 400

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Choose owners by local search, then a multiple for each; draws nothing."""
        speed = Pairs.of(data).speed
        owner = climb(speed, greedy_owner(speed), "lexicographic")
        grains = Grains(data, self.grains)
        loads = np.zeros(data.workers, np.int64)
        factors = np.linspace(1.0, self.most, self.tried)
        for master in range(data.num_masters):
            mine = np.flatnonzero((owner == master) & data.allowed[master])
            tried = [grains.stretched(master, mine, factor) for factor in factors.tolist()]
            for _, best in grains.best(master, mine, tried)[:1]:
                loads[mine] = best
        return grains.plan(owner, loads)
