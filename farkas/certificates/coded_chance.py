"""Bounds on P1 of coded from whole prices of workers: what masters must pay for their probability.

Let a plan serve every master by t with probability ρ, and let worker n cost μ_n >= 0.  The workers
that draw master m are random, S; it pays μ(S), on average Σ_n μ_n k_mn, so that all masters
together pay Σ_n μ_n at most.  With W_m(b) no less than P[X_m >= L_m] of any workers that cost b or
less, with any loads, ρ <= P[X_m >= L_m] = E P[X_m >= L_m | S] <= E W_m(μ(S)).  So m pays c_m at
least, the least b at which the concave envelope of W_m reaches ρ: b >= c_m + y (W_m(b) − ρ) for
every b, y the inverse of its slope there.  Where Σ_m c_m > Σ_n μ_n, or where W_m(Σ_n μ_n) < ρ for a
master, no plan is as early as t; dedicated workers are drawn with certainty.

**W_m.**  Let loads wait: of workers in a fixed order each gets its load when it is known what the
ones before have returned, each has the whole time, and none need be asked; a plan may do so.  With
V(b, s) the largest probability that s more rows come for a budget b, 1 for s <= 0, else 0 when
nobody is left, one more worker makes it

    max(V(b, s), max over loads l of p(l) V(b − μ, s − l) + (1 − p(l)) V(b − μ, s)).

Rows are counted in cells of g, (i − 1) g < s <= i g, and so are loads.  For l of cell j the rest
s − l lies in cell i − j or above, p falls with l, and V with s: p at l = (j − 1) g + 1 is no less.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from farkas.certificates.outward import down, returned_above, up
from farkas.certificates.sums import affordable
from farkas.instances.coded import CodedComputing
from farkas.kernels import Floats1, Floats2, Out, compiled, copy_floats
from farkas.numbers import Floats, Ints

MOST_STEPS = 2**36  #: Sums of the recursions of all masters: about a minute.
FRACTION = 2**13  #: Sums that take as long as what a master pays at one budget, in fractions.
MOST_NUMBERS = 2**23  #: Probabilities of one master: 64 MB.
MOST_CELLS = 2**14  #: Of the rows of one master.
WHOLE_SUM = 300  #: Of all prices, up to which every master may buy all workers.
TURNS = 100  #: Lines that are tried for what a master pays; any of them proves something.
SURE = 1 / 16  #: Part of 1 − ρ that a budget may leave; beyond it every probability is taken as 1.


@compiled(steps=lambda mass, chance, price: mass.size * len(chance))
def serve(mass: Out[Floats2], chance: Floats1, price: int) -> None:
    """Let one more worker be asked, for any load, at any budget that is left.

    ``mass``, shape (budgets, cells), is V; ``chance``, shape (loads,), is p.
    """
    cells, loads = mass.shape[1], len(chance)
    best, ahead = np.empty(cells), np.ones(loads + cells)
    for budget in range(mass.shape[0] - 1, price - 1, -1):
        copy_floats(mass[budget], best)
        copy_floats(mass[budget - price], ahead[loads:])
        same, most = ahead[loads + 1 :], best[1:]
        for k in range(loads):
            p, fewer = chance[k], ahead[loads - k :]
            q = 1.0 - p
            for i in range(cells - 1):
                found = p * fewer[i] + q * same[i]
                most[i] = found if found > most[i] else most[i]
        copy_floats(best, mass[budget])


def chance_by_budget(
    data: CodedComputing, master: int, prices: Ints, time: float, most: int, budget: int,
    steps: float = 0.0,
) -> tuple[Floats, float]:  # fmt: skip
    """Bound P[X >= L] at a time > 0, for workers that cost 0, 1, ..., ``budget`` together.

    ``prices``, shape (workers,), are whole and >= 0; ``most`` cells hold the rows, >= 1; ``steps``
    went before, and are returned with those taken here.  Raises `NotACertificate` when it would
    take more numbers or steps than a proof may.
    """
    rows = data.masters[master].rows
    cell = -(-rows // most)
    cells, able = -(-rows // cell), np.flatnonzero(data.allowed[master]).tolist()
    affordable((budget + 1) * (cells + 1), "a table of budgets and rows", MOST_NUMBERS)
    alike = Counter(
        (int(prices[n]), float(data.rates[master, n]), float(data.shifts[master, n])) for n in able
    )
    mass = np.zeros((budget + 1, cells + 1))
    mass[:, 0] = 1.0
    # least load of each cell, exactly
    steps, least = steps + FRACTION * (budget + 1.0), np.arange(0.0, rows, cell) + 1.0
    for (price, rate, shift), count in sorted(alike.items()):
        # of workers that are alike no more than can be paid
        count = min(count, budget // price) if price else count
        with np.errstate(over="ignore"):
            y = up(rate * (time / least), 2) - down(np.array(rate * shift))
        # of loads that fill 1, 2, ... cells and return at all
        chance = returned_above(up(y[y > 0]))
        steps += float(count) * (budget + 1) * len(chance) * cells
        affordable(steps, "chances of masters", MOST_STEPS)
        for _ in range(count if len(chance) else 0):
            serve(mass, chance, price)
    # a difference, a product and a sum for every worker, each rounded either way
    return np.minimum(up(mass[:, -1], 3 * len(able) + 1), 1.0), steps


def least_payment(worth: Floats, target: float) -> Fraction:
    """Least mean budget of draws whose mean of ``worth``, W at 0, 1, ..., reaches ρ; c_m."""
    below, enough = np.flatnonzero(worth < target), np.flatnonzero(worth >= target)
    if not len(below):
        return Fraction(0)
    # the line that is lowest at ρ, in doubles: any slope proves something
    low, high, inverse = int(below[0]), int(enough[0]), 0.0
    for _ in range(TURNS):
        inverse = float((high - low) / (worth[high] - worth[low]))
        place = int((np.arange(len(worth)) - inverse * worth).argmin())
        if place in (low, high):
            break
        low, high = (place, high) if worth[place] < target else (low, place)
    slope, aim = Fraction(inverse), Fraction(target)
    return max(min(b - slope * (Fraction(w) - aim) for b, w in enumerate(worth.tolist())), 0 * aim)


def costs(data: CodedComputing, prices: Ints, time: float, cells: int, likely: Floats) -> Fraction:
    """Return what masters pay together at least; twice all prices and more where one cannot.

    ``prices``, shape (workers,), are whole, >= 0, not all 0; ``likely``, shape (masters,), are
    shares of all prices from which those are sought that are enough for a master, and become these.
    """
    owned, total, target = int(prices.sum()), Fraction(0), data.success_probability
    steps = 0.0
    for master, share in enumerate(likely.tolist()):
        budget = owned if owned <= WHOLE_SUM else min(math.ceil(share * owned), owned)
        worth, steps = chance_by_budget(data, master, prices, time, cells, budget, steps)
        while budget < owned and 1.0 - worth[-1] > SURE * (1.0 - target):
            budget = min(math.ceil(1.3 * budget) + 1, owned)
            worth, steps = chance_by_budget(data, master, prices, time, cells, budget, steps)
        if budget < owned:
            budget = int((1.0 - worth <= SURE * (1.0 - target)).argmax())
            worth = np.append(worth[: budget + 1], 1.0)
        likely[master] = budget / owned
        if worth[-1] < target:
            return total + 2 * owned
        total += least_payment(worth, target)
    return total
