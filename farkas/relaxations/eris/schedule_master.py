"""The restricted master of (3) for many jobs: prices from the middle of the optimal ones.

An interior-point method without crossover solves it: where many prices are optimal it ends in their
middle, so that schedules chosen there do not swing from one site or slot to another.  Rows of all
sites may be added up; prices are the same at every site then, and the rows so few that the time of
a round is that of its jobs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec
import numpy as np
from scipy import sparse

from farkas.certificates.eris_cases import Span, most_charged, room_of, sizes_of
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns, finishes, weighted_rows
from farkas.relaxations.eris.welfare_bound import prohibitive
from farkas.solvers import solve

# Rows of a master that hold jobs as wholes: those that arrive and complete in a span of slots.
#
# What such jobs need fits into what the span holds of a resource
# (`farkas.certificates.eris_cases`), so that they are a choice of a knapsack.  Of its inequalities
# those are looked for that a solution of the linear program violates: the capacity is divided by a
# size and rounded, jobs that are nearly all complete being counted by how much of them is not
# (complemented mixed-integer rounding, Marchand and Wolsey 2001).  Their right side is then lowered
# to what the knapsack proves.


LONGEST = 30  #: Slots of a span at most.
LARGEST_ROOM = 1 << 14  #: Units of a span at most; its knapsack is a table of so many numbers.
#: A row is violated by more than this, where the largest charge is 1; shares that are closer to
#: whole ones, and remainders, count as whole.
VIOLATED = 1e-3
#: Spans of which this share of a slot or more is not needed by who completes there are passed.
SLACK = 0.75
PARTS = (1, 2, 3, 4)  #: A size divided by these is what a capacity is divided by.
#: Jobs of which more is complete are counted by how much of them is not.
NEARLY = (0.5, 0.1, 0.3, 0.7, 0.9)
EACH = 2  #: Rows of a round with the same last slot and resource.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SpanRow:
    """Σ charges of the jobs that complete in a span <= limit."""

    span: Span
    charges: Floats  #: Shape (jobs of the span,), >= 0, the largest 1.
    limit: float


class SpanRows:
    """Rows of spans, with a multiplier each."""

    def __init__(self, auction: Auction) -> None:
        self.auction = auction
        self.rows: list[SpanRow] = []
        self.multipliers = np.zeros(0)

    def __len__(self) -> int:
        return len(self.rows)

    def copy(self) -> SpanRows:
        """Return the same rows and multipliers, to which others may be added."""
        other = SpanRows(self.auction)
        other.rows, other.multipliers = self.rows.copy(), self.multipliers.copy()
        return other

    @property
    def limits(self) -> Floats:
        """Right sides, shape (rows,)."""
        return np.array([row.limit for row in self.rows])

    def add(self, rows: Sequence[SpanRow]) -> None:
        """Append rows, with multiplier 0."""
        self.rows += rows
        self.multipliers = np.append(self.multipliers, np.zeros(len(rows)))

    def matrix(self, columns: ScheduleColumns) -> sparse.csr_array:
        """Return what schedules are charged for in every row, shape (schedules, rows)."""
        done = self.auction.arrival[columns.job] + finishes(columns, self.auction)
        charge = np.zeros(self.auction.num_jobs)
        found, entries = [], []
        for row in self.rows:
            jobs = np.array(row.span.jobs, np.int64)
            charge[jobs] = row.charges
            at = np.flatnonzero((done <= row.span.last) & (charge[columns.job] > 0))
            found.append(at)
            entries.append(charge[columns.job[at]])
            charge[jobs] = 0.0
        many = np.cumsum([0, *map(len, found)])
        nothing: Ints = np.zeros(0, np.int64)
        shape = (len(self.rows), len(columns.job))
        where = np.concatenate([*found, nothing]), many
        by_row = sparse.csr_array((np.concatenate([*entries, np.zeros(0)]), *where), shape=shape)
        return by_row.T.tocsr()

    def paid(self, columns: ScheduleColumns) -> Floats:
        """Return what schedules are charged in all at the multipliers, shape (schedules,)."""
        return weighted_rows(self.matrix(columns), self.multipliers)

    def by_span(self) -> tuple[list[Span], list[Floats]]:
        """Charges at the multipliers, those of rows of one span together: one knapsack."""
        totals: dict[tuple[int, int, int], dict[int, float]] = {}
        units = {}
        for row, factor in zip(self.rows, self.multipliers.tolist(), strict=True):
            if factor > 0:
                key = row.span.first, row.span.last, row.span.resource
                units[key], total = row.span.unit, totals.setdefault(key, {})
                for i, charge in zip(row.span.jobs, row.charges.tolist(), strict=True):
                    total[i] = total.get(i, 0.0) + factor * charge
        spans, charges = [], []
        for (first, last, k), total in sorted(totals.items()):
            jobs = tuple(sorted(i for i, charge in total.items() if charge > 0))
            unit = units[first, last, k]
            spans.append(Span(first=first, last=last, resource=k, unit=unit, jobs=jobs))
            charges.append(np.array([total[i] for i in jobs]))
        return spans, charges

    def worths(self) -> tuple[Ints, Floats]:
        """Jobs that are charged, with their worth by slots from the arrival less what they pay.

        Returns
        -------
        Jobs, shape (charged,), and worths, shape (charged, slots), which may rise and lie below 0.
        """
        spans, charges = self.by_span()
        owner = np.concatenate([np.zeros(0, np.int64), *(np.array(s.jobs, int) for s in spans)])
        touched, place = np.unique(owner.astype(np.int64), return_inverse=True)
        worth = np.zeros((len(touched), self.auction.slots))
        for i, row in zip(touched.tolist(), worth, strict=True):
            utility = self.auction.jobs[i].utility
            row[: len(utility)] = utility
        last = np.repeat([span.last for span in spans], [len(span.jobs) for span in spans])
        paid = np.zeros_like(worth)
        delay = last.astype(np.int64) - self.auction.arrival[owner.astype(np.int64)]
        np.add.at(paid, (place, delay), np.concatenate([np.zeros(0), *charges]))
        worth -= np.cumsum(paid[:, ::-1], axis=1)[:, ::-1]
        return touched, worth


def violated_rows(
    auction: Auction, columns: ScheduleColumns, share: Floats, tight: Bools
) -> list[SpanRow]:
    """Rows of spans that a solution of a master violates, the most violated ones.

    Parameters
    ----------
    share
        Of each schedule in the solution, shape (schedules,).
    tight
        Shape (resources, slots); spans lie in slots whose resource is tight.
    """
    found: list[SpanRow] = []
    done = auction.arrival[columns.job] + finishes(columns, auction)
    everyone: Ints = np.flatnonzero(auction.chunks > 0)
    for k, slots in enumerate(tight):
        unit = unit_of(auction, k)
        if unit <= 0 or not slots.any():
            continue
        whole = Span(first=0, last=0, resource=k, unit=unit, jobs=())
        size: Ints = np.zeros(auction.num_jobs, np.int64)
        size[everyone] = [min(n, LARGEST_ROOM + 1) for n in sizes_of(auction, whole, everyone)]
        for begin, end in runs(slots):
            some = np.flatnonzero((share > 0) & (done >= begin) & (done <= end))
            low, high = np.searchsorted(auction.arrival, [begin, end + 1]).tolist()
            some = some[(columns.job[some] >= low) & (columns.job[some] < high)]
            complete = np.zeros((high - low, end - begin + 1))
            np.add.at(complete, (columns.job[some] - low, done[some] - begin), share[some])
            complete = np.minimum(np.cumsum(complete, axis=1), 1.0)
            for last in range(begin, end + 1):
                by = complete[:, last - begin]
                jobs = low + np.flatnonzero((by > VIOLATED) & (size[low:high] > 0))
                shortest = msgspec.structs.replace(whole, last=last)
                found += _best_rows(auction, shortest, begin, jobs, size, by[jobs - low])
    return found


def _best_rows(
    auction: Auction, span: Span, begin: int, jobs: Ints, size: Ints, by: Floats
) -> Iterator[SpanRow]:
    """Rows of spans that end with a slot and begin with ``begin`` or later.

    Of ``jobs`` the shares ``by``, shape (jobs,), complete by then.
    """
    arrival, tried = auction.arrival[jobs], []
    a_slot = room_of(auction, msgspec.structs.replace(span, first=span.last))
    for first in range(span.last, max(begin, span.last - LONGEST + 1) - 1, -1):
        here = slice(int(np.searchsorted(arrival, first)), None)
        needed, share = size[jobs[here]], by[here]
        room = room_of(auction, msgspec.structs.replace(span, first=first))
        if room > LARGEST_ROOM:
            break
        over = float((needed.astype(np.float64) * share).sum()) - room
        between = (share < 1.0 - VIOLATED) & (needed > 1)
        if over > 0.0 or (between.any() and over >= -SLACK * a_slot):
            row = rounded(needed, share, room)
            if row is not None:
                tried.append((row[0], first, jobs[here], share, row[1]))
    for _, first, some, share, charges in sorted(tried, key=lambda row: -row[0])[:EACH]:
        kept = charges > 0
        those = msgspec.structs.replace(span, first=first, jobs=tuple(some[kept].tolist()))
        limit = float(most_charged(auction, those, charges[kept]))
        if float((charges[kept] * share[kept]).sum()) > limit + VIOLATED:
            yield SpanRow(those, charges[kept], limit)


def rounded(size: Ints, share: Floats, room: int) -> tuple[float, Floats] | None:
    """Charges of the inequality of a knapsack that shares violate by the largest distance.

    Parameters
    ----------
    size, share
        Shapes (jobs,), whole units > 0, and how much of each is chosen, in [0, 1].
    room
        Units.

    Returns
    -------
    The distance, and charges, shape (jobs,), the largest 1; None where nothing is violated.
    """
    whole = size.astype(np.float64)
    between = (share > VIOLATED) & (share < 1.0 - VIOLATED)
    divisors = np.unique(size[between][:, None] / np.array(PARTS))
    best, charges = 0.0, np.zeros(len(size))
    excess = float((whole * share).sum()) - room
    if excess > VIOLATED * float(size.max(initial=0)):  # units were rounded already
        best, charges = excess / math.sqrt(float((whole * whole).sum())), whole
    for least in NEARLY:
        nearly = share > least
        left = room - int(size[nearly].sum())
        signed, chosen = np.where(nearly, -whole, whole), np.where(nearly, 1.0 - share, share)
        for divisor in divisors[divisors >= 1.0].tolist():
            below = np.floor(left / divisor)
            rest = left / divisor - below
            if not VIOLATED < rest < 1.0 - VIOLATED:
                continue
            parts = signed / divisor
            down = np.floor(parts)
            slope = down + np.maximum(parts - down - rest, 0.0) / (1.0 - rest)
            violation, length = (
                float((slope * chosen).sum()) - below,
                math.sqrt(float((slope * slope).sum())),
            )
            if violation > max(VIOLATED, best * length):
                best = violation / length
                charges = np.maximum(np.where(nearly, -slope, slope), 0.0)
    return (best, charges / charges.max()) if best else None


def unit_of(auction: Auction, k: int) -> float:
    """Greatest common divisor of what jobs need of a resource; the least need if it is too fine.

    Needs are doubles, multiples of some power of two, so that the divisor is exact in any unit.
    """
    workers = -(-auction.epochs * auction.chunks // auction.worker_rate)
    needs = workers * auction.worker_demand[:, k] + auction.server_demand[:, k]
    needs = needs[(auction.chunks > 0) & (needs > 0)]
    if not len(needs):
        return 0.0
    exact = list(map(Fraction, needs.tolist()))
    parts = max(need.denominator for need in exact)  # powers of two
    unit = Fraction(math.gcd(*(int(need * parts) for need in exact)), parts)
    return float(unit if needs.max() <= LARGEST_ROOM * unit else needs.min())


def runs(marked: Bools) -> list[tuple[int, int]]:
    """First and last slot of each run of marked ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))


