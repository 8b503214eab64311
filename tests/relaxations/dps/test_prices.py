"""Prices of capacity: optimal ones from a solver, and those of a subgradient method."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates.dps import certify_prices
from farkas.errors import NoAnswer, NotApplicable
from farkas.instances import library
from farkas.online.dps.seller import FixedPrice
from farkas.relaxations.dps.interval import (
    IntervalIP,
    IntervalLP,
    corrected_bound,
    demand_bound,
    fewest_slots,
    printed_bound,
)
from farkas.relaxations.dps.prices import (
    lp_prices,
    subgradient_prices,
)
from farkas.solvers import solve
from tests.generators.dps import empty_market, posted, random_market
from tests.solvers.test_answer import break_solvers

ROW = library.load("dps/one_server")
"""Three jobs worth 1, 1.2, 0.9 in slots 0, 1, 2, each of which excludes the next."""


def proved(market, prices, rewards="budget") -> float:
    return float(Fraction(certify_prices(market, prices, rewards).bound))


@pytest.mark.parametrize("rewards", ["budget", "capped"])
@pytest.mark.parametrize("seed", range(5))
def test_optimal_prices_prove_their_program(seed, rewards):
    market = random_market(seed, jobs=8).replace(price_cap=1.0)
    value = solve(IntervalLP(rewards=rewards).form(market)).objective
    assert proved(market, lp_prices(market, rewards), rewards) == (pytest.approx(value, abs=1e-7))


def best_of_steps(market, count):
    """The best bound of so many projected subgradient steps, row by row."""
    sides = [
        (market.worker_type, market.workers, market.worker_capacity),
        (market.ps_type, market.ps, market.ps_capacity),
    ]
    jobs = [j for j in range(market.num_jobs) if market.fits[j]]
    total = sum(market.budget[j] for j in jobs)
    volume = sum(sum(capacity) for _, _, capacity in sides) * market.horizon
    price = {
        (side, kind, slot): 0.0
        for side, (types, _, _) in enumerate(sides)
        for kind, slot in zip(types, market.arrival, strict=True)
    }
    held = {
        row: [
            j
            for j in range(market.num_jobs)
            if sides[row[0]][0][j] == row[1] and market.arrival[j] <= row[2] <= market.last_slot[j]
        ]
        for row in price
    }
    best = np.inf
    for step in range(count + 1):
        margin = {j: market.budget[j] for j in jobs}
        for row, y in price.items():
            for j in held[row]:
                if j in margin:
                    margin[j] -= sides[row[0]][1][j] * y
        worth = sum(sides[side][2][kind] * y for (side, kind, _), y in price.items())
        best = min(best, worth + sum(max(0.0, m) for m in margin.values()))
        length = 2 * total / max(volume, 1) / (step + 1) ** 0.5
        for side, kind, slot in price:
            used = sum(sides[side][1][j] for j in held[side, kind, slot] if margin.get(j, 0.0) > 0)
            rise = used / max(sides[side][2][kind], 1) - 1
            price[side, kind, slot] = max(0.0, price[side, kind, slot] + length * rise)
    return best


@pytest.mark.parametrize("seed", range(8))
def test_every_subgradient_step_is_shorter_by_the_root_of_its_number(seed, monkeypatch):
    market = random_market(seed, jobs=8)
    for count in (1, 2, 3, 6):
        monkeypatch.setattr("farkas.relaxations.dps.prices.ITERATIONS", count)
        found = proved(market, subgradient_prices(market))
        assert found == pytest.approx(best_of_steps(market, count), rel=1e-9, abs=1e-12)


def test_what_cannot_be():
    nobody = empty_market()
    assert proved(nobody, subgradient_prices(nobody)) == 0
    nothing = random_market(3).replace(server_workers=[], server_ps=[])
    assert proved(nothing, subgradient_prices(nothing)) == 0
    assert np.isfinite(proved(nothing, lp_prices(nothing)))


@pytest.mark.parametrize("broken", [["highs"], ["highs", "scip", "gurobi"]])
def test_prices_come_from_the_next_solver_when_the_first_fails(monkeypatch, broken):
    break_solvers(monkeypatch, *broken)
    assert proved(ROW, lp_prices(ROW)) == pytest.approx(1.9, rel=1e-6)


def test_nobody_left_to_ask_for_prices_is_said(monkeypatch):
    break_solvers(monkeypatch)
    with pytest.raises(NoAnswer, match="no solver reached an optimum"):
        lp_prices(ROW)


def optimum(program, market) -> float:
    return solve(program.form(market), gap=0.0).require_optimal().objective


@pytest.mark.parametrize("seed", range(40))
def test_all_shapes_have_one_optimum(seed):
    market = random_market(seed, jobs=9)
    for program in (IntervalIP, IntervalLP):
        cliques, scarce = (optimum(program(shape=shape), market) for shape in ("cliques", "scarce"))
        assert scarce == pytest.approx(cliques, abs=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_best_subset_that_respects_capacity_at_every_arrival(seed):
    market = random_market(seed, jobs=7)
    best = 0.0
    for chosen in itertools.product((False, True), repeat=market.num_jobs):
        pick = np.array(chosen)
        if not (pick & ~market.fits).any() and _fits(market, pick):
            best = max(best, float(market.budget[pick].sum()))
    assert optimum(IntervalIP(), market) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(10))
def test_at_fixed_prices_it_is_the_best_subset_of_those_who_can_pay(seed):
    rng = np.random.default_rng(seed)
    market = random_market(seed, jobs=7)
    worker = rng.choice([0.1, 0.3, 0.5], market.num_worker_types).tolist()
    ps = rng.choice([0.2, 0.4], market.num_ps_types).tolist()
    market = market.replace(fixed_prices={"worker": worker, "ps": ps})
    paid = []
    for job in market.jobs:
        asked = worker[job.worker_type] * job.workers + ps[job.ps_type] * job.ps
        paid.append(asked if asked <= job.budget * (1 + 1e-9) else 0.0)
    assert IntervalIP(rewards="fixed").reward(market).tolist() == pytest.approx(paid)
    best = 0.0
    for chosen in itertools.product((False, True), repeat=market.num_jobs):
        pick = np.array(chosen)
        if not (pick & ~market.fits).any() and _fits(market, pick):
            best = max(best, float(np.array(paid)[pick].sum()))
    assert optimum(IntervalIP(rewards="fixed"), market) == pytest.approx(best)


def _fits(market, pick) -> bool:
    for i in range(market.num_jobs):
        held = [
            j for j in np.flatnonzero(pick[: i + 1])
            if j == i or market.still_held(market.least_end[j], market.arrival[i])
        ]  # fmt: skip
        k, m = market.worker_type[i], market.ps_type[i]
        workers = sum(market.workers[j] for j in held if market.worker_type[j] == k)
        ps = sum(market.ps[j] for j in held if market.ps_type[j] == m)
        if workers > market.worker_capacity[k] or ps > market.ps_capacity[m]:
            return False
    return True


def test_no_jobs_no_rows():
    form = IntervalLP().form(empty_market())
    assert form.num_rows == form.num_columns == 0


def test_fixed_rewards_need_fixed_prices():
    with pytest.raises(NotApplicable, match="fixed_prices"):
        IntervalLP(rewards="fixed").form(library.load("dps/one_server"))


@pytest.mark.parametrize("shape", ["cliques", "scarce"])
@pytest.mark.parametrize("side", ["workers", "ps"])
def test_a_job_that_never_fits_counts_for_nothing_in_fractions_too(side, shape):
    # twice the units that there are: half of the job would fit
    market = random_market(0).replace(
        server_workers=[[2], [2]], server_ps=[[2], [2]], worker_bandwidth=[None],
        ps_bandwidth=[None], price_cap=1.0,
        jobs=[{"arrival": 0, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0,
               "epochs": 1, "epoch_compute": 1.0, "budget": 10.0} | {side: 8}],
    )  # fmt: skip
    assert solve(IntervalLP(shape=shape).form(market)).require_optimal().objective == 0.0
    fits = market.replace(server_workers=[[8]], server_ps=[[8]])
    assert solve(IntervalLP(shape=shape).form(fits)).require_optimal().objective == 10.0


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


def test_half_open_jobs_free_their_units_for_the_next_arrival():
    market = library.load("dps/one_server_half_open")
    assert fewest_slots(market).tolist() == [1, 1, 1]
    assert corrected_bound(market, *at(0.5, 0.4)) == pytest.approx(2.7)
    # a quarter of a slot, and two and a half of them, half open: 1 and 3 arrival slots
    long = posted((0, 0.25, 1, 1.0), (0, 2.5, 1, 1.0), runtime_rounding="none")
    assert fewest_slots(long).tolist() == [1, 3]
    assert fewest_slots(long.replace(occupancy="closed")).tolist() == [1, 3]
