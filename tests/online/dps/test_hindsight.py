"""Baselines that choose fixed prices in hindsight."""

import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps import fixed_prices
from farkas.online.dps.fixed_prices import Grid
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


@pytest.mark.parametrize("name", ["bfp_coord", "bfp_fluid"])
def test_rounds_are_those_asked_for(monkeypatch, name):
    asked, market = [], random_market(0, jobs=5)
    plain = fixed_prices.best_by_coordinates

    def recorded(market, rounds, *value):
        asked.append(rounds)
        return plain(market, rounds, *value)

    monkeypatch.setattr(fixed_prices, "best_by_coordinates", recorded)
    algorithms[f"dps.{name}"].run(market, rounds=7)
    assert asked == [7]
