"""Prices of capacity: the integer check against weak duality by hand, in fractions."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates.dps import (
    SlotPrices,
    bounds_to_date,
    ceil_log2,
    finest_scale,
    prices_bound,
    rewards_of,
)
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import lp_prices, subgradient_prices
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, random_market
from tests.tools.samples import seeds


def by_hand(market, prices: SlotPrices, jobs: int) -> Fraction:
    """The Lagrangian in fractions, slot by slot, with budgets as they are."""
    unit = Fraction(1, 2**prices.scale)
    y = dict(zip(prices.worker_positions.tolist(), prices.worker_numbers.tolist(), strict=True))
    w = dict(zip(prices.ps_positions.tolist(), prices.ps_numbers.tolist(), strict=True))
    total = Fraction(0)
    for capacity, listed in ((market.worker_capacity, y), (market.ps_capacity, w)):
        total += sum(int(capacity[p // market.horizon]) * n * unit for p, n in listed.items())
    for i in range(jobs):
        if not market.fits[i]:
            continue
        left = Fraction(float(market.budget[i]))
        for t in range(int(market.arrival[i]), market.horizon):
            if t > market.arrival[i] and not market.still_held(market.least_end[i], t):
                break
            for kind, units, listed in (
                (market.worker_type[i], market.workers[i], y),
                (market.ps_type[i], market.ps[i], w),
            ):
                left -= int(units) * listed.get(int(kind) * market.horizon + t, 0) * unit
        total += max(Fraction(0), left)
    return total


def random_prices(market, seed: int) -> SlotPrices:
    rng = np.random.default_rng(seed)

    def side(types: int) -> dict:
        kind, slot = np.divmod(np.arange(types * market.horizon), market.horizon)
        price = rng.choice([0.0, 0.0, 0.1, 0.37, -1.0], len(kind))
        return {"type": kind, "slot": slot, "price": price}

    return SlotPrices.of(market, side(market.num_worker_types), side(market.num_ps_types))


@pytest.mark.parametrize("seed", range(40))
def test_the_integer_check_is_weak_duality_rounded_up(seed):
    market = random_market(seed, jobs=8)
    prices = random_prices(market, seed)
    exact, proved = by_hand(market, prices, market.num_jobs), prices_bound(market, prices)
    # Each reward is rounded up by less than one unit of the grid.
    assert exact <= proved <= exact + Fraction(market.num_jobs, 2**prices.scale)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    assert proved >= Fraction(best) - Fraction(1, 10**7)


@pytest.mark.parametrize("seed", range(30))
def test_optimal_prices_prove_the_value_of_the_program(seed):
    market = random_market(seed, jobs=8)
    value = solve(IntervalLP().form(market)).require_optimal().objective
    assert float(prices_bound(market, lp_prices(market))) == pytest.approx(value, abs=1e-7)
    assert float(prices_bound(market, subgradient_prices(market))) >= value - 1e-7


@pytest.mark.ids(5)
@seeds(8, 20)
def test_bounds_to_date_are_bounds_of_the_market_cut_there(seed):
    market = random_market(seed, jobs=9)
    prices = lp_prices(market)
    dates = bounds_to_date(market, prices)
    assert len(dates) == market.horizon
    for slot in range(market.horizon):
        arrived = [job for job in market.jobs if job.arrival <= slot]
        cut = market.replace(jobs=arrived)
        best = solve(Offline().form(cut), gap=0.0).require_optimal().objective
        assert float(dates[slot]) >= best - 1e-7
    assert dates[-1] == prices_bound(market, prices)


def in_use(market: Market, cut: Market, prices: SlotPrices) -> SlotPrices:
    """Prices of slots in which jobs of the cut market hold units of the type."""
    kept = []
    for types, positions in (
        (cut.worker_type, prices.worker_positions), (cut.ps_type, prices.ps_positions),
    ):  # fmt: skip
        held = {
            int(kind) * market.horizon + slot
            for kind, begin, end in zip(types, cut.arrival, cut.last_slot, strict=True)
            for slot in range(begin, end + 1)
        }
        kept.append(np.isin(positions, sorted(held)))
    return SlotPrices(
        prices.scale, prices.worker_positions[kept[0]], prices.worker_numbers[kept[0]],
        prices.ps_positions[kept[1]], prices.ps_numbers[kept[1]],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_bounds_to_date_are_those_that_the_prices_in_use_prove(seed):
    market = random_market(seed, jobs=12)
    rng = np.random.default_rng(seed)
    sides = []
    for types in (market.num_worker_types, market.num_ps_types):
        place = np.flatnonzero(rng.random(types * market.horizon) < 0.7)
        sides.append({"type": place // market.horizon, "slot": place % market.horizon,
                      "price": rng.uniform(0, 0.3, len(place))})  # fmt: skip
    prices = SlotPrices.of(market, *sides)
    dates = bounds_to_date(market, prices)
    for slot in range(market.horizon - 1):
        cut = market.replace(jobs=[job for job in market.jobs if job.arrival <= slot])
        assert dates[slot] == prices_bound(cut, in_use(market, cut, prices))
    assert dates[-1] == prices_bound(market, prices)


def test_zero_prices_prove_the_sum_of_rewards_that_fit():
    market = library.load("dps/tiny")
    none = subgradient_prices(market, iterations=0)
    # The fourth job asks for 4 of 3 workers; the others are worth 3.5 + 2.5 + 2 + 5.
    assert prices_bound(market, none) == 13
    # At most 1 a unit they pay 3 + 2.5 + 2 + 4.
    assert float(prices_bound(market, none, "capped")) == pytest.approx(11.5)


def test_a_market_without_jobs_is_worth_nothing():
    market = empty_market()
    assert prices_bound(market, lp_prices(market)) == 0
    assert prices_bound(market, subgradient_prices(market)) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"worker_positions": [3, 3], "worker_numbers": [1, 1]}, "do not ascend"),
        ({"worker_positions": [9999], "worker_numbers": [1]}, "do not ascend below 2 x 10"),
        ({"worker_positions": [-1], "worker_numbers": [1]}, "do not ascend"),
        ({"ps_positions": [1], "ps_numbers": [-5]}, "not positive"),
        ({"ps_positions": [1, 2], "ps_numbers": [5]}, "2 positions for 1 prices"),
    ],
)
def test_malformed_prices_are_refused(changes, message):
    none = {
        name: [] for name in ("worker_positions", "worker_numbers", "ps_positions", "ps_numbers")
    }
    arrays = {name: np.array(value, np.int64) for name, value in {**none, **changes}.items()}
    with pytest.raises(NotACertificate, match=message):
        prices_bound(library.load("dps/tiny"), SlotPrices(20, **arrays))


def test_capped_rewards_are_rounded_up_and_need_a_cap():
    market = library.load("dps/tiny").replace(price_cap=0.1)
    exact = [Fraction(0.1) * int(d) for d in market.workers + market.ps]
    assert all(Fraction(r) >= e for r, e in zip(rewards_of(market, "capped"), exact, strict=True))
    with pytest.raises(NotACertificate, match="need a price_cap"):
        rewards_of(market.replace(price_cap=None), "capped")


def test_both_ways_to_add_up_prices_agree(monkeypatch):
    market = random_market(7, jobs=10)
    prices = random_prices(market, 7)
    dense = prices_bound(market, prices)
    monkeypatch.setattr("farkas.certificates.dps.DENSE", 0)
    assert prices_bound(market, prices) == dense


def test_budgets_beyond_the_range_of_scaled_doubles_are_added_exactly():
    # 1e300 x 2^60 is no double; two such jobs without prices are bounded by their sum.
    market = library.load("dps/one_server")
    jobs = [msgspec.structs.replace(job, budget=1e300) for job in market.jobs[:2]]
    none = np.zeros(0, np.int64)
    prices = SlotPrices(60, none, none, none, none)
    assert prices_bound(market.replace(jobs=jobs), prices) == 2 * Fraction(1e300)


@pytest.mark.parametrize("price", [1e300, 2.0**1022])
def test_prices_of_any_size_are_listed_on_a_grid_of_their_own(price):
    # One price pays for the one sale exactly; rounding costs less than 2^-55 of it.
    market = library.load("dps/one_server")
    market = market.replace(jobs=[msgspec.structs.replace(market.jobs[0], budget=price)])
    given = {"type": np.array([0]), "slot": np.array([0]), "price": np.array([price])}
    none = {name: column[:0] for name, column in given.items()}
    prices = SlotPrices.of(market, given, none)
    assert 2**50 < prices.worker_numbers[0] < 2**62
    assert prices.scale < -900
    bound = prices_bound(market, prices)
    assert Fraction(price) <= bound <= Fraction(price) * (1 + Fraction(1, 2**50))


def test_a_reward_that_underflows_on_the_grid_is_still_rounded_up():
    # on a grid of 2^1000 each of the tiny market's four jobs that fit is worth one step
    market = library.load("dps/tiny")
    nothing = np.zeros(0, np.int64)
    coarse = SlotPrices(-1000, nothing, nothing, nothing, nothing)
    assert prices_bound(market, coarse) == 4 * 2**1000
    tiny = market_in(market, 2.0**-1060)
    assert prices_bound(tiny, coarse) == 4 * 2**1000


def test_a_price_that_is_no_number_is_refused():
    market = library.load("dps/one_server")
    given = {"type": np.array([0]), "slot": np.array([0]), "price": np.array([np.nan])}
    none = {name: column[:0] for name, column in given.items()}
    with pytest.raises(NotACertificate, match="a price is not a number"):
        SlotPrices.of(market, given, none)


def test_rewards_capped_beyond_doubles_are_the_budgets():
    market = random_market(0).replace(price_cap=1.7e308)
    assert rewards_of(market, "capped").tolist() == market.budget.tolist()


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


def test_prices_are_listed_in_order_rounded_to_the_nearest_and_without_zeros():
    market = library.load("dps/tiny")
    given = {
        "type": np.array([1, 0, 1, 0, 0]), "slot": np.array([0, 9, 3, 2, 4]),
        "price": np.array([0.5, 0.25, -1.0, 3 * 2.0**-55, 2.0**-56]),
    }  # fmt: skip
    none = {name: column[:0] for name, column in given.items()}
    prices = SlotPrices.of(market, given, none)
    assert prices.scale == 54
    assert prices.worker_positions.tolist() == [2, 9, 10]
    assert prices.worker_numbers.tolist() == [2, 2**52, 2**53]
    assert (prices.ps_positions.tolist(), prices.ps_numbers.tolist()) == ([], [])


def test_the_first_and_the_last_position_are_in_range():
    market = library.load("dps/tiny")
    none = np.zeros(0, np.int64)
    for positions in ([0], [19], [0, 19]):
        where = np.array(positions)
        prices = SlotPrices(20, where, np.ones_like(where), none, none)
        assert prices_bound(market, prices) >= by_hand(market, prices, market.num_jobs)
    for positions, numbers in (([20], [1]), ([0, 19], [1, 0]), ([5, 4], [1, 1])):
        prices = SlotPrices(20, np.array(positions), np.array(numbers), none, none)
        with pytest.raises(NotACertificate, match=r"do not ascend|not positive"):
            prices_bound(market, prices)


@pytest.mark.parametrize("side", ["workers", "ps"])
@pytest.mark.parametrize("seed", range(3))
def test_prices_near_the_largest_that_a_file_may_list_are_added_exactly(side, seed):
    # one side alone reaches 2**62; charges and worths are tens of times that
    market = random_market(seed)
    types = market.num_worker_types if side == "workers" else market.num_ps_types
    every = np.arange(types * market.horizon)
    none = np.zeros(0, np.int64)
    listed = (every, np.full(len(every), 2**62 - 1))
    order = (*listed, none, none) if side == "workers" else (none, none, *listed)
    prices = SlotPrices(0, *order)
    exact = by_hand(market, prices, market.num_jobs)
    assert exact <= prices_bound(market, prices) <= exact + market.num_jobs


@pytest.mark.parametrize("exponent", range(48, 62))
def test_prices_of_every_size_on_one_side_are_added_exactly(exponent):
    market = random_market(5)
    places = [np.arange(n * market.horizon) for n in (market.num_worker_types, market.num_ps_types)]
    for large in (0, 1):
        numbers = [
            np.full(len(at), 2**exponent - 1 if i == large else 3) for i, at in enumerate(places)
        ]
        prices = SlotPrices(exponent, places[0], numbers[0], places[1], numbers[1])
        over = prices_bound(market, prices) - by_hand(market, prices, market.num_jobs)
        assert 0 <= over <= Fraction(market.num_jobs, 2**exponent)


def test_rewards_beside_numbers_beyond_64_bits_are_rounded_up():
    # prices in the last slot only, which some jobs do not reach: these keep their whole budgets
    market = random_market(3, jobs=8)
    last = np.array([market.horizon - 1])
    none = np.zeros(0, np.int64)
    prices = SlotPrices(3, last, np.array([2**62 - 1]), none, none)
    exact = by_hand(market, prices, market.num_jobs)
    steps = by_hand(market, prices, 0) * 8
    assert (exact * 8 - steps).denominator > 1
    assert exact < prices_bound(market, prices) <= exact + Fraction(market.num_jobs, 8)


@pytest.mark.parametrize("side", ["workers", "ps"])
def test_many_units_of_one_side_at_small_prices_are_added_exactly(side):
    # a million units on a server: prices add up to less than 2**61, prices times units to far more
    market = library.load("dps/tiny")
    installed = getattr(market, f"server_{side}")
    market = market.replace(**{f"server_{side}": [[10**6 * n for n in row] for row in installed]})
    types = (market.num_worker_types, market.num_ps_types)
    places = [np.arange(n * market.horizon) for n in types]
    numbers = [np.full(len(at), 2**52 if i == (side == "ps") else 3) for i, at in enumerate(places)]
    prices = SlotPrices(40, places[0], numbers[0], places[1], numbers[1])
    over = prices_bound(market, prices) - by_hand(market, prices, market.num_jobs)
    assert 0 <= over <= Fraction(market.num_jobs, 2**40)


@pytest.mark.parametrize(("number", "exponent"), [(1.0, 0), (1 + 2.0**-52, 1), (2.0**61, 61)])
def test_ceil_log2_is_exact_beside_powers_of_two(number, exponent):
    assert ceil_log2(number) == exponent  # np.log2 says 0 and 61 of the last two, too