class ScheduleMaster:
    """The restricted master of (3), with rows of its own or of all sites together.

    Parameters
    ----------
    auction
        Budgets and capacities.
    pooled
        Whether each resource of a slot has one row for all sites.
    occupied
        What is in use already, as prices are arranged; nothing by default.
    times
        Shape (jobs,), how often each job comes; once by default.
    """

    def __init__(
        self,
        auction: Auction,
        *,
        pooled: bool,
        occupied: Floats | None = None,
        times: Floats | None = None,
    ) -> None:
        self.auction, self.pooled = auction, pooled
        slots, shape = auction.slots, auction.used.shape
        fine = np.concatenate(
            [np.full(slots, auction.transfer_budget), np.repeat(auction.capacity, slots)]
        )
        if occupied is not None:
            fine = np.maximum(fine - occupied, 0.0)
        self.times = np.ones(auction.num_jobs) if times is None else times
        of_sites = np.arange(auction.used.size).reshape(shape)
        if pooled:
            of_sites = np.broadcast_to(of_sites[:1], shape)
        self._row: Ints = np.concatenate([np.arange(slots), slots + of_sites.ravel()])
        self.limits = np.bincount(self._row, fine).astype(np.float64)
        self._free = sum((job.utility[0] for job in auction.jobs if not any(job.data)), 0.0)

    def rows(self, columns: ScheduleColumns) -> sparse.csr_array:
        """Use of every row by every schedule, shape (schedules, rows)."""
        found = columns.usage.tocoo()
        shape = (len(columns.job), len(self.limits))
        where = found.coords[0], self._row[found.coords[1]]
        return sparse.coo_array((found.data, where), shape=shape).tocsr()

    def form(
        self, columns: ScheduleColumns, *, integer: bool, spans: SpanRows | None = None
    ) -> tuple[LinearForm, Bools]:
        """Return the program that chooses schedules, and which rows it has.

        Columns are schedules; rows are those that some schedule uses, then one for every job, then
        those of spans.  Jobs without data, which need none, are a constant.
        """
        usage = self.rows(columns)
        used = np.bincount(usage.indices, minlength=usage.shape[1]) > 0
        many, jobs = len(columns.job), self.auction.num_jobs
        once = sparse.csr_array(
            (np.ones(many), columns.job, np.arange(many + 1)), shape=(many, jobs)
        )
        parts, sides = [usage[:, used], once], [self.limits[used], self.times]
        if spans is not None:
            parts, sides = [*parts, spans.matrix(columns)], [*sides, spans.limits]
        matrix, upper = sparse.hstack(parts).T.tocsr(), np.concatenate(sides)
        form = LinearForm(
            name="schedules at prices",
            sense="max",
            cost=columns.worth,
            matrix=rows_of_scipy(matrix),
            row_lower=np.full(len(upper), -np.inf),
            row_upper=upper,
            lower=np.zeros(many),
            upper=self.times[columns.job],
            integer=np.full(many, integer),
            offset=self._free,
        )
        return form, used

    def prices(self, columns: ScheduleColumns, seconds: float = math.inf) -> tuple[Prices, float]:
        """Prices from the middle of the optimal ones, with the optimum.

        Raises `NoAnswer`: HiGHS has none, or has none in time.
        """
        prices, _, value = self.duals(columns, seconds)
        return prices, value

    def duals(
        self, columns: ScheduleColumns, seconds: float = math.inf, spans: SpanRows | None = None
    ) -> tuple[Prices, Floats, float]:
        """As `prices`, with the multipliers of the rows of spans, shape (rows,)."""
        form, used = self.form(columns, integer=False, spans=spans)
        options = {"run_crossover": "off"}
        answer = solve(form, "highs:ipm", time_limit=seconds, solver_options=options)
        if answer.raw_row_duals is None or not answer.has_point:
            answer = solve(form, time_limit=seconds)
        duals = np.zeros(len(self.limits))
        duals[used] = np.maximum(answer.row_duals[: int(used.sum())], 0.0)
        fine = duals[self._row]
        slots = self.auction.slots
        resource = np.ascontiguousarray(fine[slots:].reshape(self.auction.used.shape))
        prices = prohibitive(self.auction, Prices(fine[:slots], resource))
        of_spans = np.maximum(answer.row_duals[int(used.sum()) + len(self.times) :], 0.0)
        return prices, of_spans, form.offset + float((form.cost * answer.point).sum())


def settled_prices(
    pricer: JobPricer,
    master: ScheduleMaster,
    start: Prices,
    rounds: int,
    close: float | None = None,
) -> tuple[Prices, Prices]:
    """Price all jobs round by round until no schedule enters, or rounds end.

    Raises `NoAnswer`: HiGHS has no prices.

    Parameters
    ----------
    pricer
        Of the master's auction.
    master
        Rows and jobs.
    start
        First prices.
    rounds
        At most.
    close
        Share of the bound at which bound and master are near enough, where the master has every
        job once and nothing is occupied.

    Returns
    -------
    The master's last prices, and those of the least bound.
    """
    prices = best = start
    least, columns = np.inf, None
    for _ in range(rounds):
        bound = pricer.bound(prices)
        if bound < least:
            best, least = prices, bound
        found = pricer.columns()
        known = 0 if columns is None else len(columns.job)
        columns = found if columns is None else columns.join(found)
        if len(columns.job) == known:
            break
        prices, value = master.prices(columns)
        if close is not None and least - value <= close * least:
            break
    return prices, best
