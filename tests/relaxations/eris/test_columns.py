"""Column generation of the relaxation of (3), and prices of one row for all sites."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.schedule_master import ScheduleMaster, settled_prices
from farkas.relaxations.eris.welfare_bound import (
    generate_columns,
    relaxation_by_columns,
)
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(15))
def test_column_generation_closes_on_the_listed_relaxation(seed: int) -> None:
    auction = random_auction(seed)
    listed = optimum("eris.schedule_lp", auction)
    rounds = list(generate_columns(auction))
    assert rounds[-1].settled
    assert rounds[-1].value == pytest.approx(listed, abs=1e-5)
    assert rounds[-1].bound == pytest.approx(listed, abs=1e-5)
    # every round's bound holds, not only the last
    assert all(r.bound >= listed - 1e-6 for r in rounds)


def test_rounds_that_end_too_early_have_no_answer() -> None:
    auction = one_resource({}, {})
    with pytest.raises(NoAnswer, match="1 rounds"):
        relaxation_by_columns(auction, most_rounds=1)
    with pytest.raises(NoAnswer, match="0 rounds"):
        relaxation_by_columns(auction, most_rounds=0)
    assert relaxation_by_columns(auction).value == pytest.approx(20.0)


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
