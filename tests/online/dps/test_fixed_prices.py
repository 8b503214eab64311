"""Best fixed prices: the exact search against simulations at many prices."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online.dps.fixed_prices import (
    Profits,
    best_exactly,
    best_on_grid,
    decimal,
)
from farkas.online.dps.seller import FixedPrice
from tests.generators.dps import empty_market, posted, random_market
from tests.references.dps_market import sell
from tests.tools.samples import seeds


def one_type(seed: int, **changes):
    market = random_market(seed, types=1, **changes)
    return market if market.price_cap else market.replace(price_cap=1.0)


@seeds(10, 60)
def test_no_prices_earn_more_and_some_next_to_its_own_earn_as_much(seed):
    market, rng = one_type(seed, jobs=5), np.random.default_rng(seed)
    best, cap = best_exactly(market), float(market.price_cap)

    def profit(worker, ps):
        return FixedPrice(np.array([worker]), np.array([ps])).simulate(market).profit

    assert all(profit(*prices) <= float(best.profit) + 1e-6 for prices in cap * rng.random((60, 2)))
    # about a vertex, in all directions: payments differ by a millionth of a unit's
    at = np.array([float(best.worker), float(best.ps)])
    near = np.clip(at + 1e-6 * rng.standard_normal((200, 2)), 0, cap)
    found = max(profit(*prices) for prices in [at, *near])
    assert found == pytest.approx(float(best.profit), abs=1e-3)


def test_a_supremum_that_no_price_attains():
    best = best_exactly(library.load("dps/unattained"))
    assert best.profit == Fraction(27, 10)
    assert not best.attained


@pytest.mark.parametrize("swapped", [False, True])
def test_a_supremum_may_lie_where_one_side_is_free(swapped):
    # x + 3y <= 0.9 and x + y <= 1.2 at different times: both at (0.9, 0) pay 1.8, one alone 1.2
    asked = [(1, 3), (1, 1)]
    jobs = [
        {"arrival": 3 * n, "worker_type": 0, "workers": k, "ps_type": 0, "ps": m, "model_size": 0,
         "epochs": 1, "epoch_compute": 1.0, "budget": budget}
        for n, ((k, m), budget) in enumerate(zip(asked, (0.9, 1.2), strict=True))
    ]  # fmt: skip
    if swapped:
        jobs = [{**job, "workers": job["ps"], "ps": job["workers"]} for job in jobs]
    market = random_market(0).replace(
        server_workers=[[3]], server_ps=[[3]], worker_bandwidth=[None], ps_bandwidth=[None],
        price_cap=1.0, jobs=jobs,
    )  # fmt: skip
    found = best_exactly(market)
    assert (found.profit, found.attained) == (Fraction(9, 5), True)
    prices = (found.worker, found.ps)
    assert (prices[::-1] if swapped else prices) == (Fraction(9, 10), 0)


def test_decimals_are_what_was_written():
    assert decimal(0.1) == Fraction(1, 10)
    assert decimal(1e-7) == Fraction(1, 10**7)


def test_the_search_needs_one_type_a_side_and_a_cap():
    with pytest.raises(NotApplicable, match="one worker type"):
        best_exactly(library.load("dps/tiny"))
    with pytest.raises(NotApplicable, match="price_cap"):
        best_exactly(library.load("dps/unattained").replace(price_cap=None))


def test_the_first_of_equally_good_prices_of_the_grid_is_given():
    # quarters, so that payments add up exactly; jobs ask for as many units of either side, so that
    # only the sum of both prices matters, and more can pay than fit
    grid, ties = [0.25, 0.5, 0.75], 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        jobs = [
            (slot, float(rng.integers(1, 4)), units, units * float(rng.choice([0.5, 1.0, 1.25])))
            for slot, units in enumerate(rng.integers(1, 3, 8).tolist())
        ]
        market = posted(*jobs, units=2, price_grid=grid)
        earned = {
            (worker, ps): sum(
                d.payment for d in FixedPrice(np.array([worker]), np.array([ps])).simulate(market)
            )
            for worker in grid
            for ps in grid
        }
        most = max(earned.values())
        best = best_on_grid(market)
        assert best is not None
        assert best.profit == most
        wanted = [prices for prices, profit in earned.items() if profit == most]
        assert (best.worker.tolist(), best.ps.tolist()) == ([wanted[0][0]], [wanted[0][1]])
        ties += len(wanted) > 1
    assert ties > 1


def test_a_grid_with_too_many_combinations_has_no_value_and_no_jobs_no_profit():
    market = generate("dps", "small", 0, num_worker_types=14, num_jobs=60)
    assert best_on_grid(market.replace(price_grid=[0.1, 0.2, 0.3])) is None
    nobody = best_on_grid(empty_market().replace(price_grid=[0.5]))
    assert nobody is not None
    assert nobody.profit == 0.0
    with pytest.raises(NotApplicable, match="price_grid"):
        best_on_grid(empty_market())


@pytest.fixture
def simulated(monkeypatch):
    """Who accepts in each simulation."""
    found, served = [], Profits.served
    monkeypatch.setattr(
        Profits, "served", lambda self, able: found.append(able) or served(self, able)
    )
    return found


def test_prices_that_cannot_win_are_not_simulated(simulated):
    market = generate("dps", "small", 3, num_jobs=100, horizon=100)
    profits = Profits(market)
    prices = np.full(2, 0.3), np.full(1, 0.3)
    value = profits.of(*prices)
    assert profits.of(*prices, at_least=1e9) == -np.inf
    assert len(simulated) == 1
    assert value == pytest.approx(FixedPrice(*prices).simulate(market).profit)


def test_payments_of_a_job_that_never_fits_count_for_nothing(simulated):
    jobs = [
        {"arrival": n, "worker_type": 0, "workers": units, "ps_type": 0, "ps": 1, "model_size": 0,
         "epochs": 1, "epoch_compute": 1.0, "budget": 9.0}
        for n, units in enumerate([1, 8])
    ]  # fmt: skip
    market = random_market(0).replace(
        server_workers=[[4]], server_ps=[[4]], worker_bandwidth=[None], ps_bandwidth=[None],
        jobs=jobs,
    )  # fmt: skip
    profits = Profits(market)
    prices = np.array([0.5]), np.array([0.5])
    assert profits.of(*prices, at_least=1.0) == -np.inf
    assert not simulated
    assert profits.of(*prices, at_least=0.5) == 1.0


@seeds(25, 60)
def test_a_supremum_is_attained_exactly_where_its_prices_earn_it(seed):
    market = one_type(seed, jobs=6)
    best = best_exactly(market)

    def pays(number):
        job = market.jobs[number]
        asked = best.worker * job.workers + best.ps * job.ps
        return float(asked) if asked <= decimal(job.budget) else None

    sold = [number for number, (what, _) in enumerate(sell(market, pays)) if what == "served"]
    earned = sum(
        best.worker * market.jobs[number].workers + best.ps * market.jobs[number].ps
        for number in sold
    )
    assert earned <= best.profit
    assert best.attained == (earned == best.profit)


def test_prices_below_nothing_keep_nobody_out():
    # both jobs meet their budgets at (0, 1/2).  The first, one worker and one parameter server for
    # 1/2, then stands in the way of the second, six and two for 1; x + y > 1/2 with 6x + 2y <= 1
    # needs x < 0
    jobs = [
        {"arrival": n, "worker_type": 0, "workers": k, "ps_type": 0, "ps": m, "model_size": 0,
         "epochs": 1, "epoch_compute": 5.0, "budget": budget}
        for n, (k, m, budget) in enumerate([(1, 1, 0.5), (6, 2, 1.0)])
    ]  # fmt: skip
    for swapped in (False, True):
        market = random_market(0).replace(
            server_workers=[[6]], server_ps=[[2]], worker_bandwidth=[None], ps_bandwidth=[None],
            price_cap=1.0, jobs=jobs,
        )  # fmt: skip
        if swapped:
            turned = [{**job, "workers": job["ps"], "ps": job["workers"]} for job in jobs]
            market = market.replace(server_workers=[[2]], server_ps=[[6]], jobs=turned)
        assert best_exactly(market).profit == Fraction(1, 2)


def test_where_no_prices_earn_anything_the_grid_gives_none():
    market = random_market(1, jobs=4)
    broke = [msgspec.structs.replace(job, budget=0.0) for job in market.jobs]
    best = best_on_grid(market.replace(price_grid=[0.5, 1.0], jobs=broke))
    assert best is not None
    assert best.profit == 0.0
    assert not best.worker.any()
    assert not best.ps.any()
