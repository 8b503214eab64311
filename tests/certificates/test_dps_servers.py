"""Prices by class of servers: the integer check against charges by hand, and against optima."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.certificates import sums
from farkas.certificates.dps import SlotPrices, prices_bound, rewards_of
from farkas.certificates.dps_servers import (
    EqualServers,
    server_charges,
    server_prices_bound,
)
from farkas.errors import NotACertificate
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps.prices import lp_prices
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, posted, random_market


def random_prices(market, seed: int, unit: float = 1.0) -> SlotPrices:
    rng = np.random.default_rng(seed)
    classes = EqualServers.of_market(market).count

    def side(types: int) -> dict:
        kind, slot = np.divmod(np.arange(classes * types * market.horizon), market.horizon)
        price = unit * rng.choice([0.0, 0.0, 0.1, 0.37, -1.0], len(kind))
        return {"type": kind, "slot": slot, "price": price}

    return SlotPrices.of(market, side(market.num_worker_types), side(market.num_ps_types))


def by_hand(market, prices: SlotPrices) -> Fraction:
    """Charge every job in fractions, server by server and unit by unit."""
    unit = Fraction(1, 2**prices.scale)
    servers = list(zip(market.server_workers, market.server_ps, strict=True))
    classes = sorted(set(servers))

    def listed(positions, numbers, width):
        found = {}
        for p, n in zip(positions.tolist(), numbers.tolist(), strict=True):
            group, slot = divmod(p, market.horizon)
            found[(*divmod(group, width), slot)] = n * unit
        return found

    y = listed(prices.worker_positions, prices.worker_numbers, market.num_worker_types)
    w = listed(prices.ps_positions, prices.ps_numbers, market.num_ps_types)
    total = Fraction(0)
    for server in servers:
        c = classes.index(server)
        total += sum(n * server[0][k] for (d, k, _), n in y.items() if d == c)
        total += sum(n * server[1][k] for (d, k, _), n in w.items() if d == c)
    for i, job in enumerate(market.jobs):
        reward = Fraction(float(market.budget[i]))

        def held(end, arrival=job.arrival):
            last = [t for t in range(arrival + 1, market.horizon) if market.still_held(end, t)]
            return [arrival, *last]

        short, long = held(market.colocated_end[i]), held(market.spread_end[i])

        def over(table, c, kind, slots):
            return sum((table.get((c, kind, t), Fraction(0)) for t in slots), Fraction(0))

        ways = []
        for server in servers:
            if server[0][job.worker_type] >= job.workers and server[1][job.ps_type] >= job.ps:
                c = classes.index(server)
                ways.append(
                    job.workers * over(y, c, job.worker_type, short)
                    + job.ps * over(w, c, job.ps_type, short)
                )
        single = [
            sorted(
                over(table, classes.index(server), kind, long)
                for server in servers
                for _ in range(server[side][kind])
            )[:units]
            for side, table, kind, units in (
                (0, y, job.worker_type, job.workers),
                (1, w, job.ps_type, job.ps),
            )
        ]
        if len(single[0]) == job.workers and len(single[1]) == job.ps:
            ways.append(sum(single[0], Fraction(0)) + sum(single[1], Fraction(0)))
        if ways:
            total += max(Fraction(0), reward - min(ways))
    return total


@pytest.mark.parametrize("seed", range(60))
def test_the_integer_check_is_the_least_charge_by_hand(seed):
    market = random_market(seed, jobs=7)
    prices = random_prices(market, seed)
    exact = by_hand(market, prices)
    proved = server_prices_bound(market, prices, "budget")
    # each reward is rounded up by less than one unit of the grid
    assert exact <= proved <= exact + Fraction(market.num_jobs, 2**prices.scale)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    assert proved >= Fraction(best) - Fraction(1, 10**7)


@pytest.mark.parametrize("seed", range(6))
def test_no_prices_prove_less_than_the_proved_optimum(seed):
    market = random_market(100 + seed, jobs=5)
    rewards = "budget" if market.price_cap is None else "capped"
    program = "dps.offline[free]" if rewards == "budget" else "dps.offline[capped]"
    best = farkas.prove(market, program).value
    for draw in range(20):
        prices = random_prices(market, draw, 2.0 ** -(draw % 5))
        assert server_prices_bound(market, prices, rewards) >= best


@pytest.mark.parametrize("seed", range(20))
def test_prices_that_are_equal_for_all_classes_are_those_by_type(seed):
    market = random_market(seed, jobs=8, servers=1 if seed % 2 else None)
    prices, count = lp_prices(market), EqualServers.of_market(market).count

    def repeated(positions, numbers, types):
        steps = np.arange(count) * types * market.horizon
        return (steps[:, None] + positions).ravel(), np.tile(numbers, count)

    by_class = SlotPrices(
        prices.scale,
        *repeated(prices.worker_positions, prices.worker_numbers, market.num_worker_types),
        *repeated(prices.ps_positions, prices.ps_numbers, market.num_ps_types),
    )
    # a job that no server hosts alone is charged for its long runtime by both, others for both
    assert server_prices_bound(market, by_class, "budget") == prices_bound(market, prices)


def test_classes_are_servers_with_equal_units():
    market = random_market(0).replace(
        server_workers=[[2, 0], [1, 3], [2, 0], [2, 0]],
        server_ps=[[1], [1], [1], [2]],
        worker_bandwidth=[None, None],
        ps_bandwidth=[None],
        jobs=[],
    )
    classes = EqualServers.of_market(market)
    assert classes.of.tolist() == [1, 0, 1, 2]
    assert classes.workers.tolist() == [[1, 3], [4, 0], [2, 0]]
    assert classes.ps.tolist() == [[1], [2], [2]]


def test_what_one_server_hosts_is_charged_on_the_cheapest_class_that_hosts_it():
    market = posted((0, 1.0, 2, 9.0), units=2).replace(
        server_workers=[[2], [1], [1]], server_ps=[[2], [1], [1]]
    )
    classes = EqualServers.of_market(market)
    assert classes.hosts.tolist() == [[False, True]]
    # a unit of the small servers is free, so that spread the job costs nothing
    prices = SlotPrices.of(
        market,
        {"type": np.array([1]), "slot": np.array([0]), "price": np.array([2.0])},
        {"type": np.array([1]), "slot": np.array([0]), "price": np.array([1.0])},
    )
    reward = rewards_of(market, "budget")
    charges = server_charges(market, classes, prices, reward)
    unit = 2**prices.scale
    assert charges.whole[0].tolist() == [0, 6 * unit]
    assert charges.least(classes.hosts).tolist() == [0]
    assert charges.total == 6 * unit
    assert server_prices_bound(market, prices, "budget") == 6 + 9


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**60])
@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_money_changes_nothing(seed, unit):
    market = random_market(seed, jobs=8)
    scaled = market_in(market, unit)
    one = server_prices_bound(market, random_prices(market, seed), "budget")
    other = server_prices_bound(scaled, random_prices(scaled, seed, unit), "budget")
    assert other == one * Fraction(unit)


def test_sums_beyond_64_bits_are_done_in_long_numbers():
    market = random_market(3, jobs=8)
    prices = random_prices(market, 3)
    long = SlotPrices(
        prices.scale + 60,
        prices.worker_positions, prices.worker_numbers.astype(object) * 2**60,
        prices.ps_positions, prices.ps_numbers.astype(object) * 2**60,
    )  # fmt: skip
    classes = EqualServers.of_market(market)
    reward = rewards_of(market, "budget")
    assert server_charges(market, classes, long, reward).whole.dtype == object
    assert server_charges(market, classes, prices, reward).whole.dtype == np.int64
    unit = Fraction(market.num_jobs, 2**prices.scale)
    short = server_prices_bound(market, prices, "budget")
    assert short - unit <= server_prices_bound(market, long, "budget") <= short


def test_positions_beyond_the_last_class_are_refused():
    market = random_market(1, jobs=4)
    last = EqualServers.of_market(market).count * market.num_worker_types * market.horizon
    none, one = np.zeros(0, np.int64), np.ones(1, np.int64)
    for positions in (np.array([last]), np.array([-1])):
        prices = SlotPrices(0, positions, one, none, none)
        with pytest.raises(NotACertificate, match="workers: positions do not ascend below"):
            server_prices_bound(market, prices, "budget")


def test_a_market_that_nobody_visits_is_worth_nothing():
    market = empty_market()
    none = {"type": (), "slot": (), "price": ()}
    assert server_prices_bound(market, SlotPrices.of(market, none, none), "budget") == 0


def test_tables_are_limited(monkeypatch):
    monkeypatch.setattr(sums.affordable, "__defaults__", (7,))
    with pytest.raises(NotACertificate, match="ways to place jobs"):
        EqualServers.of_market(random_market(1, jobs=8))
