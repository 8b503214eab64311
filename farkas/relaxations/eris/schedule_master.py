"""The restricted master of (3) for many jobs: prices from the middle of the optimal ones.

An interior-point method without crossover solves it: where many prices are optimal it ends in their
middle, so that schedules chosen there do not swing from one site or slot to another.  Rows of all
sites may be added up; prices are the same at every site then, and the rows so few that the time of
a round is that of its jobs.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Bools, Floats, Ints
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns
from farkas.relaxations.eris.welfare_bound import prohibitive
from farkas.solvers import solve


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

    def form(self, columns: ScheduleColumns) -> tuple[LinearForm, Bools]:
        """Return the program that chooses schedules, and which rows it has.

        Columns are schedules; rows are those that some schedule uses, then one for every job.  Jobs
        without data, which need none, are a constant.
        """
        usage = self.rows(columns)
        used = np.bincount(usage.indices, minlength=usage.shape[1]) > 0
        many, jobs = len(columns.job), self.auction.num_jobs
        once = sparse.csr_array(
            (np.ones(many), columns.job, np.arange(many + 1)), shape=(many, jobs)
        )
        matrix = sparse.hstack([usage[:, used], once]).T.tocsr()
        upper = np.concatenate([self.limits[used], self.times])
        form = LinearForm(
            name="schedules at prices",
            sense="max",
            cost=columns.worth,
            matrix=rows_of_scipy(matrix),
            row_lower=np.full(len(upper), -np.inf),
            row_upper=upper,
            lower=np.zeros(many),
            upper=self.times[columns.job],
            integer=np.zeros(many, np.bool_),
            offset=self._free,
        )
        return form, used

    def prices(self, columns: ScheduleColumns, seconds: float = math.inf) -> tuple[Prices, float]:
        """Prices from the middle of the optimal ones, with the optimum.

        Raises `NoAnswer`: HiGHS has none, or has none in time.
        """
        form, used = self.form(columns)
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
        return prices, form.offset + float((form.cost * answer.point).sum())


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
