"""The search for the best placements: against optima, in any unit, at any time."""

from __future__ import annotations

import itertools
import threading
from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline
from farkas.instances.generate import generate
from farkas.models.dps.offline import Offline
from farkas.offline.dps import optimum as module
from farkas.offline.dps.optimum import (
    TREES,
    WORDS,
    Placements,
    group_trees,
    placements,
    rewards_that_bind,
    shares_of,
)
from farkas.offline.ladder import Ascent, ladders
from farkas.relaxations.dps import server_prices
from farkas.relaxations.dps.server_prices import ServerProgram
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, posted, random_market


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "STALLED", 150)
    monkeypatch.setattr(module, "FIRST_MOVES", 20)


def optimum(market):
    prices = "free" if rewards_that_bind(market) == "budget" else "capped"
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


@pytest.mark.slow
def test_most_optima_of_small_markets_are_found():
    reached = [
        float(farkas.optimum(market, gap=0.0).value) >= optimum(market) * (1 - 1e-9)
        for market in (random_market(seed, jobs=8) for seed in range(200, 225))
    ]
    assert sum(reached) >= 20


@pytest.mark.ids(3)
@pytest.mark.parametrize("seed", range(12))
def test_every_rung_is_replayed_without_a_fault(seed):
    market = random_market(seed, jobs=12)
    ascent = Ascent("max", Deadline(), Fraction(0))
    values = []
    for rung in placements(market, ascent):
        if rung.decisions is not None:
            run = ladders["dps.optimum"].run(market, rung.decisions)
            assert not run.violations
            values.append(Fraction(run.reached))
    assert all(a <= b for a, b in itertools.pairwise(values))


@pytest.mark.ids(1)
@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
@pytest.mark.parametrize("seed", [1, 5, 8])
def test_the_unit_of_money_changes_nothing(seed, unit):
    market = random_market(seed, jobs=14)
    one, other = (farkas.optimum(m, gap=0.0) for m in (market, market_in(market, unit)))
    assert other.value == one.value * Fraction(unit)
    assert float(other.bound) == pytest.approx(float(one.bound) * unit, rel=1e-12)


def test_jobs_that_fit_nowhere_and_pay_nothing():
    market = posted((0, 1.0, 3, 9.0), (0, 1.0, 1, 0.0), (0, 1.0, 1, 1.0), units=2)
    found = farkas.optimum(market, gap=0.0)
    assert found.complete
    assert found.value == 1
    assert [d["outcome"] for d in found.run.decisions] == ["declined", "declined", "sold"]


def test_a_market_that_nobody_visits():
    assert farkas.optimum(empty_market(), gap=0.0).value == 0


def test_a_job_on_two_servers():
    market = posted((0, 1.0, 2, 1.0), units=1).replace(
        server_workers=[[1], [1]], server_ps=[[1], [1]]
    )
    found = farkas.optimum(market, gap=0.0)
    assert found.value == found.bound == 1


def test_too_large_a_program_leaves_prices_by_type(monkeypatch):
    monkeypatch.setattr(server_prices, "MOST_ENTRIES", 0)
    market = random_market(5, jobs=12)
    found = farkas.optimum(market, gap=0.0)
    assert found.value <= found.bound
    assert found.bound >= Fraction(optimum(market)) * (1 - Fraction(1, 10**9))
    assert any("again" in step.method or "linear" in step.method for step in found.steps)


@pytest.mark.slow
def test_the_deadline_leaves_what_was_found():
    market = generate("dps", "published", 0, num_jobs=1_001, horizon=500, num_servers=3)
    pressed = threading.Event()
    ascent = Ascent("max", Deadline(stopped=pressed.is_set), Fraction(0))
    methods = []
    for rung in placements(market, ascent):
        methods.append(rung.method)
        if rung.decisions is not None:
            pressed.set()
    assert methods[0] == WORDS
    assert "jobs of the linear program" in methods
    assert len(methods) <= len(set(methods)) + server_prices.MOST_ROUNDS


def test_whole_jobs_by_class_are_worth_no_less_than_what_is_placed():
    market = generate("dps", "published", 0, num_jobs=60, horizon=60, num_servers=3)
    program = ServerProgram(market, "capped")
    *_, priced = program.rounds()
    trees = group_trees(program, priced)
    shares = trees.settle(lambda: 60.0, 1e-6)
    found = Placements(program, priced)
    found.follow(shares)
    by_class = float(program.reward @ shares.sum(axis=1))
    assert found.packing.value <= by_class * (1 + 1e-6)
    assert by_class <= float(priced.bound) * (1 + 1e-9)
    found.follow(shares_of(market, priced.ways, priced.share))
    assert found.packing.value <= by_class * (1 + 1e-6)


def test_what_all_jobs_decided_leave_is_the_optimum():
    """One virtual cluster whose servers hold less than its jobs ask for: prices are 9 % away."""
    market = posted(*[(0, 3.0, 2, 4.0)] * 3, (1, 3.0, 1, 1.0), units=5)
    found = farkas.optimum(market, gap=0.0)
    assert found.value == found.bound == 9
    assert any(step.method == TREES for step in found.steps)


@pytest.mark.parametrize("seed", range(20))
def test_what_all_groups_choose_together_is_placed_without_a_fault(seed):
    """Integer columns of the program by class, followed: no more than the program is worth."""
    market = random_market(seed, jobs=12, servers=3)
    program = ServerProgram(market, rewards_that_bind(market))
    rounds = list(program.rounds())
    assert rounds, "nobody pays"
    priced = rounds[-1]
    answer = solve(program.form(priced.ways, integer=True)[0], gap=0.0).require_optimal()
    found = Placements(program, priced)
    found.follow_ways(priced.ways, answer.point)
    run = ladders["dps.optimum"].run(market, found.decisions())
    assert not run.violations
    assert found.packing.value <= optimum(market) * (1 + 1e-9)
    if program.classes.count == market.num_servers:
        # a class is a server: nothing has to be packed
        assert found.packing.value >= answer.objective * (1 - 1e-9)


def test_jobs_are_placed_where_the_program_has_them():
    """The dear job needs the large server; the fullest one would be the small one for the other."""
    market = posted((0, 2.0, 1, 1.0), (0, 2.0, 2, 9.0), units=2).replace(
        server_workers=[[1], [2]], server_ps=[[1], [2]]
    )
    program = ServerProgram(market, "budget")
    *_, priced = program.rounds()
    found = Placements(program, priced)
    found.follow_ways(priced.ways, priced.share)
    placed = found.packing.timeline.placed
    assert {job: where.servers.tolist() for job, where in placed.items()} == {0: [0], 1: [1]}
