"""Prices of capacity learned from the jobs seen, and a seller that takes bids."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec
import numpy as np
import pytest
import scipy.optimize

from farkas.instances.dps import Market
from farkas.online.dps.environment import Knowledge, Offer
from farkas.online.dps.learned import (
    BidTaker,
    Past,
    exhausting_price,
    exhausting_prices,
)
from tests.generators.dps import random_market
from tests.references.dps_sellers import by_steps


def random_past(seed: int, types: tuple[int, int] = (2, 2)) -> tuple[Past, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    jobs = int(rng.integers(0, 9))
    past = Past(
        rng.integers(types[0], size=jobs),
        rng.integers(types[1], size=jobs),
        rng.integers(1, 4, jobs),
        rng.integers(1, 4, jobs),
        rng.choice([0.0, 0.5, 1.0, 2.5], jobs),
        rng.choice([1.0, 2.0, 7.0], jobs),
    )
    return past, rng.integers(-2, 12, types[0]) * 1.0, rng.integers(-2, 12, types[1]) * 1.0


def dual(past: Past, workers, ps, worker_price, ps_price) -> float:
    """The dual of capacity, job by job."""
    value = float(workers @ worker_price + ps @ ps_price)
    for job in range(len(past.reward)):
        charge = past.workers[job] * worker_price[past.worker_type[job]]
        charge += past.ps[job] * ps_price[past.ps_type[job]]
        value += max(0.0, past.reward[job] - past.hold[job] * charge)
    return value


def best_fractional(past: Past, workers, ps) -> float:
    """The linear program of which that is the dual."""
    jobs = np.arange(len(past.reward))
    use = np.zeros((len(workers) + len(ps), len(jobs)))
    use[past.worker_type, jobs] = past.hold * past.workers
    use[len(workers) + past.ps_type, jobs] = past.hold * past.ps
    found = scipy.optimize.linprog(
        -past.reward, use, np.concatenate([workers, ps]), bounds=(0, 1), method="highs"
    )
    return -found.fun


@pytest.mark.parametrize("seed", range(60))
def test_prices_minimise_the_dual_along_each_of_them(seed):
    past, workers, ps = random_past(seed)
    workers, ps = np.maximum(workers, 0.0), np.maximum(ps, 0.0)
    found = exhausting_prices(past, workers, ps)
    value = dual(past, workers, ps, *found)
    tiny = 1e-9 * (1.0 + past.reward.sum())
    assert value <= past.reward.sum() + tiny
    if len(past.reward):
        assert value >= best_fractional(past, workers, ps) - tiny
    # the last price settled: none of the places where the dual bends is better
    last, (charge, units) = len(ps) - 1, (found[0][past.worker_type] * past.workers, past.ps)
    of = past.ps_type == last
    bends = (past.reward - past.hold * charge)[of] / (past.hold * units)[of]
    for price in [0.0, *np.maximum(bends, 0.0).tolist()]:
        other = found[1].copy()
        other[last] = price
        assert value <= dual(past, workers, ps, found[0], other) + tiny


def test_with_one_side_alone_prices_are_optimal():
    for seed in range(40):
        past, workers, _ = random_past(seed, (2, 1))
        workers, ps = np.maximum(workers, 0.0), np.array([1e6])
        if len(past.reward):
            found = exhausting_prices(past, workers, ps)
            value = dual(past, workers, ps, *found)
            assert value == pytest.approx(best_fractional(past, workers, ps), abs=1e-9)


def test_the_price_is_that_of_the_first_who_does_not_fit():
    margin, use = np.array([3.0, 8.0, -1.0, 2.0]), np.array([1.0, 2.0, 1.0, 4.0])
    # worths 3, 4, -, 1/2: the dearest use 2, then 3, then 7
    for room, price in [(1.9, 4.0), (2.0, 3.0), (3.0, 0.5), (6.9, 0.5), (7.0, 0.0), (-1.0, 4.0)]:
        assert exhausting_price(margin, use, room) == price
    assert exhausting_price(np.zeros(0), np.zeros(0), 0.0) == 0.0


def test_who_is_served_pays_the_budget_or_the_cap():
    sold = 0
    for seed in range(8):
        market = random_market(seed, jobs=30)
        cap = math.inf if market.price_cap is None else market.price_cap
        for job, decision in zip(market.jobs, by_steps(BidTaker(), market), strict=True):
            assert decision.outcome in ("sold", "declined", "full")
            if decision.outcome == "sold":
                most = min(job.budget, cap * (job.workers + job.ps))
                exact = Fraction(decision.worker_price) * job.workers
                exact += Fraction(decision.ps_price) * job.ps
                assert exact <= Fraction(most)
                assert decision.payment == pytest.approx(most, rel=1e-12)
                sold += 1
    assert sold > 20


def one_server(*jobs, horizon=40, **changes) -> Market:
    """One worker and one parameter server, jobs of one unit each."""
    fields = {"worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0, "epochs": 1}
    listed = [
        {**fields, "arrival": arrival, "epoch_compute": slots, "budget": budget}
        for arrival, slots, budget in jobs
    ]
    return Market.build(
        horizon=horizon, occupancy="half_open", server_workers=[[1]], server_ps=[[1]],
        worker_bandwidth=[None], ps_bandwidth=[None], jobs=listed, **changes,
    )  # fmt: skip


def served(market: Market, **options) -> list[int]:
    decisions = by_steps(BidTaker(**options), market)
    return [job for job, decision in enumerate(decisions) if decision.servers]


def test_a_long_job_that_bids_little_is_turned_away_by_the_reserve():
    # the largest payment for a unit is 1/2; two units for 39 of 40 slots are worth 39/40 reserves
    market = one_server((0, 1.0, 1.0), (1, 39.0, 0.6))
    assert served(market, reserve=0.62, forecast=0.0) == [0]
    assert served(market, reserve=0.61, forecast=0.0) == [0, 1]


def test_jobs_that_are_all_alike_are_served_until_the_server_is_full():
    # more come than fit: the price is their own worth, at which they must not be turned away
    market = one_server(*[(slot, 2.0, 1.0) for slot in range(0, 40)])
    for reserve in (0.0, 1.5):
        assert served(market, reserve=reserve) == list(range(0, 40, 2))
        # of two types of workers on that server, the first is asked for by nobody
        jobs = [{**job, "worker_type": 1} for job in msgspec.to_builtins(market.jobs)]
        other = market.replace(server_workers=[[0, 1]], worker_bandwidth=[None] * 2, jobs=jobs)
        assert served(other, reserve=reserve, forecast=0.0) == list(range(0, 40, 2))


def test_places_are_kept_for_jobs_like_those_seen():
    # a short dear job in every second slot; a long cheap one would take the place of many
    dear = [(slot, 1.0, 0.5) for slot in range(0, 40, 2)]
    cheap = (9, 20.0, 2.0)
    market = one_server(*sorted([*dear, cheap]))
    long = next(i for i, job in enumerate(market.jobs) if job.arrival == 9)
    learned = served(market, reserve=0.0, forecast=3.0)
    assert long not in learned
    assert len(learned) == 20
    assert long in served(market, reserve=0.0, forecast=0.0)
    # a job takes all three parameter servers for a slot; the cheapest have room as well
    budgets = [0.5, 0.1, 0.5, 0.05] * 5
    all_fit = one_server(*[(2 * n, 1.0, budget) for n, budget in enumerate(budgets)])
    jobs = [{**job, "ps": 3} for job in msgspec.to_builtins(all_fit.jobs)]
    all_fit = all_fit.replace(server_workers=[[9]], server_ps=[[3]], jobs=jobs)
    assert len(served(all_fit, reserve=0.0)) == 20


def test_what_can_never_be_served_teaches_nothing():
    market = one_server((0, 1.0, 0.4), (2, 1.0, 0.4))
    jobs = msgspec.to_builtins(market.jobs)
    with_large = market.replace(jobs=[{**jobs[0], "workers": 9, "budget": 9.0}, *jobs])
    seller, known = BidTaker(), Knowledge.of(with_large)
    state = seller.start(known, 0)
    for job in range(3):
        state, _ = seller.step(state, Offer.of(with_large, job))
    assert len(state.seen) == 2
    assert state.unit == 0.2


def test_a_job_is_expected_to_stay_as_on_one_server_where_one_of_them_holds_it():
    fields = {"worker_bandwidth": [0.01], "ps_bandwidth": [0.01], "server_ps": [[1], [0]]}
    market = one_server((0, 1.0, 0.4)).replace(server_workers=[[1], [0]], **fields)
    market = market.replace(jobs=[{**msgspec.to_builtins(market.jobs[0]), "model_size": 90.0}])
    seller, offer = BidTaker(), Offer.of(market, 0)
    state, _ = seller.step(seller.start(Knowledge.of(market), 0), offer)
    whole, spread = market.colocated_runtime[0], market.spread_runtime[0]
    assert state.seen[0][-1] == whole < spread


def test_who_may_pay_more_than_one_pays_it_where_no_cap_is_stated():
    market = one_server((0, 1.0, 5.0)).replace(price_cap=None)
    (sold,) = by_steps(BidTaker(), market)
    assert sold.payment == pytest.approx(market.jobs[0].budget, rel=1e-12)
    (capped,) = by_steps(BidTaker(), market.replace(price_cap=1.0))
    assert capped.payment <= market.jobs[0].workers + market.jobs[0].ps < sold.payment
