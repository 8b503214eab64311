"""Prices of capacity by type and slot, from a solver or from a subgradient method.

Whatever their origin, `farkas.certificates.dps` proves what they bound.
"""

import numpy as np

from farkas.certificates.dps import Rewards, SlotPrices, rewards_of
from farkas.errors import InvalidOption
from farkas.forms import LinearForm
from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.relaxations.dps.interval import IntervalLP
from farkas.solvers.highs_session import optimum_by_any


def lp_prices(market: Market, rewards: Rewards = "budget", solver: str = "highs") -> SlotPrices:
    """Prices that are optimal up to rounding: row duals of ``dps.interval_lp``, scarce rows only.

    Parameters
    ----------
    market
        The instance.
    rewards
        ``budget`` or ``capped``.
    solver
        Who is asked first.

    Raises
    ------
    NoAnswer
        When no solver gives an optimum with duals.
    """
    form = IntervalLP(rewards=rewards, shape="scarce").form(market)
    duals = optimum_by_any(form, solver, duals=True).row_duals
    return dual_prices(market, form, duals)


def dual_prices(market: Market, form: LinearForm, duals: Floats) -> SlotPrices:
    """Prices that row duals of ``dps.interval_lp`` in cliques state."""
    return SlotPrices.of(
        market, _listed(form, duals, "enough_workers"), _listed(form, duals, "enough_ps")
    )


def _listed(form: LinearForm, duals: Floats, family: str) -> dict[str, Floats | Ints]:
    members = form.row_block(family).axes[0].members
    return {
        "type": members[:, 0],
        "slot": members[:, 1],
        "price": form.row_values(duals, family),
    }


def subgradient_prices(
    market: Market, rewards: Rewards = "budget", iterations: int = 200
) -> SlotPrices:
    """Prices from projected subgradient steps, for markets too large for a solver.

    y ← max(0, y + s (usage / C - 1)), s = 2 Σ r / (Σ C T) / √(iteration + 1); the best prices met
    are kept.

    Parameters
    ----------
    market
        The instance.
    rewards
        ``budget`` or ``capped``.
    iterations
        Steps, >= 0; with none all prices are 0.

    Raises
    ------
    InvalidOption
        Fewer than 0 iterations.
    """
    if iterations < 0:
        raise InvalidOption(f"iterations = {iterations}; give a number >= 0")
    sides = [
        _SideView(market, market.worker_type, market.workers, market.worker_capacity),
        _SideView(market, market.ps_type, market.ps, market.ps_capacity),
    ]
    reward = np.where(market.fits, rewards_of(market, rewards), 0.0)
    volume = float(market.worker_capacity.sum() + market.ps_capacity.sum()) * market.horizon
    prices = [np.zeros(side.size) for side in sides]
    best, kept = float("inf"), prices
    for iteration in range(iterations + 1):
        margin = reward - sum(s.charge(y) for s, y in zip(sides, prices, strict=True))
        value = float(np.maximum(margin, 0.0).sum()) + sum(
            s.worth(y) for s, y in zip(sides, prices, strict=True)
        )
        if value < best:
            best, kept = value, prices
        step = 2.0 * reward.sum() / max(volume, 1.0) / np.sqrt(iteration + 1.0)
        wanted = margin > 0.0
        prices = [
            np.maximum(0.0, y + step * s.excess(wanted)) for s, y in zip(sides, prices, strict=True)
        ]
    return SlotPrices.of(market, sides[0].listed(kept[0]), sides[1].listed(kept[1]))


class _SideView:
    """One side with a price for every slot in which a job of the type arrives."""

    def __init__(self, market: Market, types: Ints, demand: Ints, capacity: Ints) -> None:
        horizon = market.horizon
        self.horizon = horizon
        self.demand = demand.astype(float)
        self.keys = np.unique(types * horizon + market.arrival)
        self.low = np.searchsorted(self.keys, types * horizon + market.arrival)
        last = types * horizon + market.last_slot
        self.high = np.searchsorted(self.keys, last, side="right")
        self.capacity = capacity[self.keys // horizon].astype(float)

    @property
    def size(self) -> int:
        return len(self.keys)

    def charge(self, price: Floats) -> Floats:
        before = np.concatenate([[0.0], np.cumsum(price)])
        return floats(self.demand * (before[self.high] - before[self.low]))

    def worth(self, price: Floats) -> float:
        return float((self.capacity * price).sum())

    def excess(self, wanted: Bools) -> Floats:
        """Usage over capacity minus 1 by row, 0 where nothing is installed and wanted."""
        units = np.where(wanted, self.demand, 0.0)
        change = np.bincount(self.low, units, self.size + 1)
        change -= np.bincount(self.high, units, self.size + 1)
        usage = np.cumsum(change)[: self.size]
        return floats(usage / np.maximum(self.capacity, 1.0) - 1.0)

    def listed(self, price: Floats) -> dict[str, Floats | Ints]:
        return {
            "type": self.keys // self.horizon,
            "slot": self.keys % self.horizon,
            "price": price,
        }
