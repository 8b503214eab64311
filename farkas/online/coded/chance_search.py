"""Algorithm coded.chance_search."""

import dataclasses
import math

import numpy as np

from farkas.certificates.coded_owners import Types
from farkas.instances.base import Count, Positive
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Allocation
from farkas.numbers import Ints
from farkas.online.coded.chance_plans import ChancePlanner, Grains
from farkas.online.coded.local_search import climb
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import algorithm
from farkas.tolerances import FINE_GAP

STARTS = 3  #: Of the loads that a search may begin with, so many of the best are improved.
#: Multiples of Theorem 1's loads from which a search begins.
FACTORS = tuple(np.linspace(1.0, 3.0, 21).tolist())


@algorithm("coded.chance_search", source="not in the paper; P1", problem="coded.chance")
@dataclasses.dataclass(frozen=True)
class ChanceSearch(ChancePlanner):
    """Local search over owners and whole loads by exact quantiles.

    Begins with the owners of P5 and stretched loads; the slowest master then takes or swaps
    workers while that makes the later of the two masters earlier, and loads move up and down.

    Parameters
    ----------
    grains
        Grains that a master needs; loads are whole grains.
    candidates
        Workers and swaps tried before the slowest master counts as served best.
    rounds
        Changes of owners at most.
    """

    grains: Count = 400
    candidates: Count = 12
    rounds: Count = 200

    def plan(self, data: CodedComputing, seed: int) -> Allocation:
        """Search; draws nothing."""
        return LoadSearch(data, self.judged(data)).plan(self.candidates, self.rounds)

    def judged(self, data: CodedComputing) -> Grains:
        """Return what judges loads."""
        return Grains(data, self.grains)


class LoadSearch:
    """Owners, loads and times, as they stand."""

    def __init__(self, data: CodedComputing, grains: Grains) -> None:
        self.data, self.grains = data, grains
        self.speed = grains.speed
        self.types = Types(np.concatenate([self.speed, grains.time_per_row])).of
        self.owner = climb(self.speed, greedy_owner(self.speed), "lexicographic")
        self.loads = np.zeros(data.workers, np.int64)
        self.times = np.zeros(data.num_masters)
        self.known: dict[tuple[int, bytes], tuple[Ints, float]] = {}
        for master in range(data.num_masters):
            mine = self.workers(self.owner, master)
            self.loads[mine], self.times[master] = self.served(master, mine)

    def plan(self, candidates: int, rounds: int) -> Allocation:
        """Search on, and return the plan."""
        for _ in range(rounds):
            if not self.improve(candidates):
                break
        return self.grains.plan(self.owner, self.loads)

    def workers(self, owner: Ints, master: int) -> Ints:
        """Workers that serve a master."""
        return np.flatnonzero((owner == master) & self.data.allowed[master])

    def served(self, master: int, workers: Ints) -> tuple[Ints, float]:
        """Good loads of some workers for a master, and their time; searched for once."""
        key = master, workers.tobytes()
        if key not in self.known:
            self.known[key] = self._served(master, workers)
        return self.known[key]

    def _served(self, master: int, workers: Ints) -> tuple[Ints, float]:
        if not len(workers):
            return np.zeros(0, np.int64), math.inf
        grains = self.grains
        tried = [grains.stretched(master, workers, factor) for factor in FACTORS]
        begun = grains.best(master, workers, tried + grains.equal(master, workers))[:STARTS]
        different = {loads.tobytes(): (time, loads) for time, loads in begun}
        found = [grains.tuned(master, workers, loads, time) for time, loads in different.values()]
        return min(
            found, key=lambda one: one[1], default=(np.zeros(len(workers), np.int64), math.inf)
        )

    def improve(self, candidates: int) -> bool:
        """Give the slowest master other workers; returns whether that helped it."""
        slow = int(self.times.argmax())
        for owner in self._tries(slow)[:candidates]:
            touched = np.unique([slow, *self.owner[owner != self.owner].tolist()])
            found = [self.served(int(m), self.workers(owner, int(m))) for m in touched]
            if max(time for _, time in found) < self.times[slow] * (1.0 - FINE_GAP):
                self.owner = owner
                for m, (loads, time) in zip(touched.tolist(), found, strict=True):
                    self.loads[self.workers(owner, m)] = loads
                    self.times[m] = time
                return True
        return False

    def _tries(self, slow: int) -> list[Ints]:
        """Owners with one worker more for the slowest master, or one swapped, best first.

        In the order of the time at which both masters would be served if times were inverse to
        levels of P5.  Of workers that are alike the first of each master is moved.
        """
        masters = range(self.data.num_masters)
        levels = np.array([self.speed[m, self.workers(self.owner, m)].sum() for m in masters])
        found: list[tuple[float, Ints]] = []
        mine = self._different(self.workers(self.owner, slow))
        others = self._different(np.flatnonzero(self.data.allowed[slow] & (self.owner != slow)))
        for n in others:
            other = int(self.owner[n])
            for given in (-1, *mine):
                if given >= 0 and not self.data.allowed[other, given]:
                    continue
                back = 0.0 if given < 0 else self.speed[other, given]
                less = 0.0 if given < 0 else self.speed[slow, given]
                left = levels[other] - self.speed[other, n] + back
                right = levels[slow] + self.speed[slow, n] - less
                # a time changes about as the level does; from none at all anything is better
                late = [
                    (self.times[m] * levels[m] / level if levels[m] > 0 else 0.0)
                    if level > 0
                    else math.inf
                    for m, level in ((other, left), (slow, right))
                ]
                owner = self.owner.copy()
                owner[n] = slow
                if given >= 0:
                    owner[given] = other
                found.append((max(late), owner))
        return [owner for _, owner in sorted(found, key=lambda one: one[0])]

    def _different(self, workers: Ints) -> list[int]:
        """Keep the first worker of every owner and type."""
        return list({(self.owner[n], self.types[n]): n for n in workers[::-1].tolist()}.values())[
            ::-1
        ]


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
