"""Coded computation from the paper's formulas: Lambert's W in 40 digits, lists, sets of workers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from farkas.instances.coded import CodedComputing

Table = Sequence[Sequence[float]]


def patience(work: float) -> Any:
    """h > 0 with h - ln(1 + h) = c, by (14): -W(-exp(-c - 1)) - 1 on the lower branch."""
    with mpmath.workdps(40):
        return -mpmath.lambertw(-mpmath.exp(-mpmath.mpf(work) - 1), -1).real - 1


def pair(data: CodedComputing, m: int, n: int) -> tuple[Any, Any] | None:
    """Speed v and time per row φ of a pair, (14) and (17); None where it is forbidden."""
    rate, shift = data.rate[m][n], data.shift[m][n]
    if rate is None or shift is None:
        return None
    h = patience(rate * shift)
    return rate / (data.masters[m].rows * (1 + h)), h / rate


def speeds(data: CodedComputing) -> list[list[float]]:
    found = [[pair(data, m, n) for n in range(data.workers)] for m in range(len(data.masters))]
    return [[0.0 if one is None else float(one[0]) for one in row] for row in found]


def theorem_1(data: CodedComputing, owner: Sequence[int]) -> tuple[list[list[float]], list[float]]:
    """Loads of owners by (15), and the times of the masters by (16); -1 is idle."""
    loads = [[0.0] * data.workers for _ in data.masters]
    times = []
    for m in range(len(data.masters)):
        mine = {n: pair(data, m, n) for n, own in enumerate(owner) if own == m}
        able = {n: one for n, one in mine.items() if one is not None}
        time = 1 / sum(v for v, _ in able.values()) if able else mpmath.inf
        times.append(float(time))
        for n, (_, per_row) in able.items():
            loads[m][n] = float(time / per_row)
    return loads, times


def blocks(masters: int, workers: int) -> list[int]:
    """Owners of contiguous blocks, the first ones larger by one."""
    sizes = [workers // masters + (m < workers % masters) for m in range(masters)]
    return [m for m, size in enumerate(sizes) for _ in range(size)]


def evenly(data: CodedComputing) -> list[list[int]] | None:
    """Rows of every master split over its block, the first workers one more; None where not."""
    loads = [[0] * data.workers for _ in data.masters]
    owner = blocks(len(data.masters), data.workers)
    for m, master in enumerate(data.masters):
        mine = [n for n, own in enumerate(owner) if own == m]
        if not mine or any(data.rate[m][n] is None for n in mine):
            return None
        for place, n in enumerate(mine):
            loads[m][n] = master.rows // len(mine) + (place < master.rows % len(mine))
    return loads


def level(speed: Table, owner: Sequence[int]) -> float:
    """Speed of the slowest master."""
    return min(
        math.fsum(row[n] for n, own in enumerate(owner) if own == m) for m, row in enumerate(speed)
    )


def shared_level(speed: Table) -> Fraction:
    """max over shares of the slowest master, as the least Σ max π v over prices that sum to 1.

    Convex and piecewise linear in the prices, so that the least is where pieces cross.
    """
    exact = [[Fraction(v) for v in row] for row in speed]
    masters = range(len(exact))
    found = []
    for some in itertools.chain.from_iterable(
        itertools.combinations(masters, size) for size in range(1, len(exact) + 1)
    ):
        # ratios of prices along a tree of workers that two masters want alike
        for order in itertools.permutations(some[1:]):
            for tree in itertools.product(
                itertools.product(some, range(len(exact[0]))), repeat=len(order)
            ):
                prices: dict[int, Fraction] = {some[0]: Fraction(1)}
                for m, (other, n) in zip(order, tree, strict=True):
                    if other in prices and exact[m][n] and exact[other][n]:
                        prices[m] = prices[other] * exact[other][n] / exact[m][n]
                if len(prices) == len(some):
                    found.append(_worth(exact, prices))
    return min(found)


def _worth(speed: Sequence[Sequence[Fraction]], prices: dict[int, Fraction]) -> Fraction:
    best = (max(price * speed[m][n] for m, price in prices.items()) for n in range(len(speed[0])))
    return sum(best, Fraction(0)) / sum(prices.values())


def rounded_vertex(share: Table) -> list[int]:
    """Whole owners: every shared worker to the master nearer to the smallest of its tree."""
    masters, workers = range(len(share)), range(len(share[0]))
    users = [[m for m in masters if share[m][n] > 1e-9] for n in workers]
    near: dict[int, int] = {}
    for root in masters:
        if root in near:
            continue
        near[root] = 0
        while True:
            new = {
                m: 1 + min(near[o] for o in users[n] if o in near)
                for n in workers
                for m in users[n]
                if m not in near and any(o in near for o in users[n])
            }
            if not new:
                break
            near |= new
    return [min(use, key=lambda m: (near[m], m)) if use else -1 for use in users]


def returned(data: CodedComputing, m: int, n: int, load: int, time: float) -> float:
    """P[T <= t] of a load, (2)."""
    rate, shift = data.rate[m][n], data.shift[m][n]
    if load == 0 or rate is None or shift is None or time <= shift * load:
        return 0.0
    return -math.expm1(-rate / load * (time - shift * load))


def chance(data: CodedComputing, m: int, loads: dict[int, int], time: float) -> float:
    """P[X >= L] by all sets of workers that are back."""
    total = 0.0
    for back in itertools.product((False, True), repeat=len(loads)):
        got = [load for load, here in zip(loads.values(), back, strict=True) if here]
        if sum(got) >= data.masters[m].rows:
            part = 1.0
            for (n, load), here in zip(loads.items(), back, strict=True):
                p = returned(data, m, n, load, time)
                part *= p if here else 1 - p
            total += part
    return total


def quantile(data: CodedComputing, m: int, loads: dict[int, int]) -> float:
    """Smallest time by which a master has its rows with probability ρ, by halving."""
    if sum(loads.values()) < data.masters[m].rows:
        return math.inf
    low, high = 0.0, 1.0
    while chance(data, m, loads, high) < data.success_probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if chance(data, m, loads, middle) < data.success_probability:
            low = middle
        else:
            high = middle
    return high


def stretched(
    data: CodedComputing, m: int, owner: Sequence[int], factors: Sequence[float], grains: int
) -> list[list[int]]:
    """Theorem 1's loads of a master times each factor, in grains of which so many are its rows."""
    own, _ = theorem_1(data, owner)
    grain = -(-data.masters[m].rows // grains)
    most = -(-data.masters[m].rows // grain)
    return [
        [grain * min(most, math.ceil(load * factor / grain * (1 - 1e-9))) for load in own[m]]
        for factor in factors
    ]


def least_step(data: CodedComputing, share: Table, loads: Table, time: float, split: str) -> float:
    """Time of P(z), (26) and (27), every product written out and its concave part tangent at z.

    By the split "scaled" or "product"; in the printed units solvers keep three digits.
    """
    import cvxpy as cp

    t = cp.Variable(nonneg=True)
    rules, sums = [], [[] for _ in range(data.workers)]
    for m, master in enumerate(data.masters):
        less: list[Any] = []
        for n in range(data.workers):
            rate, shift = data.rate[m][n], data.shift[m][n]
            if rate is None or shift is None:
                continue
            k, l, y = (cp.Variable(nonneg=True) for _ in range(3))  # noqa: E741
            late = rate * shift * l - rate * t
            rules.append(cp.ExpCone(late, l, y))
            sums[n].append(k)
            k0, l0 = share[m][n], loads[m][n]
            gone = math.exp(rate * shift - rate * time / l0)
            y0 = l0 * gone
            if split == "product":
                kept, beta = l - y, (l0 - y0) / k0
                less.append(_square(beta, -1, k, kept) / 4)
                less.append(-_tangent(beta, k, kept, k0, l0 - y0) / 4)
                continue
            beta = l0 / k0
            less.append((beta * cp.square(k) + cp.square(l) / beta) / 2)
            less.append(-_tangent(beta, k, l, k0, l0) / 2)
            less.append(_square(beta, 1, k, y) / 2)
            # y itself is convex in loads and time, so that its square is tangent in these
            slope = gone * (1 + rate * time / l0), -rate * gone
            line = y0 + slope[0] * (l - l0) + slope[1] * (t - time)
            less.append(-beta * (k0**2 + 2 * k0 * (k - k0)) / 2)
            less.append(-(y0**2 + 2 * y0 * (line - y0)) / beta / 2)
        rules.append(cp.sum(cp.hstack(less)) + master.rows <= 0)
    rules += [cp.sum(cp.hstack(parts)) <= 1 for parts in sums if parts]
    problem = cp.Problem(cp.Minimize(t), rules)
    problem.solve(solver="CLARABEL")
    return float(problem.value)


def _square(beta: float, sign: int, k: Any, x: Any) -> Any:
    import cvxpy as cp

    return cp.square(math.sqrt(beta) * k + sign * x / math.sqrt(beta))


def _tangent(beta: float, k: Any, x: Any, k0: float, x0: float) -> Any:
    """Tangent of (√β k + x/√β)² at a point."""
    there = math.sqrt(beta) * k0 + x0 / math.sqrt(beta)
    return there**2 + 2 * there * (math.sqrt(beta) * (k - k0) + (x - x0) / math.sqrt(beta))
