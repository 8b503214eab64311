"""Small markets: dps.offline itself, solved and proved by branch and bound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.offline.dps.payments import best_prices, decisions_of
from farkas.offline.dps.timeline import Placed, ServerTimeline
from farkas.offline.integer_program import integer_program
from farkas.offline.ladder import Ascent, Rung
from farkas.online.dps.offers import Decision

MOST_CELLS = 300
"""Jobs times servers beyond which dps.offline is too large to be proved soon."""
MOST_ENTRIES = 3_000
"""Coefficients of so many cells."""


def decisions_at(market: Market, form: LinearForm, point: Floats) -> list[Decision]:
    """Read placements off a point of dps.offline whose columns are whole.

    A spread job whose units are all on one server runs no longer than the program says.
    """
    timeline = ServerTimeline(market)
    whole, workers, ps = (
        form.values(point, name) for name in ("whole", "spread_workers", "spread_ps")
    )
    spread = form.values(point, "spread")
    for job in range(market.num_jobs):
        here = np.flatnonzero(whole[job] > 0)
        if len(here):
            units = market.workers[job : job + 1], market.ps[job : job + 1]
            timeline.put(job, Placed(here[:1], *units))
        elif spread[job] > 0:
            held = workers[job].astype(np.int64), ps[job].astype(np.int64)
            used = np.flatnonzero(held[0] + held[1])
            timeline.put(job, Placed(used, held[0][used], held[1][used]))
    return decisions_of(market, best_prices(market), timeline)


_PROGRAMS = {
    capped: integer_program(f"dps.offline[{variant}]", decisions_at, MOST_ENTRIES)
    for capped, variant in ((False, "free"), (True, "capped"))
}


def small(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Solve and prove dps.offline where that is small."""
    cells = instance.num_jobs * instance.num_servers
    if cells > MOST_CELLS:
        raise NoAnswer(f"dps.offline has {cells} cells of job and server, more than {MOST_CELLS}")
    yield from _PROGRAMS[instance.price_cap is not None](instance, ascent)
