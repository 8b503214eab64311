"""Bandits of pairs on whole markets: the decisions of the sellers step by step, to the last bit."""

import numpy as np
import pytest

from farkas.online.dps.knapsacks import Knapsacks
from farkas.online.dps.pairs import PairPrices, pair_arms
from farkas.online.dps.posted import run_seller
from tests.generators.dps import empty_market, random_market

SELLERS = [
    PairPrices(), PairPrices(arms="joint"), PairPrices(placement="random"), Knapsacks(),
    Knapsacks(placement="best_fit"), Knapsacks(placement="random"),
]  # fmt: skip


def same(seller, market, seed):
    """Number of jobs sold, all decisions compared."""
    steps, whole = run_seller(seller, market, seed), seller.simulate(market, seed)
    for name in ("worker_price", "ps_price"):
        quoted = [getattr(d, name) for d in steps]
        found = [None if np.isnan(price) else price for price in getattr(whole, name).tolist()]
        assert found == quoted
    assert whole.payment.tolist() == [d.payment for d in steps]
    assert whole.served.tolist() == [d.served for d in steps]
    assert whole.colocated.tolist() == [d.colocated for d in steps]
    return int(whole.sold.sum())


@pytest.mark.parametrize("rounding", ["ceil", "none"])
@pytest.mark.parametrize("seller", SELLERS)
def test_whole_markets_are_sold_as_step_by_step(seller, rounding):
    sold = 0
    for seed in range(5):
        market = random_market(seed, jobs=50).replace(price_cap=1.0, runtime_rounding=rounding)
        sold += same(seller, market, seed)
    assert sold > 20


@pytest.mark.parametrize("seller", [PairPrices(), PairPrices(arms="joint"), Knapsacks()])
def test_what_costs_nothing_is_best_and_nobody_is_no_trouble(seller):
    # a huge weight makes time worth nothing, so that arms that sold nothing cost nothing
    market = random_market(1, jobs=60).replace(price_cap=1.0, dps={"eta_scale": 0.0})
    assert same(seller, market, 0) >= 0
    assert len(seller.simulate(empty_market()).outcome) == 0


def test_arms_of_pairs_that_nobody_asks_for_are_left_out():
    market = random_market(4, jobs=3)
    arms = pair_arms(market, lambda kind: np.full((kind + 2, 2), 0.5), lambda kind, other: 1.0)
    asked = {(job.worker_type, job.ps_type) for job in market.jobs}
    assert len(arms.eta) == len(asked) < 4
    sizes = [kind + 2 for kind, _ in sorted(asked)]
    assert np.diff(arms.first).tolist() == sizes
    assert len(arms.worker_price) == sum(sizes)
