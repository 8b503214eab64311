"""Prices of capacity: optimal ones from a solver, and those of a subgradient method."""

import numpy as np
import pytest

from farkas.certificates.dps import prices_bound
from farkas.errors import InvalidOption, NoAnswer
from farkas.instances import library
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import lp_prices, subgradient_prices
from farkas.solvers import solve
from tests.generators.dps import empty_market, random_market
from tests.solvers.test_fallback import break_solvers

ROW = library.load("dps/one_server")
"""Three jobs worth 1, 1.2, 0.9 in slots 0, 1, 2, each of which excludes the next."""


def test_optimal_prices_of_three_jobs_in_a_row():
    # jobs 0 and 2 are served: 1.9; slots 1 and 2 cost 1 and 0.9, worker and server together
    prices = lp_prices(ROW)
    assert float(prices_bound(ROW, prices)) == pytest.approx(1.9, abs=1e-9)


@pytest.mark.parametrize("rewards", ["budget", "capped"])
@pytest.mark.parametrize("seed", range(5))
def test_optimal_prices_prove_their_program(seed, rewards):
    market = random_market(seed, jobs=8).replace(price_cap=1.0)
    value = solve(IntervalLP(rewards=rewards).form(market)).objective
    assert float(prices_bound(market, lp_prices(market, rewards), rewards)) == (
        pytest.approx(value, abs=1e-7)
    )


def test_the_first_subgradient_step_by_hand():
    # at prices 0 everybody wants to be served: usage 1, 2, 2 of 1 in slots 0, 1, 2.  The step is
    # 2 · 3.1 / (2 · 6) = 31/60, so slots 1 and 2 cost that on both sides, which deters every job:
    # 4 · 31/60
    assert float(prices_bound(ROW, subgradient_prices(ROW, iterations=0))) == pytest.approx(3.1)
    one = float(prices_bound(ROW, subgradient_prices(ROW, iterations=1)))
    assert one == pytest.approx(4 * 31 / 60)


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
def test_every_subgradient_step_is_shorter_by_the_root_of_its_number(seed):
    market = random_market(seed, jobs=8)
    for count in (1, 2, 3, 6):
        found = float(prices_bound(market, subgradient_prices(market, iterations=count)))
        assert found == pytest.approx(best_of_steps(market, count), rel=1e-9, abs=1e-12)


def test_more_steps_never_bound_worse_and_come_close():
    bounds = [
        float(prices_bound(ROW, subgradient_prices(ROW, iterations=count)))
        for count in (0, 1, 5, 20, 100, 400)
    ]
    assert bounds == sorted(bounds, reverse=True)
    assert 1.9 - 1e-9 <= bounds[-1] <= 1.95


def test_what_cannot_be():
    with pytest.raises(InvalidOption, match="iterations = -1"):
        subgradient_prices(ROW, iterations=-1)
    nobody = empty_market()
    assert prices_bound(nobody, subgradient_prices(nobody)) == 0
    nothing = random_market(3).replace(server_workers=[], server_ps=[])
    assert prices_bound(nothing, subgradient_prices(nothing)) == 0
    assert np.isfinite(float(prices_bound(nothing, lp_prices(nothing))))


@pytest.mark.parametrize("broken", [["highs"], ["highs", "scip", "gurobi"]])
def test_prices_come_from_the_next_solver_when_the_first_fails(monkeypatch, broken):
    break_solvers(monkeypatch, *broken)
    assert float(prices_bound(ROW, lp_prices(ROW))) == pytest.approx(1.9, rel=1e-6)


def test_nobody_left_to_ask_for_prices_is_said(monkeypatch):
    break_solvers(monkeypatch)
    with pytest.raises(NoAnswer, match="no solver reached an optimum"):
        lp_prices(ROW)
