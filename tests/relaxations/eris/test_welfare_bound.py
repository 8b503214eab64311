"""Prices found with more or less effort, and the bounds they prove."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas import executor as module
from farkas.certificates.eris import ErisPrices, prove_payoffs, prove_welfare
from farkas.executor import Executor
from farkas.instances import library
from farkas.models.eris.prices import Prices
from farkas.relaxations.eris.welfare_bound import (
    METHODS,
    PayoffProofs,
    PayoffsToProve,
    aggregated_prices,
    certify_welfare,
    column_prices,
    find_prices,
    payoffs_by,
    pooled_prices,
    prohibitive,
)
from tests.generators.eris import auction_in, one_resource, random_auction
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


def test_pooled_capacity_prices_what_is_scarce() -> None:
    # jobs worth 10 and 6 for one gpu slot of two sites together: its dual is 6 at both
    jobs = [{"data": [1, 0], "utility": [worth], "parameter_size": 0.0} for worth in (10.0, 6.0)]
    auction = one_resource(*jobs, slots=1, site_capacity=[[1.0], [0.0]])
    prices = aggregated_prices(auction)
    assert prices.resource.ravel().tolist() == pytest.approx([6.0, 6.0])
    assert prices.transfer.tolist() == [0.0]


@pytest.mark.parametrize("unit", [2.0**-50, 1.0, 2.0**50])
def test_without_a_budget_nothing_that_moves_can_pay(unit: float) -> None:
    jobs = [{"data": [1, 0], "utility": [u, u, u], "parameter_size": 0.25} for u in (3.0, 7.0)]
    auction = auction_in(one_resource(*jobs, transfer_budget=0.0), data=unit)
    prices = prohibitive(auction, Prices.zero(auction))
    assert (0.25 * unit * prices.transfer > 7.0).all()
    assert not prices.resource.any()


def test_prices_stay_where_there_is_a_budget_or_nothing_to_move() -> None:
    still = {"utility": [5.0, 5.0, 5.0], "parameter_size": 0.0}
    for auction in (
        one_resource(dict(still)),
        one_resource(dict(still), chunk_size=0.0, transfer_budget=0.0),
        one_resource(chunk_size=0.0, transfer_budget=0.0),
    ):
        zero = Prices.zero(auction)
        assert prohibitive(auction, zero) is zero


def test_prices_that_bound_programs_are_those_of_their_effort_and_of_the_time() -> None:
    auction = library.load("eris/integrality_gap")
    assert pooled_prices(auction, 1.0) == certify_welfare(auction)[0]
    assert column_prices(auction, 60.0) == certify_welfare(auction, "columns")[0]
    # the first round alone knows no prices
    assert column_prices(auction, 0.0) == certify_welfare(auction, "free")[0]


def prices_of(auction, seed=0):
    rng = np.random.default_rng(seed)
    shape = (auction.sites, auction.num_resources, auction.slots)
    return rng.random(auction.slots), rng.random(shape)


@pytest.mark.parametrize("seed", range(12))
def test_parts_add_up_exactly(seed):
    auction = random_auction(seed, jobs=6)
    transfer, resource = prices_of(auction, seed)
    proofs, whole = PayoffProofs(auction), prove_payoffs(auction, transfer, resource)
    for cut in range(auction.num_jobs + 1):
        two = [
            proofs(PayoffsToProve(begin, end, transfer, resource))
            for begin, end in ((0, cut), (cut, auction.num_jobs))
        ]
        assert sum(two) == whole


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_certificates_do_not_depend_on_who_proves(workers, monkeypatch):
    monkeypatch.setattr(module, "LEAST_STEPS", 0.0)
    with Executor.of(workers) as executor:
        for seed in range(4):
            auction = random_auction(seed, jobs=6)
            prices = prices_of(auction, seed)
            found = ErisPrices.of(auction, *prices, payoffs_by(executor))
            assert found == ErisPrices.of(auction, *prices)
            assert found.prove_bound(auction) == ErisPrices.of(auction, *prices).prove_bound(
                auction
            )
