"""The linear relaxation of (3) for many jobs: columns by dynamic programming, prices from inside.

The master is solved by an interior-point method without crossover: where many prices are optimal
it ends in their middle, so that columns chosen there do not swing from one site or slot to another.
Rows of all sites may be added up; prices are the same at every site then, and the rows so few that
the time of a round is that of its jobs.  Every round's prices bound the welfare; what proves the
bound, `farkas.certificates.eris`, derives it anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from farkas.exact.deadline import Deadline
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Bools, Ints
from farkas.portable.products import dot
from farkas.portable.sums import added
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns
from farkas.relaxations.eris.welfare_bound import prohibitive
from farkas.solvers import solve

INSIDE = 0.5
"""Share of the best prices so far in those that are asked next, where sites have their own."""
MOST_ROUNDS = 200


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedRound:
    """State after a round.

    Parameters
    ----------
    bound
        Least so far, in doubles.
    prices
        That give it.
    value
        Optimum of the master before the round; -inf before the first.
    columns
        All schedules of the master.
    """

    bound: float
    prices: Prices
    value: float
    columns: ScheduleColumns

    @property
    def distance(self) -> float:
        """Of bound and master, as a share of the bound."""
        return (self.bound - self.value) / self.bound if self.bound > 0 else 0.0


class ScheduleMaster:
    """The restricted master of (3), with rows of its own or of all sites together.

    Parameters
    ----------
    auction
        Budgets and capacities.
    pooled
        Whether each resource of a slot has one row for all sites.
    """

    def __init__(self, auction: Auction, *, pooled: bool) -> None:
        self.auction, self.pooled = auction, pooled
        slots, shape = auction.slots, auction.used.shape
        fine = np.concatenate(
            [np.full(slots, auction.transfer_budget), np.repeat(auction.capacity, slots)]
        )
        of_sites = np.arange(auction.used.size).reshape(shape)
        if pooled:
            of_sites = np.broadcast_to(of_sites[:1], shape)
        self._row: Ints = np.concatenate([np.arange(slots), slots + of_sites.ravel()])
        self.limits = np.bincount(self._row, fine).astype(np.float64)
        self._free = added(job.utility[0] for job in auction.jobs if not any(job.data))

    def rows(self, columns: ScheduleColumns) -> sparse.csr_array:
        """Use of every row by every schedule, shape (schedules, rows)."""
        found = columns.usage.tocoo()
        shape = (len(columns.job), len(self.limits))
        where = found.coords[0], self._row[found.coords[1]]
        return sparse.coo_array((found.data, where), shape=shape).tocsr()

    def form(self, columns: ScheduleColumns, *, integer: bool) -> tuple[LinearForm, Bools]:
        """Return the program that chooses schedules, and which rows it has.

        Columns are schedules; rows are those that some schedule uses, then one for every job.
        Jobs without data, which need none, are a constant.
        """
        usage = self.rows(columns)
        used = np.bincount(usage.indices, minlength=usage.shape[1]) > 0
        many, jobs = len(columns.job), self.auction.num_jobs
        once = sparse.csr_array(
            (np.ones(many), columns.job, np.arange(many + 1)), shape=(many, jobs)
        )
        matrix = sparse.hstack([usage[:, used], once]).T.tocsr()
        upper = np.concatenate([self.limits[used], np.ones(jobs)])
        form = LinearForm(
            name="schedules at prices",
            sense="max",
            cost=columns.worth,
            matrix=rows_of_scipy(matrix),
            row_lower=np.full(len(upper), -np.inf),
            row_upper=upper,
            lower=np.zeros(many),
            upper=np.ones(many),
            integer=np.full(many, integer),
            offset=self._free,
        )
        return form, used

    def prices(self, columns: ScheduleColumns, deadline: Deadline) -> tuple[Prices, float]:
        """Prices from the middle of the optimal ones, with the optimum.

        Raises
        ------
        NoAnswer
            HiGHS has none.
        """
        form, used = self.form(columns, integer=False)
        options = {"run_crossover": "off"}
        answer = solve(form, "highs:ipm", time_limit=deadline.left, solver_options=options)
        if answer.raw_row_duals is None or not answer.has_point:
            deadline.check()
            answer = solve(form, time_limit=deadline.left)
        deadline.check()
        duals = np.zeros(len(self.limits))
        duals[used] = np.maximum(answer.row_duals[: int(used.sum())], 0.0)
        fine = duals[self._row]
        slots = self.auction.slots
        resource = np.ascontiguousarray(fine[slots:].reshape(self.auction.used.shape))
        prices = prohibitive(self.auction, Prices(fine[:slots], resource))
        return prices, form.offset + dot(form.cost, answer.point)


def price_columns(
    pricer: JobPricer,
    deadline: Deadline,
    start: Prices | None = None,
    known: ScheduleColumns | None = None,
    *,
    pooled: bool,
) -> Iterator[PricedRound]:
    """Price all jobs round by round until no schedule enters.

    Parameters
    ----------
    pricer
        Of the auction.
    deadline
        No round begins after it.
    start
        First prices; nothing costs anything without.
    known
        Schedules that are known already.
    pooled
        Whether prices are the same at every site.

    Raises
    ------
    OutOfTime
        The deadline came.
    NoAnswer
        HiGHS has no prices.
    """
    auction = pricer.auction
    master = ScheduleMaster(auction, pooled=pooled)
    prices = prohibitive(auction, Prices.zero(auction)) if start is None else start
    best, least, value = prices, np.inf, -np.inf
    columns, many, inside = known, -1, 0.0
    for _ in range(MOST_ROUNDS):
        deadline.check()
        bound = pricer.bound(prices)
        if bound < least:
            best, least = prices, bound
        found = pricer.columns()
        columns = found if columns is None else columns.join(found)
        yield PricedRound(least, best, value, columns)
        settled = len(columns.job) == many
        if settled and not inside:  # no schedule enters at the prices of the master itself
            return
        many = len(columns.job)
        outside, value = master.prices(columns, deadline)
        inside = 0.0 if pooled or settled else INSIDE
        prices = Prices(
            inside * best.transfer + (1.0 - inside) * outside.transfer,
            inside * best.resource + (1.0 - inside) * outside.resource,
        )
