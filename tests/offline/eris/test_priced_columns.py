"""Column generation for many jobs: bounds never below an optimum, and where it settles."""

from __future__ import annotations

import pytest

from farkas.certificates.eris import prove_welfare, short
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.offline.eris.priced_columns import price_columns
from farkas.relaxations.eris.columns import relaxation_by_columns
from farkas.relaxations.eris.priced_jobs import JobPricer
from farkas.relaxations.eris.schedule_master import ScheduleMaster
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


def settled(auction, *, pooled):
    rounds = list(price_columns(JobPricer(auction), Deadline(), pooled=pooled))
    bounds = [found.bound for found in rounds]
    assert bounds == sorted(bounds, reverse=True)
    return rounds[-1]


@pytest.mark.ids(6)
@pytest.mark.parametrize("seed", range(25))
def test_bounds_are_never_below_the_optimum_and_settle_at_the_master(seed):
    auction = random_auction(seed, most_chunks=4, jobs=5)
    best = optimum("eris.offline", auction)
    pooled, by_site = settled(auction, pooled=True), settled(auction, pooled=False)
    tiny = 1e-6 * max(best, 1.0)
    assert by_site.bound >= relaxation_by_columns(auction).value - tiny >= best - 2 * tiny
    assert pooled.bound >= by_site.bound - tiny
    for found in (pooled, by_site):
        proved = prove_welfare(auction, short(found.prices.transfer), short(found.prices.resource))
        assert float(proved) == pytest.approx(found.bound, rel=1e-6, abs=1e-9)
        assert found.value == pytest.approx(found.bound, rel=1e-5, abs=1e-9) or not found.value > 0


def test_prices_split_a_scarce_slot():
    # four units a slot: the fifth job waits a slot, and all others pay what it loses
    jobs = [{"utility": [10.0, 7.0, 0.0]} for _ in range(5)]
    found = settled(one_resource(*jobs), pooled=True)
    assert found.bound == pytest.approx(4 * 10 + 7)
    assert found.prices.resource[:, 0, 0] == pytest.approx([3.0, 3.0], rel=1e-5)
    assert found.prices.resource[:, 0, 1:] == pytest.approx(0.0, abs=1e-5)


def test_rows_of_sites_are_added_up():
    auction = one_resource({}, site_capacity=[[2.0], [1.0]])
    assert ScheduleMaster(auction, pooled=True).limits.tolist() == [10.0] * 3 + [3.0] * 3
    assert (
        ScheduleMaster(auction, pooled=False).limits.tolist() == [10.0] * 3 + [2.0] * 3 + [1.0] * 3
    )
    pricer = JobPricer(auction)
    first = next(price_columns(pricer, Deadline(), pooled=True))
    pooled = ScheduleMaster(auction, pooled=True).rows(first.columns).toarray()
    assert pooled.tolist() == [[0.0] * 3 + [1.0, 0.0, 0.0]]


def test_no_round_begins_after_the_deadline():
    auction = one_resource({})
    with pytest.raises(OutOfTime):
        next(price_columns(JobPricer(auction), Deadline(0.0), pooled=True))


def test_jobs_without_data_count_and_need_no_schedule():
    auction = one_resource({"data": [0, 0], "utility": [4.0, 1.0, 0.0]}, {})
    found = settled(auction, pooled=True)
    assert found.bound == found.value == 14.0
