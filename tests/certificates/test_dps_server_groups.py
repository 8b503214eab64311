"""Groups of servers: which classes are one, what a leaf proves, and exact sums."""

from __future__ import annotations

import numpy as np

from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_servers import (
    ALL_WAYS,
    EqualServers,
    GroupedMarket,
    LeafPrices,
    added,
    groups_of,
)
from tests.generators.dps import empty_market, posted, random_market

NONE = np.zeros(0, np.int64)


def test_groups_share_worker_types_through_others():
    market = random_market(0).replace(
        server_workers=[[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]],
        server_ps=[[1], [1], [1], [1], [2]],
        worker_bandwidth=[None] * 4,
        ps_bandwidth=[None],
        jobs=[],
    )
    groups = groups_of(EqualServers.of_market(market))
    # in ascending order: 0000, 0010, 0100, 1000, 1100
    assert [group.tolist() for group in groups] == [[0], [1], [2, 3, 4]]


def test_a_job_decided_where_it_cannot_be_has_no_leaf():
    market = posted((0, 1.0, 1, 3.0), units=1)
    none = SlotPrices(0, NONE, NONE, NONE, NONE)
    grouped = GroupedMarket(market, none, "budget")
    free = LeafPrices(NONE, NONE, NONE, NONE)
    hosts = np.zeros_like(grouped.groups[0].classes.hosts)
    group = grouped.groups[0]
    group._whole = hosts.any(axis=1)
    only_whole = np.array([1], np.uint8)
    assert group.bound(free, only_whole) is None
    assert group.bound(free, np.array([0b110], np.uint8)) == 3


def test_what_decided_jobs_lose_stays_exact():
    """Prices near 2^60 and many jobs that must pay them: sums leave 64 bits, the bound does not."""
    jobs = [(0, 1.0, 1, 1.0)] * 9
    market = posted(*jobs, units=1)
    none = SlotPrices(0, NONE, NONE, NONE, NONE)
    grouped = GroupedMarket(market, none, "budget")
    high = 2**60
    leaf = LeafPrices(np.array([0]), np.array([high]), NONE, NONE)
    assert grouped.groups[0].bound(leaf, np.full(9, 1, np.uint8)) == high + 9 * (1 - high)


def test_sums_of_sparse_vectors():
    positions, numbers = added(
        np.array([1, 4]), np.array([5, 6]), np.array([0, 4]), np.array([7, 8])
    )
    assert positions.tolist() == [0, 1, 4]
    assert numbers.tolist() == [7, 5, 14]


def test_a_market_that_nobody_visits_is_worth_nothing():
    market = empty_market()
    grouped = GroupedMarket(market, SlotPrices(0, NONE, NONE, NONE, NONE), "budget")
    free = LeafPrices(NONE, NONE, NONE, NONE)
    for group in grouped.groups:
        assert group.bound(free, np.full(0, ALL_WAYS, np.uint8)) == 0


def test_ways_that_a_leaf_allows_decide_what_a_job_counts():
    """Two servers, a job that runs 1 slot whole and 3 spread; units cost 1 a slot on both sides."""
    market = posted((0, 1.0, 1, 9.0), units=1).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]], worker_bandwidth=[1.0], ps_bandwidth=[1.0]
    )
    job = {name: getattr(market.jobs[0], name) for name in market.jobs[0].__struct_fields__}
    market = market.replace(jobs=[{**job, "model_size": 60.0}])
    assert (market.colocated_runtime[0], market.spread_runtime[0]) == (1.0, 3.0)
    group = GroupedMarket(market, SlotPrices(0, NONE, NONE, NONE, NONE), "budget").groups[0]
    slots = np.arange(3)
    leaf = LeafPrices(slots, np.ones(3, np.int64), slots, np.ones(3, np.int64))
    rent = 2 * 3 * 2  # of two units of each side over three slots
    found = {ways: group.bound(leaf, np.array([ways], np.uint8)) for ways in range(1, 8)}
    assert found == {
        0b001: rent + 9 - 2, 0b010: rent + 9 - 6, 0b011: rent + 9 - 2, 0b100: rent,
        0b101: rent + 9 - 2, 0b110: rent + 9 - 6, 0b111: rent + 9 - 2,
    }  # fmt: skip


def test_a_reward_of_one_unit_of_the_grid_counts():
    grouped = GroupedMarket(
        posted((0, 1.0, 1, 1.0), units=1), SlotPrices(0, NONE, NONE, NONE, NONE), "budget"
    )
    free = LeafPrices(NONE, NONE, NONE, NONE)
    assert grouped.groups[0].bound(free, np.full(1, ALL_WAYS, np.uint8)) == 1


def test_a_market_without_servers_has_no_groups():
    market = posted((0, 1.0, 1, 1.0), units=1).replace(server_workers=[], server_ps=[])
    grouped = GroupedMarket(market, SlotPrices(0, NONE, NONE, NONE, NONE), "budget")
    assert grouped.groups == []
