"""Fixed prices with the largest bound of (3): the program against the formula."""

import numpy as np
import pytest

import farkas
from farkas.instances.dps import Market
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


@pytest.mark.parametrize(("horizon", "last", "optimum"), [
    (6, 1, 2.7),  # all three pay 0.9; 5 unused slots would sell for more
    (3, 1, 2.0),  # two pay 1, and 2 unused slots sell for 2; three at 0.9 would meet 1.8
    (3, 2, 5 / 3),  # 3 - (1 + 1 + 2) / 3 unused slots at 1
    (3, 9, 0.0),  # fewer unused slots than none: the best is to ask for nothing
])  # fmt: skip
def test_the_best_of_one_server_is_what_a_hand_computes(horizon, last, optimum):
    # a worker and a parameter server, so both terms only know the sum of the two prices
    kinds = {"worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0, "epochs": 1}
    jobs = [
        {"arrival": slot, "budget": budget, "epoch_compute": runtime, **kinds}
        for slot, (budget, runtime) in enumerate([(1.0, 1), (1.2, 1), (0.9, last)])
    ]
    market = Market.build(
        horizon=horizon, jobs=jobs, server_workers=[[1]], server_ps=[[1]],
        worker_bandwidth=[None], ps_bandwidth=[None], price_cap=1.0,
    )  # fmt: skip
    found = farkas.prove(market, "dps.fluid_bound").value
    assert float(found) == pytest.approx(optimum, rel=1e-12, abs=1e-12)


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
