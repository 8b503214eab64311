"""The search for the best placements: against optima, in any unit, at any time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.algebra.formulation import programs
from farkas.errors import NoAnswer
from farkas.exact.node_bounds import Deadline
from farkas.instances.generate import generate
from farkas.models.dps.offline import Offline
from farkas.offline.dps import optimum as module
from farkas.offline.dps.optimum import (
    best_prices,
    crowded,
    decisions_at,
    few_servers,
    placing,
    small,
    uncrowded,
)
from farkas.offline.methods import SearchState, searches
from farkas.offline.price_search import price_search
from farkas.solvers import solve
from tests.generators.dps import posted, random_market
from tests.offline.bounds import closed


def optimum(market):
    prices = "free" if market.price_cap is None else "capped"
    return solve(Offline(prices=prices).form(market), gap=0.0).require_optimal().objective


@pytest.mark.ids(10)
@pytest.mark.parametrize("seed", range(40))
def test_value_and_bound_enclose_the_optimum(seed):
    market = random_market(seed, jobs=9, servers=1 if seed % 4 == 0 else None)
    found, best = farkas.optimum(market, gap=0.0), optimum(market)
    assert float(found.value) <= best * (1 + 1e-9)
    assert found.bound >= Fraction(best) * (1 - Fraction(1, 10**9))
    assert found.value <= found.bound
    # a few jobs: what is searched is searched well
    assert float(found.value) >= 0.8 * best


def test_jobs_that_fit_nowhere_and_pay_nothing():
    market = posted((0, 1.0, 3, 9.0), (0, 1.0, 1, 0.0), (0, 1.0, 1, 1.0), units=2)
    found = farkas.optimum(market, gap=0.0)
    assert found.complete
    assert found.value == 1
    assert [d["outcome"] for d in found.run.decisions] == ["declined", "declined", "sold"]


def test_a_job_on_two_servers():
    market = posted((0, 1.0, 2, 1.0), units=1).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    found = farkas.optimum(market, gap=0.0)
    assert found.value == found.bound == 1


def exact(market):
    variant = "free" if market.price_cap is None else "capped"
    program = programs.build(f"dps.offline[{variant}]")
    form = program.form(market)
    return form, solve(form, gap=0.0).require_optimal()


@pytest.mark.parametrize("seed", range(20))
def test_points_are_placements_worth_as_much(seed):
    market = random_market(seed, jobs=9)
    form, answer = exact(market)
    decisions = decisions_at(market, form, np.where(form.integer, np.rint(answer.point), 0.0))
    run = searches["dps.optimum"].run(market, decisions)
    assert not run.violations
    assert float(run.reached) == pytest.approx(answer.objective, rel=1e-9, abs=1e-12)


@pytest.mark.ids(10)
@pytest.mark.parametrize("seed", range(12))
def test_small_markets_are_proved(seed):
    market = random_market(seed, jobs=7)
    best = exact(market)[1].objective
    state = SearchState("max", Deadline(), Fraction(0))
    candidates = list(small(market, state))
    (bound,) = [candidate.bound for candidate in candidates if candidate.bound is not None]
    assert float(bound.fraction) == pytest.approx(best, rel=1e-9, abs=1e-12)
    assert searches["dps.optimum"].bounds(bound)
    runs = [searches["dps.optimum"].run(market, r.decisions) for r in candidates if r.decisions]
    assert max(Fraction(run.reached) for run in runs) <= bound.fraction


def test_large_markets_are_left_to_prices():
    market = generate("dps", "published", 0, num_jobs=200, horizon=100, num_servers=3)
    with pytest.raises(NoAnswer, match=r"has 600 cells of job and server, more than 300"):
        next(small(market, SearchState("max", Deadline(), Fraction(0))))


@pytest.mark.parametrize("seed", range(16))
def test_whole_jobs_on_all_servers_as_one_bound_the_optimum(seed, monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 0)
    market = random_market(seed, jobs=8, servers=1 + seed % 3)
    best = exact(market)[1].objective
    candidates = list(few_servers(market, SearchState("max", Deadline(), Fraction(0))))
    runs = [searches["dps.optimum"].run(market, r.decisions) for r in candidates if r.decisions]
    assert all(not run.violations for run in runs)
    assert max(float(run.reached) for run in runs) == pytest.approx(best, rel=1e-9, abs=1e-12)
    for candidate in candidates:
        if candidate.bound is not None:
            assert searches["dps.optimum"].bounds(candidate.bound)
            assert float(candidate.bound.fraction) >= best * (1 - 1e-12)
            if market.num_servers == 1:  # the program is that of the market
                assert float(candidate.bound.fraction) == pytest.approx(best, rel=1e-9, abs=1e-12)


def test_many_servers_are_left_to_prices():
    market = generate("dps", "published", 0, num_jobs=1_001, horizon=100, num_servers=3)
    assert not list(few_servers(market, SearchState("max", Deadline(), Fraction(0))))


def test_caps_that_are_no_sums_of_powers_of_two_are_rounded_up():
    market = farkas.load("dps/tiny").replace(price_cap=0.1)
    exactly = [
        min(Fraction(job.budget), Fraction(0.1) * (job.workers + job.ps)) for job in market.jobs
    ]
    rewards = [Fraction(x) for x in market.capped_reward.tolist()]
    assert all(reward >= most for reward, most in zip(rewards, exactly, strict=True))
    assert all(
        Fraction(float(np.nextafter(float(reward), 0.0))) < most
        for reward, most in zip(rewards, exactly, strict=True)
    )


SEARCH = """
import json, sys, farkas
from farkas.instances.generate import generate
market = generate("dps", "published", 1, num_jobs=60, horizon=60, num_servers=3)
found = farkas.optimum(market, gap=0.02, time_limit=float(sys.argv[1]))
print(json.dumps([str(found.value), str(found.bound), found.run.decisions, found.complete]))
"""


@pytest.mark.parametrize("instance", ["dps/tiny", "dps/fragmented", "dps/aggregate_gap"])
def test_servers_of_a_type_as_one_bound_payments(instance):
    # where servers hold too little each, what they hold together is a bound only
    met = closed(instance, "dps.offline", "dps.interval_ip[budget]")
    assert bool(met) == (instance != "dps/aggregate_gap")


@pytest.mark.parametrize("prices", ["capped", "forced"])
def test_capped_payments_are_bounded_by_capped_ones(prices):
    closed("dps/one_server", f"dps.offline[{prices}]", "dps.interval_ip[capped]")


@pytest.mark.parametrize("seed", range(10))
def test_unit_prices_take_the_whole_budget_and_no_more(seed):
    market = random_market(seed, jobs=14)
    for job, price in zip(market.jobs, best_prices(market).tolist(), strict=True):
        units = job.workers + job.ps
        assert Fraction(price) * units <= Fraction(job.budget)
        if market.price_cap is not None:
            assert price <= market.price_cap
        more = float(np.nextafter(np.nextafter(price, np.inf), np.inf))
        above = market.price_cap is not None and more > market.price_cap
        assert above or Fraction(more) * units > Fraction(job.budget)


@pytest.mark.ids(3)
@pytest.mark.parametrize("seed", range(12))
def test_every_rung_is_replayed_without_a_fault(seed):
    market = random_market(seed, jobs=12)
    best, found = optimum(market), []
    for candidate in price_search(placing)(market, SearchState("max", Deadline(), Fraction(0))):
        if candidate.decisions is not None:
            run = searches["dps.optimum"].run(market, candidate.decisions)
            assert not run.violations
            found.append(float(run.reached))
        if candidate.bound is not None:
            assert searches["dps.optimum"].bounds(candidate.bound)
            assert float(candidate.bound.fraction) >= best * (1 - 1e-12)
    assert max(found, default=0.0) == pytest.approx(best, rel=0.2)


@pytest.mark.parametrize("servers", [pytest.param(5, marks=pytest.mark.slow), 20])
def test_crowded_markets_meet_whole_jobs_before_prices(servers):
    market = generate("dps", "published", 0, num_jobs=100, horizon=100, num_servers=servers)
    first, later = (
        next(method(market, SearchState("max", Deadline(), Fraction(1, 1000))), None)
        for method in (crowded, uncrowded)
    )
    found, none = (first, later) if servers == 5 else (later, first)
    assert none is None
    assert found.method.startswith("branch and bound on dps.interval_ip")


def test_what_a_job_decided_leaves_is_the_optimum():
    """One virtual cluster whose servers hold less than its jobs ask for: prices are 9 % away."""
    market = posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5)
    candidates = list(price_search(placing)(market, SearchState("max", Deadline(), Fraction(0))))
    proved = [candidate.bound.fraction for candidate in candidates if candidate.bound is not None]
    assert (float(max(proved)), float(min(proved))) == (pytest.approx(10.0), pytest.approx(9.0))
