"""Baselines that choose fixed prices in hindsight."""

import msgspec
import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps import hindsight
from farkas.online.dps.hindsight import Coordinates, Fluid, Grid, Hindsight
from farkas.online.dps.posted import FixedPrice, run_seller
from tests.generators.dps import learning_market, random_market
from tests.references import dps_sellers


def test_a_grid_search_needs_a_grid_that_is_not_too_large():
    with pytest.raises(NotApplicable, match="price_grid"):
        algorithms["dps.bfp_grid"].run(library.load("dps/one_server"))
    large = generate("dps", "small", 0, num_worker_types=14, num_jobs=60)
    with pytest.raises(NotApplicable, match=r"use dps\.bfp_coord"):
        algorithms["dps.bfp_grid"].run(large.replace(price_grid=[0.1, 0.2, 0.3]))
    with pytest.raises(NotApplicable, match="fixed_prices"):
        algorithms["dps.fixed_price"].run(library.load("dps/one_server"))


@pytest.mark.parametrize("baseline", [Coordinates(1), Coordinates(3), Fluid(2), Grid()], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_the_run_sells_at_the_best_prices(baseline, seed):
    market = random_market(seed, jobs=8).replace(price_grid=[0.3, 0.6, 0.9])
    best = baseline.best(market)
    decisions = baseline.decide(market, 0)
    assert list(decisions) == run_seller(FixedPrice(best.worker, best.ps), market)
    profit = sum(d.payment for d in decisions)
    assert baseline.simulate(market).profit == pytest.approx(profit)
    assert best.profit == pytest.approx(profit)


def test_of_two_grids_the_finer_earns_no_less():
    for seed in range(6):
        market = random_market(seed, jobs=8)
        coarse, fine = (
            Grid().best(market.replace(price_grid=grid)).profit
            for grid in ([0.5], [0.25, 0.5, 0.75])
        )
        assert fine >= coarse


def test_simulations_are_estimated_before_the_clock_starts():
    market = random_market(1).replace(price_grid=[0.3, 0.6])
    types = market.num_worker_types + market.num_ps_types
    assert Coordinates(2).simulations(market) == 2 * 10 * types
    assert Grid().simulations(market) == 2**types
    assert Grid().simulations(market.replace(price_grid=None)) == 0
    assert Fluid().simulations(market) == 1
    with pytest.raises(NotImplementedError):
        Hindsight().best(market)


def test_blind_to_capacity_is_blind():
    # one server for one job at a time, two users with 1 and one with 0.8 at the same time: two
    # sales at 1 beat three at 0.8 on paper, 2.0 to 2.4, so that the fluid price is 0.4 + 0.4
    market = library.load("dps/one_server_half_open")
    job = {"arrival": 0, "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0,
           "epochs": 1, "epoch_compute": 0.5}  # fmt: skip
    busy = market.replace(jobs=[{**job, "budget": b} for b in (1.0, 1.0, 0.8)])
    fluid, known = Fluid().best(busy), Coordinates().best(busy)
    assert float(fluid.worker[0] + fluid.ps[0]) == pytest.approx(0.8)
    assert fluid.profit == pytest.approx(0.8)
    assert known.profit == pytest.approx(1.0)
    assert np.isfinite(generate("dps", "small", 0, num_jobs=3).budget).all()


def test_of_prices_that_earn_nothing_the_first_are_kept():
    market = learning_market(1, jobs=6)
    poor = market.replace(jobs=[{**msgspec.to_builtins(j), "budget": 0.0} for j in market.jobs])
    for name, by in (("bfp_coord", "profit"), ("bfp_fluid", "demand")):
        found = dps_sellers.handled(algorithms[f"dps.{name}"].policy().decide(poor, 0))
        assert dps_sellers.alike(found, dps_sellers.fixed(poor, dps_sellers.climbed(poor, by)))


@pytest.mark.parametrize("seed", range(12))
def test_prices_are_those_of_the_searches_written_with_lists(seed):
    market = learning_market(seed, jobs=12)
    cap = 1.0 if market.price_cap is None else market.price_cap
    market = market.replace(price_grid=[0.25 * cap, 0.5 * cap, cap])
    earned, prices = dps_sellers.best_of_grid(market)
    searches = {
        "bfp_coord": dps_sellers.climbed(market, "profit"),
        "bfp_fluid": dps_sellers.climbed(market, "demand"),
        "bfp_grid": prices,
    }
    for name, wanted in searches.items():
        found = algorithms[f"dps.{name}"].policy().decide(market, 0)
        assert dps_sellers.alike(dps_sellers.handled(found), dps_sellers.fixed(market, wanted))
    assert sum(d.payment for d in Grid().decide(market, 0)) == pytest.approx(earned, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "search"), [("bfp_coord", "best_by_coordinates"), ("bfp_fluid", "best_for_demand")]
)
def test_rounds_are_those_asked_for(monkeypatch, name, search):
    asked, market = [], random_market(0, jobs=5)
    plain = getattr(hindsight, search)

    def recorded(market, rounds):
        asked.append(rounds)
        return plain(market, rounds)

    monkeypatch.setattr(hindsight, search, recorded)
    algorithms[f"dps.{name}"].run(market, rounds=7)
    assert asked == [7]
