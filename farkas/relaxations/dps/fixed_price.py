"""Bounds on the profit of a fixed price: as printed, and as they should be.  DPS (3)."""

import numpy as np

from farkas.instances.dps import Market
from farkas.models.dps import windows
from farkas.models.dps.windows import MarketSide
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.tolerances import allowed


def payments(market: Market, worker: Floats, ps: Floats) -> Floats:
    """Return what every job is asked for at fixed prices by type, shape (jobs,)."""
    return floats(worker[market.worker_type] * market.workers + ps[market.ps_type] * market.ps)


def demand_bound(market: Market, worker: Floats, ps: Floats) -> float:
    """Payments of all jobs that can afford the prices, whether or not they fit.  DPS (3), 2nd term.

    Parameters
    ----------
    market
        The instance.
    worker, ps
        Prices, shapes (worker types,), (server types,).
    """
    asked = payments(market, worker, ps)
    return float(asked[asked <= allowed(market.budget)].sum())


def printed_bound(market: Market, worker: Floats, ps: Floats) -> float:
    """Right-hand side of (3) as printed, which is no bound.

    Its first term multiplies a price with units and unused slots, although a job pays once; it
    vanishes when jobs run as long as the horizon.  Runtimes are averaged over all jobs of a type.
    """
    supply = sum(
        _printed_supply(market, side, price)
        for side, price in ((windows.worker_side(market), worker), (windows.ps_side(market), ps))
    )
    return min(demand_bound(market, worker, ps), supply)


def _printed_supply(market: Market, side: MarketSide, price: Floats) -> float:
    total = 0.0
    for kind in np.unique(side.types):
        mean = float(market.least_runtime[side.types == kind].mean())
        total += float(price[kind]) * int(side.capacity[kind]) * (market.horizon - mean)
    return total


def corrected_bound(market: Market, worker: Floats, ps: Floats) -> float:
    """Bound on the profit of fixed prices: demand, and units times the sales each can make.

    A unit starts a job at most once in as many arrival slots as the shortest job holds it.
    """
    asked = payments(market, worker, ps)
    able = (asked <= allowed(market.budget)) & market.fits
    supply = sum(
        _supply(market, side, price, able)
        for side, price in ((windows.worker_side(market), worker), (windows.ps_side(market), ps))
    )
    return min(float(asked[able].sum()), supply)


def _supply(market: Market, side: MarketSide, price: Floats, able: Bools) -> float:
    total = 0.0
    for kind in np.unique(side.types[able]):
        jobs = np.flatnonzero(able & (side.types == kind))
        held = fewest_slots(market)[jobs].min()
        span = market.arrival[jobs].max() - market.arrival[jobs].min() + held
        total += float(price[kind]) * int(side.capacity[kind]) * int(span // held)
    return total


def fewest_slots(market: Market) -> Ints:
    """Arrival slots in which a job holds its units at the least, shape (jobs,)."""
    runtime = market.least_runtime
    closed = market.occupancy == "closed"
    held = np.floor(runtime) + 1 if closed else np.maximum(1.0, np.ceil(runtime))
    return held.astype(np.int64)
