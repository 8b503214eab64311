"""Fixed prices with the largest bound of (3): the program against the formula."""

import numpy as np
import pytest

from farkas.models.dps.fluid_bound import FluidBound
from farkas.relaxations.dps.interval import demand_bound, printed_bound
from farkas.solvers import solve
from tests.generators.dps import random_market


def market_of(seed):
    market = random_market(seed, jobs=8)
    horizon = market.horizon if seed % 2 else int(market.arrival.max()) + 1  # supply may be short
    return market.replace(price_cap=market.price_cap or 1.0, horizon=horizon)


def drawn_prices(market, rng):
    types = market.num_worker_types, market.num_ps_types
    return [market.price_cap * rng.random(count) for count in types]


def at_prices(form, prices):
    """The program with its prices fixed."""
    lower, upper = form.lower.copy(), form.upper.copy()
    for name, values in zip(("worker_price", "ps_price"), prices, strict=True):
        for bounds in (lower, upper):
            bounds[form.column_block(name).where] = values
    return form.replace(lower=lower, upper=upper)


def test_at_given_prices_a_solver_finds_what_the_formula_says():
    short = 0
    for seed in range(20):
        market, rng = market_of(seed), np.random.default_rng(seed)
        form = FluidBound().form(market)
        for prices in (drawn_prices(market, rng) for _ in range(3)):
            answer = solve(at_prices(form, prices), gap=0.0).require_optimal()
            assert answer.objective == pytest.approx(printed_bound(market, *prices), abs=1e-9)
            short += answer.objective < demand_bound(market, *prices) - 1e-9
    assert short  # the first term is met, too


@pytest.mark.parametrize("seed", range(20))
def test_no_prices_have_a_larger_bound(seed):
    market, rng = market_of(seed), np.random.default_rng(seed)
    form = FluidBound().form(market)
    answer = solve(form, gap=0.0).require_optimal()
    best = [form.values(answer.point, name) for name in ("worker_price", "ps_price")]
    assert printed_bound(market, *best) == pytest.approx(answer.objective)
    for _ in range(40):
        assert printed_bound(market, *drawn_prices(market, rng)) <= answer.objective + 1e-9
