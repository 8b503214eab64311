"""Prices by server: between the integer optimum and the linear relaxation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import check, from_json, to_json
from farkas.certificates.dps_servers import ServerCertificate, ServerPrices, server_bound
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.dps.offline import Offline, OfflineLP
from farkas.relaxations.dps.prices import server_prices
from farkas.solvers import solve
from tests.generators.dps import empty_market, random_market


def optimum(program, market) -> float:
    return solve(program.form(market), gap=0.0).require_optimal().objective


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_lies_between_the_optimum_and_its_relaxation(seed):
    market = random_market(seed, jobs=6)
    bound = float(server_bound(market, server_prices(market)))
    assert optimum(Offline(), market) - 1e-7 <= bound
    assert bound <= optimum(OfflineLP(), market) + 1e-7


@pytest.mark.parametrize("seed", range(40))
def test_any_prices_bound_every_optimum(seed):
    market = random_market(seed, jobs=5)
    rng = np.random.default_rng(seed)

    def some(types: int) -> np.ndarray:
        every = [
            (k, t, s, int(rng.integers(0, 2**9)))
            for k in range(types)
            for t in range(market.horizon)
            for s in range(market.num_servers)
            if rng.random() < 0.2
        ]
        return np.array(every, dtype=object).reshape(len(every), 4)

    prices = ServerPrices(10, some(market.num_worker_types), some(market.num_ps_types))
    assert float(server_bound(market, prices)) >= optimum(Offline(), market) - 1e-7


def test_the_cheapest_units_fill_a_spread_job():
    # 2 workers and 2 parameter servers; servers have (2, 2) and (2, 1).  With a price of 1 for
    # workers of the first in slot 1 hosting costs 2; spreading takes the workers of the second.
    market = library.load("dps/tiny").replace(
        jobs=[{"arrival": 1, "worker_type": 0, "workers": 2, "ps_type": 0, "ps": 2,
               "model_size": 0, "epochs": 1, "epoch_compute": 1.0, "budget": 2.5}]
    )  # fmt: skip
    one = np.array([[0, 1, 0, 1]], dtype=object)
    none = np.zeros((0, 4), dtype=object)
    # 2 units of capacity at 1, and 2.5 - 0.
    assert server_bound(market, ServerPrices(0, one, none)) == 2 + 3
    assert server_bound(market, ServerPrices(1, one * [1, 1, 1, 2], none)) == 2 + Fraction(5, 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1, 0, -1]], "negative"),
        ([[0, 1, 0, 1], [0, 1, 0, 2]], "two prices"),
        ([[0, 99, 0, 1]], "outside"),
        ([[5, 1, 0, 1]], "outside"),
        ([[0, 1, 0]], "shape"),
    ],
)
def test_malformed_prices_are_refused(rows, message):
    market, none = library.load("dps/tiny"), np.zeros((0, 4), dtype=object)
    with pytest.raises(NotACertificate, match=message):
        server_bound(market, ServerPrices(4, np.array(rows, dtype=object), none))


def test_a_certificate_survives_its_file():
    market = library.load("dps/aggregate_gap")
    certificate = ServerCertificate.of(market, server_prices(market), "budget")
    proof = check(from_json(to_json(certificate)), instance=market)
    # Relaxation by server 17.3; the interval relaxation is 17.9.
    assert float(proof.bound) == pytest.approx(17.3)
    with pytest.raises(NotACertificate, match="give it"):
        check(certificate)


def test_a_market_without_jobs_is_worth_nothing():
    assert server_bound(empty_market(), server_prices(empty_market())) == 0
