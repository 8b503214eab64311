"""Prices of a market as multipliers of its intervals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.dps import DpsPrices, SlotPrices
from farkas.duals.dps.restated import restated
from farkas.duals.restated import as_linear
from tests.generators.dps import random_market


@pytest.mark.parametrize("seed", range(10))
def test_any_prices_of_any_slots_prove_a_bound(seed):
    market = random_market(seed, jobs=6)
    rng = np.random.default_rng(seed)

    def some(types: int) -> dict[str, np.ndarray]:
        places = np.argwhere(rng.random((types, market.horizon)) < 0.3)
        return {"type": places[:, 0], "slot": places[:, 1], "price": rng.random(len(places))}

    prices = SlotPrices.of(market, some(market.num_worker_types), some(market.num_ps_types))
    own = DpsPrices.of(market, prices, "budget")
    # prices of a slot may move to one in which more jobs pay them
    bound = check(as_linear(own, market)).bound
    assert bound <= check(own, instance=market).bound * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("seed", range(6))
def test_prices_that_meet_in_a_row_add_up(seed):
    market = random_market(seed, jobs=6)
    kinds, others = market.num_worker_types, market.num_ps_types

    def every(types: int) -> dict[str, np.ndarray]:
        places = np.argwhere(np.ones((types, market.horizon)))
        return {"type": places[:, 0], "slot": places[:, 1], "price": np.full(len(places), 0.25)}

    own = DpsPrices.of(market, SlotPrices.of(market, every(kinds), every(others)), "budget")
    found = restated(own, market)
    for family, types in (("enough_workers", market.worker_type), ("enough_ps", market.ps_type)):
        block = found.form.row_block(family)
        rows = block.axes[0].members[:, 0]
        multipliers = found.multipliers[block.start : block.stop]
        for kind in set(types[market.fits].tolist()):
            total = multipliers[rows == kind].sum()
            assert total == 0.25 * market.horizon
