"""The linear relaxation of (3) with rows that hold jobs as wholes: columns and rows in turn.

Rows of spans (`farkas.relaxations.eris.schedule_master`) charge who completes in them.  So a job is
priced as before, with a worth that may rise with the slot of completion; where it does, a schedule
may be done and still count as completed later, which is a column of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy import sparse

from farkas.certificates.eris_cases import ErisSpans
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats, Ints
from farkas.offline.eris.cases import PricedRound
from farkas.offline.eris.choice import CLOSE, packed
from farkas.offline.eris.packing import Packing
from farkas.offline.ladder import Ascent, Rung
from farkas.online.run import Bound
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns, finishes
from farkas.relaxations.eris.schedule_master import ScheduleMaster, SpanRows, violated_rows
from farkas.solvers import solve
from farkas.tolerances import SOLVER_GAP

MOST_ROUNDS = 40  #: Times that rows are looked for.
MOST_PRICINGS = 12  #: Rounds of prices between two of them.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SpannedRound:
    """State when rows are looked for."""

    bound: float  #: Least so far, in doubles.
    #: prices, spans: that give it; spans hold their multipliers then.
    prices: Prices
    spans: SpanRows
    value: float  #: Optimum of the master, with all rows.
    columns: ScheduleColumns  #: All schedules of the master.


class SpanPricer:
    """Best schedules of all jobs at prices and charges of spans."""

    def __init__(self, pricer: JobPricer) -> None:
        self._pricer, self._jobs = pricer, pricer.jobs

    def price(self, prices: Prices, spans: SpanRows) -> tuple[float, ScheduleColumns]:
        """Return the bound on the welfare, in doubles, and the chosen schedules."""
        pricer, table, auction = self._pricer, self._jobs, self._pricer.auction
        touched, less = spans.worths()
        later = np.maximum.accumulate(np.maximum(less, 0.0)[:, ::-1], axis=1)[:, ::-1]
        worth, place = table.worth.copy(), np.full(auction.num_jobs, -1)
        place[touched] = np.arange(len(touched))
        for i, row in zip(touched.tolist(), later, strict=True):
            worth[table.begin[i] : table.begin[i + 1]] = row[: auction.slots - table.arrival[i]]
        pricer.jobs = table._replace(worth=worth)
        try:
            bound = pricer.bound(prices) + float((spans.limits * spans.multipliers).sum())
            found = pricer.columns()
        finally:
            pricer.jobs = table
        delay = finishes(found, auction)
        row = place[found.job]
        early = np.flatnonzero(row >= 0)
        early = early[less[row[early], delay[early]] < later[row[early], delay[early]]]
        for n in early.tolist():  # the first slot in which it is worth what it counted as
            some = slice(delay[n], None)
            delay[n] += int((less[row[n], some] >= later[row[n], delay[n]]).argmax())
        return bound, completing(found, table.worth[table.begin[found.job] + delay],
                                 auction.arrival[found.job] + delay)  # fmt: skip


def completing(columns: ScheduleColumns, worth: Floats, slot: Ints) -> ScheduleColumns:
    """Return schedules that count as busy, with nothing to do, in the slot of completion too."""
    many = len(columns.job)
    shape, rows = columns.busy.shape, np.arange(many)
    busy = sparse.coo_array((np.ones(many), (rows, slot)), shape=shape).tocsr()
    busy = busy.maximum(columns.busy).tocsr()
    busy.sort_indices()
    return dataclasses.replace(columns, worth=worth, busy=busy)


def span_columns(
    pricer: JobPricer, start: PricedRound, deadline: Deadline, close: float
) -> Iterator[SpannedRound]:
    """Look for rows and price all jobs in turn until no row is violated.

    Raises `OutOfTime`: the deadline came; `NoAnswer`: HiGHS has no prices.

    Parameters
    ----------
    start
        Prices that are the same at every site, and schedules.
    deadline
        No round begins after it.
    close
        Share of the bound at which master and bound are near enough to look for rows.
    """
    auction, columns, prices = pricer.auction, start.columns, start.prices
    master, charging = ScheduleMaster(auction, pooled=True), SpanPricer(pricer)
    spans, best = SpanRows(auction), (start.bound, start.prices, SpanRows(auction))
    for _ in range(MOST_ROUNDS):
        for _ in range(MOST_PRICINGS):
            deadline.check()
            bound, found = charging.price(prices, spans)
            if bound < best[0]:
                best = bound, prices, spans.copy()
            columns = columns.join(found)
            prices, spans.multipliers, value = master.duals(columns, deadline.left, spans)
            deadline.check()
            if bound - value <= close * bound:
                break
        yield SpannedRound(*best, value, columns)
        form, _ = master.form(columns, integer=False, spans=spans)
        answer = solve(form, time_limit=deadline.left)
        deadline.check()
        if not answer.has_point:
            return
        price = prices.resource.max(axis=0, initial=0.0)
        tight = price > SOLVER_GAP * price.max(axis=1, keepdims=True, initial=0.0)
        rows = violated_rows(auction, columns, answer.point, tight)
        if not rows:
            return
        spans.add(rows)


METHOD = "prices of schedules and of spans"
IDLE_ROUNDS = 3  #: Rounds of rows without progress after which no more are looked for.
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
            if waited >= IDLE_ROUNDS:
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
