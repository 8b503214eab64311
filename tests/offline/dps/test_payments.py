"""What jobs pay with hindsight: all that they may, and no more."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.offline.dps.repacking import best_prices, decisions_of
from farkas.offline.dps.timeline import ServerTimeline
from tests.generators.dps import posted, random_market


@pytest.mark.parametrize("seed", range(10))
def test_unit_prices_take_the_whole_budget_and_no_more(seed):
    market = random_market(seed, jobs=14)
    for job, price in zip(market.jobs, best_prices(market).tolist(), strict=True):
        units = job.workers + job.ps
        assert Fraction(price) * units <= Fraction(job.budget)
        if market.price_cap is not None:
            assert price <= market.price_cap
        more = float(np.nextafter(np.nextafter(price, np.inf), np.inf))
        above = market.price_cap is not None and more > market.price_cap
        assert above or Fraction(more) * units > Fraction(job.budget)


def test_who_is_not_placed_is_offered_nothing():
    market = posted((0, 1.0, 1, 3.0), (0, 1.0, 1, 5.0), units=1)
    timeline = ServerTimeline(market)
    where = timeline.one_server(1)
    assert where is not None
    timeline.put(1, where)
    declined, sold = decisions_of(market, best_prices(market), timeline)
    assert (declined.outcome, declined.payment, declined.servers) == ("declined", 0.0, ())
    # the cap is 1, the budget 5
    assert (sold.outcome, sold.payment) == ("sold", 2.0)
    assert (sold.servers, sold.workers, sold.ps) == ((0,), (1,), (1,))
