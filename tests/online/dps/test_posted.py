"""Sellers whose prices do not depend on the past."""

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.dps.seller import (
    BestFit,
    FixedPrice,
    FreeOfCharge,
    GivenPrice,
    Random,
)
from tests.generators.dps import learning_market
from tests.references.dps_market import algorithm_2, best_fit, sell
from tests.references.dps_sellers import alike, drawn, fixed, handled


def test_given_prices_are_the_instances():
    market = library.load("dps/tiny")
    seller = FixedPrice(np.array([0.5, 0.25]), np.array([0.5]), "best_fit")
    assert list(GivenPrice("best_fit").decide(market, 0)) == list(seller.simulate(market))
    run = algorithms["dps.fixed_price"].run(market)
    assert run.value == GivenPrice().simulate(market).profit
    with pytest.raises(NotApplicable, match="fixed_prices"):
        GivenPrice().simulate(market.replace(fixed_prices=None))


@pytest.mark.parametrize("seed", range(24))
def test_prices_drawn_or_given_are_quoted_as_in_the_list(seed):
    market = learning_market(seed)
    assert alike(handled(Random().simulate(market, seed)), drawn(market, seed))
    cap = 1.0 if market.price_cap is None else market.price_cap
    worker = [0.5 * cap / (1 + kind) for kind in range(market.num_worker_types)]
    ps = [0.25 * cap * (1 + kind) for kind in range(market.num_ps_types)]
    market = market.replace(fixed_prices={"worker": worker, "ps": ps})
    found = GivenPrice().decide(market, 0)
    assert alike(handled(found), fixed(market, (dict(enumerate(worker)), dict(enumerate(ps)))))


def test_fixed_prices_above_the_cap_break_a_rule():
    market = library.load("dps/tiny").replace(fixed_prices={"worker": [1.2, 0.1], "ps": [1.0]})
    run = algorithms["dps.fixed_price"].run(market)
    assert run.ratio is None
    assert any("price cap allows" in fault for fault in run.violations)


@pytest.mark.parametrize(
    "rule",
    [(FreeOfCharge(), algorithm_2), (BestFit(), best_fit)],
    ids=lambda rule: type(rule[0]).__name__,
)
@pytest.mark.parametrize("seed", range(24))
def test_gifts_go_to_the_servers_of_the_list(rule, seed):
    market, (seller, place) = learning_market(seed), rule
    for decision, (_, units) in zip(
        seller.simulate(market), sell(market, lambda job: 0.0, place=place), strict=True
    ):
        given = [0] * market.num_servers, [0] * market.num_servers
        for s, a, b in zip(decision.servers, decision.workers, decision.ps, strict=True):
            given[0][s], given[1][s] = a, b
        assert given == (units or ([0] * market.num_servers,) * 2)
