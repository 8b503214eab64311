"""Bounds on the profit of fixed prices: (3) as printed, and as it should be."""

import msgspec
import numpy as np
import pytest

from farkas.instances import library
from farkas.online.dps.posted import FixedPrice
from farkas.relaxations.dps.fixed_price import (
    corrected_bound,
    demand_bound,
    fewest_slots,
    payments,
    printed_bound,
)
from tests.generators.dps import posted, random_market


@pytest.mark.parametrize("seed", range(60))
def test_the_corrected_bound_is_above_every_fixed_price(seed):
    market = random_market(seed, jobs=9)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        prices = rng.random(market.num_worker_types), rng.random(market.num_ps_types)
        profit = FixedPrice(*prices).simulate(market).profit
        assert profit <= corrected_bound(market, *prices) + 1e-9
        assert profit <= demand_bound(market, *prices) + 1e-9


def test_the_printed_bound_is_below_the_profit_of_one_long_job():
    market = library.load("dps/long_job")
    prices = np.array([0.5]), np.array([0.5])
    # C (T - τ) = 1 (10 - 10) = 0, but the job pays 1/2 + 1/2.
    assert printed_bound(market, *prices) == 0.0
    assert FixedPrice(*prices).simulate(market).profit == 1.0
    assert corrected_bound(market, *prices) == 1.0


def at(worker, ps):
    return np.array([worker]), np.array([ps])


def test_every_job_is_asked_for_its_units():
    market = posted((0, 1, 2, 9.0), (1, 1, 3, 9.0), units=4)
    assert payments(market, *at(0.5, 0.25)).tolist() == [1.5, 2.25]


def test_sales_of_a_unit_by_hand():
    # budgets 1, 1.2, 0.9 in slots 0, 1, 2, closed: a job holds its slot and the next, so that a
    # unit starts 4 // 2 = 2 jobs in three slots and the last job's second
    market = library.load("dps/one_server")
    assert fewest_slots(market).tolist() == [2, 2, 2]
    # asked 0.9: three can pay 2.7, but units of 0.5 and 0.4 are sold twice
    assert demand_bound(market, *at(0.5, 0.4)) == pytest.approx(2.7)
    assert corrected_bound(market, *at(0.5, 0.4)) == pytest.approx(1.8)
    # asked 1: two can pay, within slots 0 and 1 and one more: 3 // 2 = 1 sale
    assert demand_bound(market, *at(0.5, 0.5)) == 2.0
    assert corrected_bound(market, *at(0.5, 0.5)) == 1.0
    # as printed: price x units x (horizon 6 - runtime 1) on each side, or the demand
    assert printed_bound(market, *at(0.5, 0.4)) == pytest.approx(2.7)
    assert printed_bound(market, *at(0.1, 0.1)) == pytest.approx(0.6)
    assert printed_bound(market.replace(horizon=3), *at(0.5, 0.4)) == pytest.approx(1.8)


def test_every_type_has_the_mean_of_its_own_runtimes_in_the_printed_bound():
    # one worker type, two server types: jobs run 1 and 3 slots on the first, 5 on the second
    market = posted((0, 1.0, 1, 9.0), (1, 3.0, 1, 9.0), (2, 5.0, 1, 9.0), units=2)
    jobs = msgspec.to_builtins(market.jobs)
    jobs[2]["ps_type"] = 1
    market = market.replace(jobs=jobs, server_ps=[[2, 4]], ps_bandwidth=[None, None], horizon=9)
    prices = np.array([0.01]), np.array([0.02, 0.04])
    # workers 2 (9 - 3); servers 2 (9 - 2) and 4 (9 - 5)
    wanted = 0.01 * 2 * 6 + 0.02 * 2 * 7 + 0.04 * 4 * 4
    dear = market.replace(jobs=[{**job, "workers": 100, "budget": 999.0} for job in jobs])
    assert printed_bound(dear, *prices) == pytest.approx(wanted)


def test_half_open_jobs_free_their_units_for_the_next_arrival():
    market = library.load("dps/one_server_half_open")
    assert fewest_slots(market).tolist() == [1, 1, 1]
    assert corrected_bound(market, *at(0.5, 0.4)) == pytest.approx(2.7)
    # a quarter of a slot, and two and a half of them, half open: 1 and 3 arrival slots
    long = posted((0, 0.25, 1, 1.0), (0, 2.5, 1, 1.0), runtime_rounding="none")
    assert fewest_slots(long).tolist() == [1, 3]
    assert fewest_slots(long.replace(occupancy="closed")).tolist() == [1, 3]


def test_a_job_that_does_not_fit_pays_nothing_in_the_corrected_bound():
    market = posted((0, 1, 1, 1.0), (1, 1, 5, 9.0), units=4)
    assert demand_bound(market, *at(0.5, 0.5)) == 6.0
    assert corrected_bound(market, *at(0.5, 0.5)) == 1.0


def test_nobody_pays_prices_above_every_budget():
    market = posted((0, 1, 1, 1.0))
    assert corrected_bound(market, *at(0.75, 0.75)) == demand_bound(market, *at(0.75, 0.75)) == 0.0
