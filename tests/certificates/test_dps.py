"""Prices of capacity: the check in whole numbers against charges by hand, and against optima."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import sums
from farkas.certificates.dps import (
    Grid,
    PricedMarket,
    ServerPools,
    ceil_log2,
    certify_prices,
    finest_scale,
    rewards_of,
    rounded_up,
)
from farkas.certificates.priced_tree import PricedTree
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import lp_prices, subgradient_prices
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, posted, random_market
from tests.tools.samples import seeds

BY_TYPE, BY_CLASS = "dps.interval_lp[budget]", "dps.offline[free]"


def random_prices(program: PricedMarket, seed: int, unit: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return unit * rng.choice([0.0, 0.0, 0.1, 0.37, -1.0], program.width)


def proved(program: PricedMarket, prices: np.ndarray) -> Fraction:
    replies = program.replies(prices, {}, range(program.owners))
    return program.rent(prices) + sum(replies, Fraction(0))


def by_hand(program: PricedMarket, prices: np.ndarray) -> Fraction:
    """Charge every job in fractions, server by server and unit by unit."""
    market, grid = program.instance, program.grid(prices)
    unit, slots = Fraction(1, 2) ** grid.scale, program.slots.tolist()
    servers = list(zip(market.server_workers, market.server_ps, strict=True))
    classes = sorted(set(servers))
    of = [0 if program.single else classes.index(server) for server in servers]

    def price(side, pool, kind, held):
        table = grid.sides[side][pool, kind]
        return unit * sum(int(table[slots.index(t)]) for t in held if t in slots)

    total = Fraction(0)
    for pool, server in zip(of, servers, strict=True):
        for side in (0, 1):
            for kind, units in enumerate(server[side]):
                total += units * price(side, pool, kind, slots)
    for i, job in enumerate(market.jobs):
        asked = (job.worker_type, job.workers), (job.ps_type, job.ps)

        def held(end, arrival=job.arrival):
            last = [t for t in range(arrival + 1, market.horizon) if market.still_held(end, t)]
            return [arrival, *last]

        short, long = held(market.colocated_end[i]), held(market.spread_end[i])
        ways = [
            sum(many * price(side, pool, kind, short) for side, (kind, many) in enumerate(asked))
            for pool, server in zip(of, servers, strict=True)
            if all(server[side][kind] >= many for side, (kind, many) in enumerate(asked))
        ]
        cheapest = [
            sorted(
                price(side, pool, kind, long)
                for pool, server in zip(of, servers, strict=True)
                for _ in range(server[side][kind])
            )[:many]
            for side, (kind, many) in enumerate(asked)
        ]
        if all(len(units) == many for units, (_, many) in zip(cheapest, asked, strict=True)):
            ways.append(sum(map(sum, cheapest), Fraction(0)))
        if ways:
            total += max(Fraction(0), Fraction(float(market.budget[i])) - min(ways))
    return total


@pytest.mark.parametrize("name", [BY_TYPE, BY_CLASS])
@pytest.mark.parametrize("seed", range(40))
def test_the_check_is_the_least_charge_by_hand(seed, name):
    market = random_market(seed, jobs=7)
    program = PricedMarket(market, name)
    prices = random_prices(program, seed)
    exact, found = by_hand(program, prices), proved(program, prices)
    # each reward is rounded up by less than one unit of the grid
    unit = Fraction(1, 2) ** program.grid(prices).scale
    assert exact <= found <= exact + market.num_jobs * unit
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    assert found >= Fraction(best) - Fraction(1, 10**7)


@pytest.mark.parametrize("seed", range(6))
def test_no_prices_prove_less_than_the_proved_optimum(seed):
    market = random_market(100 + seed, jobs=5)
    name = BY_CLASS if market.price_cap is None else "dps.offline[capped]"
    best, program = farkas.prove(market, name).value, PricedMarket(market, name)
    for draw in range(20):
        assert proved(program, random_prices(program, draw, 2.0 ** -(draw % 5))) >= best


@pytest.mark.parametrize("seed", range(20))
def test_optimal_prices_prove_the_value_of_the_program_also_of_classes(seed):
    market = random_market(seed, jobs=8, servers=1 if seed % 2 else None)
    prices, value = lp_prices(market), solve(IntervalLP().form(market)).require_optimal().objective
    program, by_class = PricedMarket(market, BY_TYPE), PricedMarket(market, BY_CLASS)
    bound = proved(program, prices)
    assert float(bound) == pytest.approx(value, abs=1e-7)
    assert Fraction(certify_prices(market, prices, "budget").bound) == bound
    assert float(proved(program, subgradient_prices(market))) >= value - 1e-7
    # a job that no server hosts alone is charged for its long runtime by both, others for both
    sides = np.split(prices, [math.prod(program.shapes[0])])
    same = np.concatenate([np.tile(side, by_class.pools.count) for side in sides])
    assert proved(by_class, same) == bound


@pytest.mark.ids(5)
@seeds(8, 20)
def test_bounds_so_far_are_those_that_prices_in_use_prove_of_the_market_cut_there(seed):
    market = random_market(seed, jobs=9)
    program = PricedMarket(market, BY_TYPE)
    prices = lp_prices(market) if seed % 2 else np.abs(random_prices(program, seed, 0.3))
    certificate = certify_prices(market, prices, "budget")
    dates, grid = certificate.bounds_so_far(market), program.grid(prices)
    assert dates is not None
    assert (len(dates), dates[-1]) == (market.horizon, Fraction(certificate.bound))
    fine = [np.ldexp(side.astype(float), -grid.scale) for side in grid.sides]
    for slot in range(market.horizon - 1):
        cut = market.replace(jobs=[job for job in market.jobs if job.arrival <= slot])
        best = solve(Offline().form(cut), gap=0.0).require_optimal().objective
        assert float(dates[slot]) >= best - 1e-7
        by_hand_to_date = Fraction(0)
        for i in range(cut.num_jobs):
            inside = (cut.arrival[i] <= program.slots) & (program.slots <= cut.last_slot[i])
            charge = Fraction(0)
            for (types, units, _), side in zip(program.sides, fine, strict=True):
                charge += int(units[i]) * sum(map(Fraction, side[0, types[i], inside].tolist()))
            if market.fits[i]:
                by_hand_to_date += max(Fraction(0), Fraction(float(market.budget[i])) - charge)
        for (types, _, capacity), side in zip(program.sides, fine, strict=True):
            for kind, at in np.argwhere(side[0]).tolist():
                t = program.slots[at]
                mine = types[: cut.num_jobs] == kind
                if (mine & (cut.arrival <= t) & (t <= cut.last_slot)).any():
                    by_hand_to_date += int(capacity[0, kind]) * Fraction(float(side[0, kind, at]))
        off = dates[slot] - by_hand_to_date
        assert 0 <= off <= market.num_jobs * Fraction(1, 2) ** grid.scale


def test_other_certificates_have_no_bounds_so_far():
    market = library.load("dps/tiny")
    by_class = PricedTree.of(program := PricedMarket(market, BY_CLASS), np.zeros(program.width))
    assert by_class.bounds_so_far(market) is None


def test_zero_prices_prove_the_sum_of_rewards_that_fit():
    market = library.load("dps/tiny")
    none = np.zeros(PricedMarket(market, BY_TYPE).width)
    # The fourth job asks for 4 of 3 workers; the others are worth 3.5 + 2.5 + 2 + 5.
    assert certify_prices(market, none, "budget").bound == "13"
    # At most 1 a unit they pay 3 + 2.5 + 2 + 4.
    assert float(Fraction(certify_prices(market, none, "capped").bound)) == pytest.approx(11.5)


@pytest.mark.parametrize("name", [BY_TYPE, BY_CLASS])
def test_a_market_that_nobody_visits_is_worth_nothing(name):
    program = PricedMarket(empty_market(), name)
    assert proved(program, np.zeros(program.width)) == 0


def test_capped_rewards_are_rounded_up_and_need_a_cap():
    market = library.load("dps/tiny").replace(price_cap=0.1)
    exact = [Fraction(0.1) * int(d) for d in market.workers + market.ps]
    assert all(Fraction(r) >= e for r, e in zip(rewards_of(market, "capped"), exact, strict=True))
    with pytest.raises(NotACertificate, match="need a price_cap"):
        rewards_of(market.replace(price_cap=None), "capped")
    market = random_market(0).replace(price_cap=1.7e308)
    assert rewards_of(market, "capped").tolist() == market.budget.tolist()


def test_budgets_beyond_the_range_of_scaled_doubles_are_added_exactly():
    # 1e300 x 2^60 is no double; two such jobs without prices are bounded by their sum.
    market = library.load("dps/one_server")
    jobs = [msgspec.structs.replace(job, budget=1e300) for job in market.jobs[:2]]
    program = PricedMarket(market.replace(jobs=jobs), BY_TYPE)
    grid = Grid(60, *(np.zeros(shape, np.int64) for shape in program.shapes))
    program.grid = lambda prices: grid
    assert proved(program, np.zeros(program.width)) == 2 * Fraction(1e300)


@pytest.mark.parametrize("kind", [np.int64, object])
@pytest.mark.parametrize("scale", [-3, 0, 5, 40])
def test_rewards_are_rounded_up_to_the_next_step_of_the_grid(scale, kind):
    rewards = np.array([0.0, 0.1, 1.0, 1.5, 1 / 3, 2.0**-60, 12.0])
    steps = [Fraction(reward) * Fraction(2) ** scale for reward in rewards.tolist()]
    found = [int(number) for number in rounded_up(rewards, scale, kind)]
    assert all(exact <= number < exact + 1 for exact, number in zip(steps, found, strict=True))


@pytest.mark.parametrize("price", [1e300, 2.0**1022])
def test_prices_of_any_size_have_a_grid_of_their_own(price):
    # One price pays for the one sale exactly; rounding costs less than 2^-55 of it.
    market = library.load("dps/one_server")
    market = market.replace(jobs=[msgspec.structs.replace(market.jobs[0], budget=price)])
    program = PricedMarket(market, BY_TYPE)
    prices = np.array([price, 0.0])
    grid = program.grid(prices)
    assert 2**50 < grid.workers[0, 0, 0] < 2**62
    assert grid.scale < -900
    bound = proved(program, prices)
    assert Fraction(price) <= bound <= Fraction(price) * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("unit", [1.0, 2.0**-1060])
def test_a_reward_that_underflows_on_the_grid_is_still_rounded_up(unit):
    # on a grid of 2^1000 each of the tiny market's four jobs that fit is worth one step
    program = PricedMarket(market_in(library.load("dps/tiny"), unit), BY_TYPE)
    grid = Grid(-1000, *(np.zeros(shape, np.int64) for shape in program.shapes))
    program.grid = lambda prices: grid
    assert proved(program, np.zeros(program.width)) == 4 * 2**1000


@pytest.mark.parametrize(
    ("price", "scale"), [(0.0, 55), (1.0, 55), (1e3, 45), (1e6, 35), (1e9, 25), (1e12, 15),
                         (1e300, -941), (1.7e308, 0)],
)  # fmt: skip
def test_the_grid_is_the_finest_on_which_sums_stay_below_64_bits(price, scale):
    # dps/tiny has 4 units of the larger of 2 worker types: 8 units, times the largest price
    market = library.load("dps/tiny")
    assert finest_scale(market, np.array([price])) == scale
    assert finest_scale(market, np.array([price, 0.0]), np.zeros(0)) <= scale
    if 1e3 <= price <= 1e300:
        held = int((market.last_slot - market.arrival).max()) + 1
        units = max(4 * 2, 3, held * 4)
        assert 2**59 < Fraction(price) * units * Fraction(2) ** scale <= 2**60


def test_budgets_alone_also_coarsen_the_grid():
    market = library.load("dps/one_server")
    job = market.jobs[0]
    for budget, scale in ((2.0**30, 29), (2.0**30 * 1.5, 28), (2.0**60, -1), (1.0, 59)):
        rich = market.replace(jobs=[msgspec.structs.replace(job, budget=budget)] * 2)
        assert finest_scale(rich) == scale


def test_prices_are_rounded_to_the_nearest_and_none_is_below_zero():
    program = PricedMarket(library.load("dps/tiny"), BY_TYPE)
    prices = np.zeros(program.width)
    prices[:5] = [0.5, 0.25, -1.0, 3 * 2.0**-55, 2.0**-56]
    grid = program.grid(prices)
    assert grid.scale == 54
    assert grid.workers.ravel()[:5].tolist() == [2**53, 2**52, 0, 2, 0]
    assert not grid.ps.any()


@pytest.mark.parametrize("name", [BY_TYPE, BY_CLASS])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_sums_beyond_64_bits_are_done_in_long_numbers(side, seed, name):
    # one side alone reaches 2**62; charges and worths are tens of times that
    program = PricedMarket(random_market(seed), name)
    sides = [np.zeros(shape, np.int64) for shape in program.shapes]
    sides[side] += 2**62 - 1
    for scale in (60, 40):
        grid = Grid(scale, *sides)
        program.grid = lambda prices, grid=grid: grid
        nothing = np.zeros(program.width)
        assert grid.kind(program.instance, program.reward) is object
        exact, found = by_hand(program, nothing), proved(program, nothing)
        assert exact <= found <= exact + Fraction(program.owners, 2**scale)


@pytest.mark.parametrize("side", [0, 1])
def test_many_units_of_one_side_at_small_prices_are_added_exactly(side):
    # a million units on a server: prices add up to less than 2**61, prices times units to far more
    market = library.load("dps/tiny")
    field = ("server_workers", "server_ps")[side]
    many = [[10**6 * n for n in row] for row in getattr(market, field)]
    program = PricedMarket(market.replace(**{field: many}), BY_TYPE)
    sides = [
        np.full(shape, 2**52 if number == side else 3, np.int64)
        for number, shape in enumerate(program.shapes)
    ]
    program.grid = lambda prices: Grid(40, *sides)
    rent = sum(
        int(capacity[0, kind]) * sum(map(int, numbers[0, kind]))
        for (_, _, capacity), numbers in zip(program.sides, sides, strict=True)
        for kind in range(capacity.shape[1])
    )
    assert rent > 2**63
    assert program.rent(np.zeros(program.width)) == Fraction(rent, 2**40)


@pytest.mark.parametrize(("number", "exponent"), [(1.0, 0), (1 + 2.0**-52, 1), (2.0**61, 61)])
def test_ceil_log2_is_exact_beside_powers_of_two(number, exponent):
    assert ceil_log2(number) == exponent  # np.log2 says 0 and 61 of the last two, too


def test_classes_are_servers_with_equal_units():
    market = random_market(0).replace(
        server_workers=[[2, 0], [1, 3], [2, 0], [2, 0]],
        server_ps=[[1], [1], [1], [2]],
        worker_bandwidth=[None, None],
        ps_bandwidth=[None],
        jobs=[],
    )
    classes = ServerPools.of_market(market)
    assert classes.of.tolist() == [1, 0, 1, 2]
    assert classes.workers.tolist() == [[1, 3], [4, 0], [2, 0]]
    assert classes.ps.tolist() == [[1], [2], [2]]


def test_what_one_server_hosts_is_charged_on_the_cheapest_class_that_hosts_it():
    market = posted((0, 1.0, 2, 9.0), units=2).replace(
        server_workers=[[2], [1], [1]], server_ps=[[2], [1], [1]]
    )
    program = PricedMarket(market, BY_CLASS)
    assert program.pools.hosts.tolist() == [[False, True]]
    # a unit of the small servers is free, so that spread the job costs nothing
    prices = np.array([0.0, 2.0, 0.0, 1.0])
    assert program.least(program.grid(prices), np.zeros(1, np.int64), np.int64).tolist() == [0]
    assert program.rent(prices) == 6
    assert proved(program, prices) == 6 + 9
    # whole on the large one, or spread with two units that are not free
    dear = program.grid(np.array([3.0, 2.0, 3.0, 1.0]))
    charge = program.least(dear, np.zeros(1, np.int64), np.int64)
    assert charge.tolist() == [6 * 2**dear.scale]


def test_tables_are_limited(monkeypatch):
    monkeypatch.setattr(sums.affordable, "__defaults__", (7,))
    with pytest.raises(NotACertificate, match="ways to place jobs"):
        ServerPools.of_market(random_market(1, jobs=8))


@pytest.mark.parametrize("seed", range(6))
def test_pools_are_stated_in_the_file_and_anything_else_is_refused(seed):
    market = random_market(seed, servers=4)
    count = ServerPools.of_market(market).count
    name = "dps.offline[free]"
    program = PricedMarket(market, name, single=True)
    assert program.layout == {"pools": ((0,) * count,)}
    again = PricedMarket.laid_out(market, name, program.layout)
    assert again.pools.of.tolist() == [0] * market.num_servers
    assert again.width == program.width == sum(map(np.prod, program.shapes))
    assert PricedMarket(market, name).layout == {}
    by_type = PricedMarket(market, "dps.interval_lp[budget]")
    assert (by_type.layout, by_type.pools.count) == ({}, 1)
    hosts = ServerPools.of_market(market).hosts
    assert (program.pools.hosts[:, 0] == hosts.any(axis=1)).all()
    for layout in (
        {"pools": ((0,) * (count + 1),)}, {"pools": ((1,) * count,)}, {"pools": ()},
        {"pools": ((*range(count - 1), 2**31 - 1),)}, {"classes": ((0,) * count,)},
    ):  # fmt: skip
        with pytest.raises(NotACertificate, match="pool"):
            PricedMarket.laid_out(market, name, layout)
    with pytest.raises(NotACertificate, match=r"rows of .* are pooled as"):
        PricedMarket.laid_out(market, by_type.name, program.layout)
