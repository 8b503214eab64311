"""What jobs pay that are served with hindsight, and placements as decisions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.offline.dps.timeline import ServerTimeline
from farkas.online.dps.offers import Decision


def best_prices(market: Market) -> Floats:
    """Highest unit price, the same on both sides, at which each job pays; shape (jobs,)."""
    found = []
    for job in market.jobs:
        units = job.workers + job.ps
        price = job.budget / units
        if Fraction(price) * units > Fraction(job.budget):
            price = float(np.nextafter(price, 0.0))
        found.append(price if market.price_cap is None else min(price, market.price_cap))
    return np.array(found, dtype=float)


def decisions_of(market: Market, prices: Floats, timeline: ServerTimeline) -> list[Decision]:
    """Sell to the jobs that are placed, at their own prices; offer nothing to the others."""
    found = []
    for number, job in enumerate(market.jobs):
        where = timeline.placed.get(number)
        if where is None:
            found.append(Decision("declined"))
            continue
        price = float(prices[number])
        held = (tuple(units.tolist()) for units in (where.servers, where.workers, where.ps))
        servers, workers, ps = held
        payment = price * (job.workers + job.ps)
        found.append(Decision("sold", payment, price, price, servers, workers, ps))
    return found
