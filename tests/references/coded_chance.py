"""The search of P1 as one reads it: owners, loads in grains, and times of masters, with lists."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.instances.coded import CodedComputing
from tests.references import coded_plans, coded_search

Plan = tuple[list[int], list[int]]
"""Owners and rows of the workers."""


class Judge:
    """Exponential times of a master's workers, whose loads are ``{worker: grains}``."""

    def __init__(self, data: CodedComputing, grains: int) -> None:
        self.data = data
        self.grain = [-(-master.rows // grains) for master in data.masters]
        needed = zip(data.masters, self.grain, strict=True)
        self.needed = [-(-master.rows // grain) for master, grain in needed]
        self.known: dict[Any, Any] = {}

    def pair(self, m: int, n: int) -> Any:
        """Speed and time per row, or None."""
        return coded_plans.pair(self.data, m, n)

    def back(self, m: int, n: int, load: int, time: Any) -> Any:
        """P[T <= t] of a load."""
        return coded_plans.returned(self.data, m, n, load * self.grain[m], time)

    def chance(self, m: int, loads: dict[int, int], time: Any) -> Any:
        """P[X >= L], from the probabilities of all sums below."""
        below = {0: Fraction(1) if isinstance(time, Fraction) else 1.0}
        for n, load in loads.items():
            p, after = self.back(m, n, load, time), dict.fromkeys(below, 0)
            for total, mass in below.items():
                after[total] = after.get(total, 0) + mass * (1 - p)
                if total + load < self.needed[m]:
                    after[total + load] = after.get(total + load, 0) + mass * p
            below = after
        return 1 - sum(below.values())

    def time(self, m: int, loads: dict[int, int]) -> Any:
        """Smallest time at which the chance reaches ρ, infinite where none does."""
        key = m, tuple(loads.items())
        if key not in self.known:
            self.known[key] = self.earliest(m, loads)
        return self.known[key]

    def earliest(self, m: int, loads: dict[int, int]) -> Any:
        """The same, by halving."""
        if sum(loads.values()) < self.needed[m]:
            return math.inf
        low, high, target = 0.0, 1.0, self.data.success_probability
        while self.chance(m, loads, high) < target:
            low, high = high, 2 * high
        while high - low > 1e-11 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.chance(m, loads, middle) >= target else (middle, high)
        return high


class Search:
    """Owners, loads and times as they stand."""

    def __init__(self, judge: Judge) -> None:
        self.judge, self.data = judge, judge.data
        self.masters, self.workers = range(len(self.data.masters)), range(self.data.workers)
        self.pairs = [[judge.pair(m, n) for n in self.workers] for m in self.masters]
        self.speed = [[0.0 if one is None else float(one[0]) for one in row] for row in self.pairs]
        speed = np.array(self.speed)
        first = np.array(coded_search.greedy(speed))
        self.owner = coded_search.search(speed, first, "lexicographic").tolist()
        self.found = [self.served(m, self.owner) for m in self.masters]

    def may(self, m: int, n: int) -> bool:
        """Whether a worker may serve a master."""
        return self.data.rate[m][n] is not None

    def alike(self, n: int, o: int) -> bool:
        """Whether two workers do the same for every master."""
        return all(row[n] == row[o] for row in self.pairs)

    def served(self, m: int, owner: Sequence[int]) -> tuple[dict[int, int], Any]:
        """Loads of a master's workers, and their time."""
        mine = [n for n in self.workers if owner[n] == m and self.may(m, n)]
        if not mine:
            return {}, math.inf
        needed = self.judge.needed[m]
        begin = [self.stretched(m, mine, 1 + step / 10) for step in range(21)]
        begin += [dict.fromkeys(mine, -(-needed // k)) for k in range(1, len(mine) + 1)]
        begin = [loads for loads in begin if self.judge.time(m, loads) < math.inf]
        begin.sort(key=lambda loads: self.judge.time(m, loads))
        tuned = [self.tuned(m, loads) for loads in begin[:3]]
        best = min(
            tuned, key=lambda loads: self.judge.time(m, loads), default=dict.fromkeys(mine, 0)
        )
        return best, self.judge.time(m, best)

    def stretched(self, m: int, mine: Sequence[int], factor: float) -> dict[int, int]:
        """Theorem 1's loads times a factor, in whole grains."""
        able = {n: self.pairs[m][n] for n in mine}
        if not any(able.values()):
            return dict.fromkeys(mine, 0)
        level = sum(one[0] for one in able.values() if one)
        rows = {n: factor / (level * one[1]) if one else 0.0 for n, one in able.items()}
        grain, needed = self.judge.grain[m], self.judge.needed[m]
        return {n: min(needed, math.ceil(some / grain * (1 - 1e-9))) for n, some in rows.items()}

    def tuned(self, m: int, loads: dict[int, int]) -> dict[int, int]:
        """Loads after sweeps of moves, in halving steps."""
        step = max(1, max(loads.values()) // 4)
        while step:
            time = self.judge.time(m, loads)
            after = self.swept(m, loads, time, step)
            if self.judge.time(m, after) < time * (1 - 1e-9):
                loads = after
            else:
                step //= 2
        return loads

    def swept(self, m: int, loads: dict[int, int], time: Any, step: int) -> dict[int, int]:
        """Loads after every move that raised the chance."""
        moves = [{n: step} for n in loads] + [{n: -step} for n in loads]
        if len(loads) <= 8:
            moves += [{n: step, o: -step} for n, o in itertools.permutations(loads, 2)]
        for move in moves:
            after = {n: max(0, load + move.get(n, 0)) for n, load in loads.items()}
            if self.judge.chance(m, after, time) > self.judge.chance(m, loads, time):
                loads = after
        return loads

    def improve(self, candidates: int) -> bool:
        """Give the slowest master a worker more, or another, if both masters are earlier then.

        Of workers of one owner that are alike the first is moved.
        """
        times = [time for _, time in self.found]
        slow = times.index(max(times))
        levels = [
            sum(self.speed[m][n] for n in self.workers if self.owner[n] == m and self.may(m, n))
            for m in self.masters
        ]
        tries = []
        mine = [o for o in self.workers if self.owner[o] == slow and self.may(slow, o)]
        mine = [o for o in mine if not any(self.alike(o, p) for p in mine if p < o)]
        for n in self.workers:
            other = self.owner[n]
            if other == slow or not self.may(slow, n):
                continue
            if any(self.owner[p] == other and self.alike(n, p) for p in range(n)):
                continue
            for given in [None, *(o for o in mine if self.may(other, o))]:
                owner, left, right = list(self.owner), levels[other], levels[slow]
                owner[n] = slow
                left, right = left - self.speed[other][n], right + self.speed[slow][n]
                if given is not None:
                    owner[given] = other
                    left, right = left + self.speed[other][given], right - self.speed[slow][given]
                late = (
                    math.inf if level <= 0 else times[m] * levels[m] / level if levels[m] else 0.0
                    for m, level in ((other, left), (slow, right))
                )
                tries.append((max(late), other, owner))
        tries.sort(key=lambda one: one[0])
        for _, other, owner in tries[:candidates]:
            two = {m: self.served(m, owner) for m in (slow, other)}
            if max(time for _, time in two.values()) < times[slow] * (1 - 1e-9):
                self.owner = owner
                for m, one in two.items():
                    self.found[m] = one
                return True
        return False

    def plan(self, candidates: int, rounds: int) -> Plan:
        """Owners, -1 for idle workers, and their rows."""
        for _ in range(rounds):
            if not self.improve(candidates):
                break
        rows = [self.found[m][0].get(n, 0) * self.judge.grain[m] for n, m in enumerate(self.owner)]
        return [m if some else -1 for m, some in zip(self.owner, rows, strict=True)], rows
