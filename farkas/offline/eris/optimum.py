"""The greatest welfare of kind eris when all jobs are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from farkas.algebra.formulation import Formulation
from farkas.errors import NoAnswer
from farkas.instances.eris import Auction
from farkas.offline.climbing import bounded_by
from farkas.offline.eris.schedules import AuctionPricing, decisions_of
from farkas.offline.ladder import Ascent, Ladder, Rung, integer_program, ladders
from farkas.offline.priced import priced

#: Cells, of job, slot and site, beyond which eris.offline is too large to be proved in minutes.
MOST_CELLS = 2_000
MOST_ENTRIES = 60_000  #: Coefficients of so many cells.

_program = integer_program("eris.offline[compact]", decisions_of, MOST_ENTRIES)


def small(instance: Auction, ascent: Ascent) -> Iterator[Rung]:
    """Solve and prove eris.offline where that is small."""
    busy = [len(job.utility) for job in instance.jobs if any(job.data)]
    cells = sum(busy) * instance.sites
    if cells > MOST_CELLS:
        raise NoAnswer(
            f"eris.offline has {cells} cells of job, slot and site, more than {MOST_CELLS}"
        )
    yield from _program(instance, ascent)


by_prices = priced(AuctionPricing)
_climbers: Any = (by_prices, small)
ladders.add("eris.optimum", Ladder("eris.optimum", climbers=_climbers))


@bounded_by.register("eris.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name prices, and where schedules can be listed the choice of one a job."""
    return "eris.pooled_prices", "eris.column_prices", "eris.schedule_ilp"
