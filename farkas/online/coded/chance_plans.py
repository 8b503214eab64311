"""Plans for P1: whole loads of dedicated workers, judged by the true law.

A run is worth the smallest time by which every master has its rows with probability ρ, and its
bound is ρ times that of P3 (Markov), proved.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from farkas.instances.base import Count
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import (
    Allocation,
    dedicated_share,
    recovery_probability,
)
from farkas.models.coded.kernel import (
    Pairs,
    WorkerTypes,
    first_time,
)
from farkas.numbers import Ints
from farkas.online.coded.environment import (
    P1,
    Planner,
    broken,
    certify,
    numbers,
    surrogate_times,
)
from farkas.online.coded.local_search import local_optimum
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.driver import Outcome, algorithm
from farkas.online.run import Bound
from farkas.replay.base import Requirements
from farkas.tolerances import FINE_GAP


class ChancePlanner(Planner):
    """Plans that are worth their exact ρ-quantile."""

    def evaluate(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> Outcome:
        """Time by which every master has its rows with ρ, and what else is known of the plan."""
        from farkas.replay.coded_chance import replay_chance

        (plan,) = decisions
        words, value = broken(instance, plan), math.nan
        found: dict[str, float] = {}
        if not words:
            kept = Requirements()
            share, loads = (tuple(map(tuple, part.tolist())) for part in (plan.share, plan.loads))
            reached = replay_chance(instance, share, loads, kept)
            words = list(kept.broken)
            value = math.nan if words else float(reached.proved("min"))
            found = numbers(instance, plan)
            expected = float(surrogate_times(instance, plan.share, plan.loads).max())
            if math.isfinite(expected):
                found["expected"] = expected
        return Outcome([{"completion": value}], words, value, found)

    def certify(
        self, instance: CodedComputing, state: int, decisions: Sequence[Allocation]
    ) -> Bound | None:
        """Prove ρ times the bound of P3, with dedicated workers where the plan's are."""
        return certify(instance, decisions[0], P1)


MOST_PAIRS = 8  #: Workers of a master up to which loads are also moved from one to another.


class Grains:
    """Masters whose rows are sent in grains, so that laws are short sums.

    Parameters
    ----------
    data
        The instance.
    most
        Grains that a master needs at most.
    """

    def __init__(self, data: CodedComputing, most: int) -> None:
        self.data = data
        self.rows = np.ceil(data.rows / most).astype(np.int64)
        """Rows of a grain, shape (masters,)."""
        self.needed = -(-data.rows.astype(np.int64) // self.rows)
        """Grains that a master needs, shape (masters,)."""
        self.check: Callable[[], None] = lambda: None
        """Asked before a time is looked for; what it raises ends a search."""

    def chance(self, master: int, workers: Ints, loads: Ints, time: float) -> float:
        """P[X >= L] at a time, loads in grains."""
        rows = loads * float(self.rows[master])
        per_row = np.divide(time, rows, out=np.zeros(len(rows)), where=rows > 0)
        late = np.maximum(per_row - self.data.shifts[master, workers], 0.0)
        done = -np.expm1(-self.data.rates[master, workers] * late)
        return recovery_probability(loads, done, float(self.needed[master]))

    def time(self, master: int, workers: Ints, loads: Ints) -> float:
        """Smallest time at which P[X >= L] reaches ρ; infinite where the loads do not suffice."""
        self.check()
        if loads.sum() < self.needed[master]:
            return math.inf
        target = self.data.success_probability
        if self.chance(master, workers, loads, math.inf) < target:
            return math.inf
        used = loads > 0
        rows = loads[used] * float(self.rows[master])
        early = float((rows * self.data.shifts[master, workers[used]]).min())
        return first_time(
            lambda t: self.chance(master, workers, loads, t) >= target, early, FINE_GAP
        )

    def stretched(self, master: int, workers: Ints, factor: float) -> Ints:
        """Return the surrogate's loads times a factor, rounded up to grains, shape (workers,)."""
        pairs = Pairs.of(self.data)
        speed = pairs.speed[master, workers]
        if not speed.any():
            return np.zeros(len(workers), dtype=np.int64)
        whole = factor / (speed.sum() * pairs.time_per_row[master, workers] * self.rows[master])
        # more than the master needs is never useful, and workers that hardly wait get far more
        whole = np.minimum(np.ceil(whole * (1.0 - FINE_GAP)), self.needed[master])
        return np.asarray(whole, dtype=np.int64)

    def best(self, master: int, workers: Ints, tried: list[Ints]) -> list[tuple[float, Ints]]:
        """Return times of loads, earliest first; those that never suffice are left out."""
        different = {loads.tobytes(): loads for loads in tried}  # factors round to the same loads
        times = {key: self.time(master, workers, loads) for key, loads in different.items()}
        found = [(times[loads.tobytes()], loads) for loads in tried]
        return sorted((one for one in found if one[0] < math.inf), key=lambda one: one[0])

    def equal(self, master: int, workers: Ints) -> list[Ints]:
        """Return loads of which any k of the workers suffice, for every k from 1 on."""
        needed = int(self.needed[master])
        return [np.full(len(workers), -(-needed // k)) for k in range(1, len(workers) + 1)]

    def tuned(self, master: int, workers: Ints, loads: Ints, time: float) -> tuple[Ints, float]:
        """Move loads up and down, in halving steps, while the probability at the time rises.

        Two workers' loads move at once, too.

        Returns
        -------
        Loads and their time, never later.
        """
        step = max(1, int(loads.max(initial=0)) // 4)
        while step:
            better = self._moved(master, workers, loads, time, step)
            sooner = self.time(master, workers, better)
            if sooner < time * (1.0 - FINE_GAP):
                loads, time = better, sooner
            else:
                step //= 2
        return loads, time

    def _moved(self, master: int, workers: Ints, loads: Ints, time: float, step: int) -> Ints:
        """Return loads after a sweep of steps that raise the probability, one by one."""
        reached = self.chance(master, workers, loads, time)
        moves = step * np.eye(len(workers), dtype=np.int64)
        changes = [*moves, *-moves]
        if len(workers) <= MOST_PAIRS:
            changes += [
                moves[n] - moves[o] for n, o in itertools.permutations(range(len(moves)), 2)
            ]
        for change in changes:
            tried = np.maximum(loads + change, 0)
            found = self.chance(master, workers, tried, time)
            if found > reached:
                loads, reached = tried, found
        return loads

    def plan(self, owner: Ints, loads: Ints) -> Allocation:
        """Plan of owners, shape (workers,), and their loads in grains, shape (workers,)."""
        share = dedicated_share(np.where(loads > 0, owner, -1), self.data.num_masters)
        return Allocation(share, share * (loads * self.rows[owner]))


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
        return LoadSearch(data, Grains(data, self.grains)).plan(self.candidates, self.rounds)


class LoadSearch:
    """Owners, loads and times, as they stand."""

    def __init__(self, data: CodedComputing, grains: Grains) -> None:
        self.data, self.grains = data, grains
        pairs = Pairs.of(data)
        self.speed = pairs.speed
        self.types = WorkerTypes.given(np.concatenate([self.speed, pairs.time_per_row])).of
        self.owner = local_optimum(self.speed, greedy_owner(self.speed), "lexicographic")
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
