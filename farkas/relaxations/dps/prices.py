"""Prices of capacity by type and slot, from a solver or from a subgradient method.

They are prices of the rows of ``farkas.certificates.dps.PricedMarket``, which proves what any of
them bound.
"""

import copy
from typing import Self

import numpy as np

from farkas.certificates.dps import Rewards, priced_market
from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats, Ints, distinct, floats
from farkas.relaxations.dps.interval import IntervalLP
from farkas.solvers.session import optimum_by_any


def lp_prices(market: Market, rewards: Rewards = "budget") -> Floats:
    """Prices that are optimal up to rounding: row duals of ``dps.interval_lp``, scarce rows only.

    Raises `NoAnswer` when no solver gives an optimum with duals.
    """
    program = priced_market(market, f"dps.interval_lp[{rewards}]", False)
    form = IntervalLP(rewards=rewards, shape="scarce").form(market)
    duals = optimum_by_any(form, duals=True).row_duals
    found = []
    for family, shape in zip(("enough_workers", "enough_ps"), program.shapes, strict=True):
        side, members = np.zeros(shape), form.row_block(family).axes[0].members
        slot = np.searchsorted(program.slots, members[:, 1])
        side[:, members[:, 0], slot] = form.row_values(duals, family)
        found.append(side.ravel())
    return np.concatenate(found)


ITERATIONS = 200  #: Subgradient steps.


def subgradient_prices(market: Market, rewards: Rewards = "budget") -> Floats:
    """Prices from projected subgradient steps, for markets too large for a solver.

    y ← max(0, y + s (usage / C - 1)), s = 2 Σ r / (Σ C T) / √(iteration + 1), from 0 on; the best
    prices met are kept.
    """
    program = priced_market(market, f"dps.interval_lp[{rewards}]", False)
    after = np.searchsorted(program.slots, market.last_slot, "right")
    sides = [_Side(*side, program.first, after) for side in program.sides]
    reward, total = program.reward, program.reward.sum()
    some = np.logical_or(*(side.low < side.high for side in sides))  # the others pay nothing
    reward, sides = reward[some], [side.of(some) for side in sides]
    volume = float(market.worker_capacity.sum() + market.ps_capacity.sum()) * market.horizon
    prices = [np.zeros(len(side.keys)) for side in sides]
    best, kept = float("inf"), prices
    for iteration in range(ITERATIONS + 1):
        margin = reward - sum(s.charge(y) for s, y in zip(sides, prices, strict=True))
        value = float(np.maximum(margin, 0.0).sum()) + sum(
            float((s.capacity * y).sum()) for s, y in zip(sides, prices, strict=True)
        )
        if value < best:
            best, kept = value, prices
        step = 2.0 * total / max(volume, 1.0) / np.sqrt(iteration + 1.0)
        wanted = margin > 0.0
        prices = [
            np.maximum(0.0, y + step * s.excess(wanted)) for s, y in zip(sides, prices, strict=True)
        ]
    found = []
    for side, y, shape in zip(sides, kept, program.shapes, strict=True):
        row = np.zeros(shape[1] * shape[2])
        row[side.keys] = y
        found.append(np.tile(row, shape[0]))
    return np.concatenate(found)


class _Side:
    """One side with a price for every scarce slot in which a job of the type arrives."""

    def __init__(self, types: Ints, demand: Ints, units: Ints, first: Ints, after: Ints) -> None:
        many = int(first.max(initial=-1)) + 1
        self.demand = demand.astype(float)
        self.keys = distinct(types * many + first)
        self.low = np.searchsorted(self.keys, types * many + first)
        self.high = np.searchsorted(self.keys, types * many + after)
        self.capacity = units.sum(axis=0)[self.keys // max(1, many)].astype(float)
        # where there is enough for all of them, the price stays 0
        scarce = self.excess(np.ones(len(demand), np.bool_)) > 0.0
        before = np.concatenate([[0], np.cumsum(scarce)])
        self.keys, self.capacity = self.keys[scarce], self.capacity[scarce]
        self.low, self.high = before[self.low], before[self.high]

    def of(self, jobs: Bools) -> Self:
        """Return the side with some of the jobs."""
        side = copy.copy(self)
        side.demand, side.low, side.high = (x[jobs] for x in (self.demand, self.low, self.high))
        return side

    def charge(self, price: Floats) -> Floats:
        """Price of what each job holds."""
        before = np.concatenate([[0.0], np.cumsum(price)])
        return floats(self.demand * (before[self.high] - before[self.low]))

    def excess(self, wanted: Bools) -> Floats:
        """Usage over capacity minus 1 by row, 0 where nothing is installed and wanted."""
        units, size = np.where(wanted, self.demand, 0.0), len(self.keys)
        change = np.bincount(self.low, units, size + 1) - np.bincount(self.high, units, size + 1)
        return floats(np.cumsum(change)[:size] / np.maximum(self.capacity, 1.0) - 1.0)
