"""The program by classes of servers: its prices meet its value, and both bound the optimum."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.dps.offline import Offline
from farkas.relaxations.dps import server_prices
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.server_prices import ServerProgram, blended, in_money
from farkas.solvers import solve
from tests.generators.dps import empty_market, market_in, random_market


def last_round(market, rewards="budget"):
    rounds = list(ServerProgram(market, rewards).rounds())
    return rounds[-1] if rounds else None


@pytest.mark.parametrize("seed", range(40))
def test_prices_prove_the_value_of_the_program_and_bound_the_optimum(seed):
    market = random_market(seed, jobs=9)
    found = last_round(market)
    best = solve(Offline().form(market), gap=0.0).require_optimal().objective
    if found is None:
        assert best == 0
        return
    program = ServerProgram(market, "budget")
    value = float(program.reward[found.ways.job] @ found.share)
    assert float(found.bound) == pytest.approx(value, rel=1e-9)
    assert float(found.bound) >= best * (1 - 1e-9)
    by_type = solve(IntervalLP().form(market)).require_optimal().objective
    assert value <= by_type * (1 + 1e-9)


def test_classes_see_what_types_do_not():
    market = library.load("dps/aggregate_gap")
    # the optimum is 13.1, the relaxation by type 17.9, that by server 17.3
    assert 13.1 <= float(last_round(market).bound) <= 17.3 + 1e-6


def test_one_class_of_one_server_is_the_relaxation_by_type():
    market = generate("dps", "published", 0, num_jobs=60, horizon=60, num_servers=1)
    value = solve(IntervalLP().form(market)).require_optimal().objective
    assert float(last_round(market).bound) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_margins_are_what_ways_pay_beyond_their_charges(seed):
    market = random_market(seed, jobs=9)
    found = last_round(market)
    if found is None:
        return
    # complementary slackness: what the optimum takes pays its charge at least, and all of it
    # where a job is not served in full
    used = found.share > 1e-9
    largest = market.budget.max()
    assert (found.margin[used] >= -1e-9 * largest).all()
    served = np.bincount(found.ways.job, found.share, market.num_jobs)
    partly = served[found.ways.job] < 1 - 1e-9
    assert (found.margin[partly] <= 1e-9 * largest).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_money_changes_nothing(seed):
    market = random_market(seed, jobs=9)
    one, other = last_round(market), last_round(market_in(market, 2.0**40))
    if one is None:
        assert other is None
        return
    assert other.bound == one.bound * 2**40
    assert (other.share == one.share).all()


def test_what_is_too_large_or_too_late_is_left_out(monkeypatch):
    market = random_market(1, jobs=9)
    assert not list(ServerProgram(market, "budget").rounds(lambda: 0.0))
    monkeypatch.setattr(server_prices, "MOST_ENTRIES", 3)
    assert not list(ServerProgram(market, "budget").rounds())


@pytest.mark.parametrize("seed", range(12))
def test_known_prices_change_the_way_not_the_end(seed):
    market = random_market(seed, jobs=9, servers=3)
    program = ServerProgram(market, "budget")
    found = last_round(market)
    assert found is not None, "nobody pays"
    first = next(program.rounds())
    *_, again = program.rounds(known=first.prices)
    assert float(again.bound) == pytest.approx(float(found.bound), rel=1e-9)
    rounds = list(program.rounds(close=0.01))
    assert [each.bound for each in rounds] == [
        each.bound for each in list(program.rounds())[: len(rounds)]
    ]
    assert float(min(each.bound for each in rounds)) <= 1.02 * float(found.bound)
    assert len(list(program.rounds(close=1.0))) == 1


def test_prices_between_two_are_half_of_both():
    market = generate("dps", "published", 0, num_jobs=60, horizon=60, num_servers=3)
    one, *_, other = (each.prices for each in ServerProgram(market, "budget").rounds())
    between = blended(market, one, other)
    for name in ("worker", "ps"):
        found = [
            dict(
                zip(
                    getattr(prices, f"{name}_positions").tolist(),
                    in_money(getattr(prices, f"{name}_numbers"), prices).tolist(),
                    strict=True,
                )
            )
            for prices in (one, other, between)
        ]
        assert set(found[2]) <= set(found[0]) | set(found[1])
        for at in set(found[0]) | set(found[1]):
            half = (found[0].get(at, 0.0) + found[1].get(at, 0.0)) / 2
            assert found[2].get(at, 0.0) == pytest.approx(half, rel=1e-6, abs=1e-9)


def test_nobody_and_nothing_to_pay():
    assert last_round(empty_market()) is None
    market = random_market(2, jobs=5)
    free = market.replace(jobs=[{**_plain(job), "budget": 0.0} for job in market.jobs])
    assert last_round(free) is None


def _plain(job) -> dict:
    return {name: getattr(job, name) for name in job.__struct_fields__}
