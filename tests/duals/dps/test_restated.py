"""Prices of dps as multipliers of dps.interval_lp, and its derived dual."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.dps import PricedMarket, certify_prices
from farkas.duals.dualize import dualize
from farkas.duals.multipliers import as_linear
from farkas.relaxations.dps.interval import IntervalLP
from farkas.solvers import solve
from tests.generators.dps import random_market


@pytest.mark.parametrize("seed", range(6))
def test_primal_and_derived_dual_have_one_optimum(seed):
    market = random_market(seed, jobs=9)
    for rewards in ("budget", "capped"):
        if rewards == "capped" and market.price_cap is None:
            continue
        primal = IntervalLP(rewards=rewards).form(market)
        values = [
            solve(form).require_optimal().objective for form in (primal, dualize(primal).form)
        ]
        assert values[1] == pytest.approx(values[0], abs=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_any_prices_prove_a_bound(seed):
    market = random_market(seed, jobs=6)
    rng = np.random.default_rng(seed)

    width = PricedMarket(market, "dps.interval_lp[budget]").width
    prices = rng.random(width) * (rng.random(width) < 0.3)
    own = certify_prices(market, prices, "budget")
    # prices of a slot may move to one in which more jobs pay them
    bound = check(as_linear(own, market)).bound
    assert bound <= check(own, instance=market).bound * (1 + Fraction(1, 10**9))
