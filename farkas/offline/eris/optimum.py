"""The greatest welfare of kind eris when all jobs are known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.certificates.eris import certify_prices
from farkas.errors import NoAnswer
from farkas.exact.bounding import OutOfTime
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.offline.climbing import bounded_by
from farkas.offline.eris.cases import PricedRound, cases, price_columns
from farkas.offline.eris.choice import CLOSE, PATIENCE, best_schedules, decisions_of, packed
from farkas.offline.eris.packing import Packing
from farkas.offline.eris.span_columns import spanned
from farkas.offline.ladder import Ascent, Ladder, Rung, integer_program, ladders
from farkas.online.run import Bound
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.welfare_bound import METHODS, find_prices, payoffs_by

# The search for the greatest welfare: prices of schedules, a choice of them, exchanges.
#
# Prices come from column generation, first the same at every site, then by site.  They bound the
# welfare; they also say which schedules are worth a place.  An integer program chooses among these,
# with rows of all sites together, and what it plans is packed site by site: workers and servers of
# a slot change sites, and jobs change places within the plan, until the others fit.  Then jobs are
# exchanged at random while no worth is lost.  Where prices that are the same at every site leave a
# gap, rows of spans are looked for before prices by site are.


PROGRESS = 0.02  #: A bound is proved when it has fallen by this share, and at the end.


def priced(instance: Auction, ascent: Ascent) -> Iterator[Rung]:
    """Improve both sides by prices, the same at every site and then by site."""
    pricer = JobPricer(instance)
    packing = Packing(pricer)
    yield _proved(instance, ascent, find_prices(instance, "free"), METHODS["free"])
    packing.fill(np.argsort(instance.chunks, kind="stable"))
    yield Rung("small jobs first", packing.decisions())
    found: PricedRound | None = None
    for pooled in (True, False) if instance.sites > 1 else (True,):
        about = "prices of schedules" + ("" if pooled else " by site")
        proved = np.inf
        for found in _settling(packing, found, ascent, pooled=pooled):  # noqa: B020
            if found.bound < proved * (1.0 - PROGRESS):
                proved = found.bound
                yield _proved(instance, ascent, found.prices, about)
        if found is None:
            return
        yield _proved(instance, ascent, found.prices, about)
        packing.price(found.prices)
        pricer.bound(found.prices)
        yield from best_schedules(packing)
        yield from packed(packing, found.columns, found.prices, ascent, pooled=pooled)
        if pooled:
            yield from spanned(packing, found, ascent)


def _settling(
    packing: Packing, start: PricedRound | None, ascent: Ascent, *, pooled: bool
) -> Iterator[PricedRound]:
    """Price until bound and master are close, or nothing moves, or the deadline comes."""
    known = packing.columns() if start is None else packing.columns().join(start.columns)
    prices = None if start is None else start.prices
    small = CLOSE * float(ascent.gap)
    waited, best = 0, np.inf
    try:
        for found in price_columns(packing.pricer, ascent.deadline, prices, known, pooled=pooled):
            yield found
            waited = 0 if found.bound < best * (1.0 - small) else waited + 1
            best = min(best, found.bound)
            if found.distance <= small or waited > PATIENCE:
                return
    except OutOfTime:  # what was found by then counts
        return


def _proved(instance: Auction, ascent: Ascent, prices: Prices, about: str) -> Rung:
    """Certify what prices prove."""
    payoffs = payoffs_by(ascent.executor)
    proved = certify_prices(instance, prices.transfer, prices.resource, payoffs)
    return Rung(about, bound=Bound.of(Fraction(proved.bound), about, proved.plain()))


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


_climbers: Any = (priced, small, cases)
ladders.add("eris.optimum", Ladder("eris.optimum", climbers=_climbers))


@bounded_by.register("eris.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Name prices, and where schedules can be listed the choice of one a job."""
    return "eris.pooled_prices", "eris.column_prices", "eris.schedule_ilp"
