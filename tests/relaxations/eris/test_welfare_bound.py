"""Prices found with more or less effort, and the bounds they prove."""

from __future__ import annotations

from fractions import Fraction

import pytest

from farkas.certificates.eris import prove_welfare
from farkas.instances import library
from farkas.relaxations.eris.welfare_bound import METHODS, certify_welfare, find_prices
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(15))
def test_every_effort_proves_a_bound_on_the_optimum(seed: int) -> None:
    auction = random_auction(seed)
    best = optimum("eris.offline", auction)
    for effort in ("free", "aggregated", "subgradient", "columns"):
        prices = find_prices(auction, effort, rounds=20)
        proved = float(prove_welfare(auction, prices.transfer, prices.resource))
        assert proved >= best - 1e-9


def test_without_a_budget_transfer_is_priced_out() -> None:
    # no_transfer: 21 with moves forbidden, 33 if moving were free
    auction = library.load("eris/no_transfer")
    assert float(certify_welfare(auction, "columns")[0].bound) == pytest.approx(21.0)


def test_more_effort_proves_more() -> None:
    # integrality_gap: its relaxation is 87.2435, and everything for nothing proves 92.893
    auction = library.load("eris/integrality_gap")
    bounds = [float(Fraction(certify_welfare(auction, effort)[0].bound)) for effort in METHODS]
    assert bounds[0] >= bounds[1] > bounds[2] > bounds[3]
    assert bounds[0] == pytest.approx(92.893)
    assert bounds[-1] == pytest.approx(87.2435, abs=1e-4)


def test_without_a_budget_even_free_prices_forbid_moves() -> None:
    # the data are at site 0, where no worker fits: nothing can be earned
    auction = one_resource({}, site_capacity=[[0.0], [2.0]], transfer_budget=0.0)
    assert Fraction(certify_welfare(auction, "free")[0].bound) == 0
