"""The linear relaxation of (3) for many jobs: columns by dynamic programming, round by round.

Every round's prices bound the welfare; what proves the bound, `farkas.certificates.eris`, derives
it anew.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from farkas.exact.bounding import Deadline
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns
from farkas.relaxations.eris.schedule_master import ScheduleMaster
from farkas.relaxations.eris.welfare_bound import prohibitive

#: Share of the best prices so far in those that are asked next, where sites have their own.
INSIDE = 0.5
MOST_ROUNDS = 200


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedRound:
    """State after a round."""

    bound: float  #: Least so far, in doubles.
    prices: Prices  #: That give it.
    value: float  #: Optimum of the master before the round; -inf before the first.
    columns: ScheduleColumns  #: All schedules of the master.

    @property
    def distance(self) -> float:
        """Of bound and master, as a share of the bound."""
        return (self.bound - self.value) / self.bound if self.bound > 0 else 0.0


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
        try:
            outside, value = master.prices(columns, deadline.left)
        finally:
            deadline.check()
        inside = 0.0 if pooled or settled else INSIDE
        prices = Prices(
            inside * best.transfer + (1.0 - inside) * outside.transfer,
            inside * best.resource + (1.0 - inside) * outside.resource,
        )
