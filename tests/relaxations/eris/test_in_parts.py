"""Payoffs proved in parts: the same exact number, whoever proves."""

from __future__ import annotations

import numpy as np
import pytest

from farkas import executor as module
from farkas.certificates.eris import ErisPrices, prove_payoffs
from farkas.executor import Executor
from farkas.relaxations.eris.welfare_bound import PayoffProofs, PayoffsToProve, payoffs_by
from tests.generators.eris import random_auction


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
