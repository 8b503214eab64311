"""A better bound where several jobs share spans of slots, and schedules that fit them as wholes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.certificates.eris_spans import ErisSpans
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.deadline import OutOfTime
from farkas.instances.eris import Auction
from farkas.offline.eris.choice import CLOSE, packed
from farkas.offline.eris.packing import Packing
from farkas.offline.eris.priced_columns import PricedRound
from farkas.offline.eris.span_columns import SpannedRound, SpanPricer, span_columns
from farkas.offline.ladder import Ascent, Rung
from farkas.online.run import Bound

METHOD = "prices of schedules and of spans"
PATIENCE = 3  #: Rounds of rows without progress after which no more are looked for.
#: A bound is proved when its distance to the value has fallen to this share, or is near enough.
NEARER = 0.5


def spanned(packing: Packing, found: PricedRound, ascent: Ascent) -> Iterator[Rung]:
    """Look for rows of spans, prove the bound, and pack the schedules that the rows ask for.

    Parameters
    ----------
    packing
        Schedules that are known.
    found
        Prices that are the same at every site.
    """
    close, pricer = CLOSE * float(ascent.gap), packing.pricer
    proved, best, waited, last = found.bound, np.inf, 0, None
    try:
        for last in span_columns(pricer, found, ascent.deadline, close):
            if proves(last.bound, proved, ascent):
                proved = last.bound
                yield _proved(packing.auction, last)
            waited = 0 if last.value < best * (1.0 - close) else waited + 1
            best = min(best, last.value)
            if waited >= PATIENCE:
                break
    except OutOfTime:  # what was found by then counts
        pass
    if last is None or not len(last.spans):
        return
    if last.bound < proved:
        yield _proved(packing.auction, last)
    packing.price(last.prices)
    SpanPricer(pricer).price(last.prices, last.spans)
    yield from packed(packing, last.columns, last.prices, ascent, pooled=True, spans=last.spans)


def proves(bound: float, proved: float, ascent: Ascent) -> bool:
    """Whether a bound is worth a proof."""
    if bound >= proved or ascent.value is None:
        return False
    value = float(ascent.value)
    return bound - value <= NEARER * (proved - value) or bound * (1 - float(ascent.gap)) <= value


def _proved(auction: Auction, found: SpannedRound) -> Rung:
    """Certify what prices and charges prove."""
    spans, charges = found.spans.by_span()
    try:
        made = ErisSpans.of(auction, spans, charges, found.prices.transfer, found.prices.resource)
    except NotACertificate as error:  # for example numbers beyond all doubles
        raise NoAnswer(f"{METHOD}: {error}") from error
    return Rung(METHOD, bound=Bound.of(Fraction(made.bound), METHOD, made.plain()))
