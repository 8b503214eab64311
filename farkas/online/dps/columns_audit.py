"""Sales of a whole market, added up and audited by columns; words for faults are made elsewhere.

The readable version looks at one decision after the other, in `farkas.online.dps.environment`.
"""

import numpy as np

from farkas.instances.dps import Market
from farkas.models.dps.windows import MarketSide, ps_side, worker_side
from farkas.numbers import Bools, Floats, Ints
from farkas.online.dps.kernel import SOLD
from farkas.online.dps.sales import Sales
from farkas.tolerances import allowed


def numbers_of(market: Market, sales: Sales) -> dict[str, float]:
    """Count outcomes of a run, and add up the runtime of its jobs."""
    served, whole = sales.served, sales.colocated
    runtime = np.where(whole, market.colocated_runtime, market.spread_runtime)
    return {
        "offered": float((~np.isnan(sales.worker_price)).sum()),
        "sold": float((sales.outcome == SOLD).sum()),
        "explored": float(sales.exploring.sum()),
        "served": float(served.sum()),
        "colocated": float(whole.sum()),
        "total_runtime": sum(runtime[served].tolist(), 0.0),
    }


def keeps_all(market: Market, sales: Sales) -> bool:
    """Whether sales break nothing: payments, units of each job, and units in use."""
    most = market.budget
    if market.price_cap is not None:
        most = np.minimum(most, market.price_cap * (market.workers + market.ps))
    paid = sales.payment > 0
    within = ~(sales.payment > allowed(most)).any() and not (paid & ~sales.served).any()
    held = np.diff(sales.first) > 0
    if not within or (held != sales.served).any():
        return False
    job = np.repeat(np.arange(len(sales)), np.diff(sales.first))
    if len(job) and (min(sales.workers.min(), sales.ps.min()) < 0 or sales.servers.min() < 0):
        return False
    if (sales.servers >= market.num_servers).any():
        return False
    if (sales.workers + sales.ps == 0).any():
        return False
    ends = np.where(sales.colocated, market.colocated_end, market.spread_end)[job]
    return all(
        _whole(job, units, side.demand, held)
        and _idle(market, side, job, sales.servers, units, ends)
        for side, units in ((worker_side(market), sales.workers), (ps_side(market), sales.ps))
    )


def _whole(job: Ints, units: Ints, demand: Ints, served: Bools) -> bool:
    """Whether each job served has all its units."""
    total = np.bincount(job, units, len(demand))
    return bool((total[served] == demand[served]).all())


def _idle(
    market: Market, side: MarketSide, job: Ints, server: Ints, units: Ints, ends: Floats
) -> bool:
    """Whether no server ever lacks units of a type.

    Units are taken on arrival, after those of all jobs that are over by then were given back; in a
    slot usage only rises, so that it is largest after its last arrival.
    """
    cell = side.types[job] * market.num_servers + server
    closed = market.occupancy == "closed"
    # arrivals before which a job is over: those after its end, or from it on
    slots, arrival = np.unique(side.start, return_inverse=True)
    over = np.searchsorted(slots, ends, side="right" if closed else "left")
    moment = np.concatenate([2 * over, 2 * arrival[job] + 1])
    order = np.argsort(np.tile(cell, 2) * (2 * len(slots) + 2) + moment)
    used = np.cumsum(np.concatenate([-units, units])[order])
    # all that a cell lends comes back, so that sums begin again at 0 in the next one
    return bool((used <= side.installed.T.ravel()[np.tile(cell, 2)[order]]).all())
