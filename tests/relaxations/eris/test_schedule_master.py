"""The master of schedules: its rows, what is occupied, jobs that come several times."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.schedule_master import ScheduleMaster, settled_prices
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


def settled(auction, rounds=60, **settings):
    pricer = JobPricer(auction)
    master = ScheduleMaster(auction, pooled=True, **settings)
    return settled_prices(pricer, master, Prices.zero(auction), rounds), pricer


def test_what_is_occupied_is_not_sold_again():
    jobs = [{"utility": [10.0, 7.0, 0.0]} for _ in range(3)]
    auction = one_resource(*jobs)
    (last, _), _ = settled(auction)
    assert last.resource == pytest.approx(0.0, abs=1e-6)
    occupied = np.zeros(3 + 2 * 3)
    occupied[3] = occupied[6] = 1.0  # one unit of each site in slot 0
    (last, _), _ = settled(auction, occupied=occupied)
    assert last.resource[:, 0, 0] == pytest.approx([3.0, 3.0], rel=1e-4)


def test_a_job_may_come_several_times():
    auction = one_resource({"utility": [10.0, 7.0, 0.0]})
    (last, _), _ = settled(auction, times=np.array([4.5]))
    assert last.resource[:, 0, 0] == pytest.approx([3.0, 3.0], rel=1e-4)
    (last, _), _ = settled(auction, times=np.array([3.5]))
    assert last.resource == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_prices_bound_the_optimum(seed):
    auction = random_auction(seed, most_chunks=4, jobs=5)
    (_, best), pricer = settled(auction)
    (_, close), _ = settled(auction, 60, times=None)
    wanted = optimum("eris.offline", auction)
    assert pricer.bound(best) >= wanted * (1 - 1e-9)
    assert pricer.bound(close) == pytest.approx(pricer.bound(best))


def test_rounds_end_where_bound_and_master_are_close():
    jobs = [{"utility": [10.0 + i, 7.0, 0.0]} for i in range(6)]
    auction = one_resource(*jobs)
    pricer, master = JobPricer(auction), ScheduleMaster(auction, pooled=True)
    _, near = settled_prices(pricer, master, Prices.zero(auction), 60, close=0.5)
    assert near.resource.max() == 0.0
    _, best = settled_prices(pricer, master, Prices.zero(auction), 60, close=1e-6)
    assert pricer.bound(best) < pricer.bound(near)
