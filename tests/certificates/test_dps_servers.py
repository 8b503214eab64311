"""Prices by server: between the integer optimum and the linear relaxation."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check, from_json, to_json
from farkas.certificates.dps import rewards_of
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


def by_hand(market, prices, rewards="budget"):
    """Rent plus what each job keeps at least, unit by unit, in fractions."""
    unit = Fraction(1, 2**prices.scale)
    sides = (
        (market.worker_type, market.workers, market.installed_workers, prices.workers),
        (market.ps_type, market.ps, market.installed_ps, prices.ps),
    )
    total = Fraction(0)
    for *_, installed, listed in sides:
        total += sum(int(installed[s, k]) * n * unit for k, _, s, n in listed.tolist())
    hosted, spread = market.last_held(market.colocated_end), market.last_held(market.spread_end)
    for i in np.flatnonzero(market.fits).tolist():
        costs, together = [], Fraction(0)
        paid = {}
        for name, last in (("hosted", hosted[i]), ("spread", spread[i])):
            paid[name] = [
                [
                    sum(n for k, t, s, n in listed.tolist()
                        if k == types[i] and s == server and market.arrival[i] <= t <= last) * unit
                    for server in range(market.num_servers)
                ]
                for types, _, _, listed in sides
            ]  # fmt: skip
        for (types, demand, installed, _), price in zip(sides, paid["spread"], strict=True):
            units = sorted(
                price[s] for s in range(market.num_servers)
                for _ in range(int(installed[s, types[i]]))
            )  # fmt: skip
            together += sum(units[: int(demand[i])], Fraction(0))
        for s in range(market.num_servers):
            if all(installed[s, types[i]] >= demand[i] for types, demand, installed, _ in sides):
                costs.append(
                    sum(int(demand[i]) * price[s]
                        for (_, demand, _, _), price in zip(sides, paid["hosted"], strict=True))
                )  # fmt: skip
        reward = Fraction(float(rewards_of(market, rewards)[i]))
        total += max(Fraction(0), reward - min([together, *costs]))
    return total


@pytest.mark.parametrize("seed", range(30))
def test_the_bound_is_rent_plus_what_every_job_keeps(seed):
    market = random_market(seed, jobs=6)
    rng = np.random.default_rng(seed)

    def some(types: int) -> np.ndarray:
        every = [
            (k, t, s, int(rng.integers(1, 2**9)))
            for k in range(types)
            for t in range(market.horizon)
            for s in range(market.num_servers)
            if rng.random() < 0.3
        ]
        return np.array(every, dtype=object).reshape(len(every), 4)

    prices = ServerPrices(10, some(market.num_worker_types), some(market.num_ps_types))
    exact = by_hand(market, prices)
    assert exact <= server_bound(market, prices) <= exact + Fraction(6, 2**10)
    written = ServerCertificate.of(market, prices, "budget")
    assert Fraction(written.bound) == server_bound(market, prices) == written.prove_bound(market)


@pytest.mark.parametrize("place", [1 << 61, 1 << 62, 1 << 64, -1, -(1 << 70)])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_places_beyond_64_bits_are_refused(place, column):
    market, none = library.load("dps/tiny"), np.zeros((0, 4), dtype=object)
    row = [0, 1, 0, 1]
    row[column] = place
    with pytest.raises(NotACertificate, match="outside"):
        server_bound(market, ServerPrices(4, np.array([row], dtype=object), none))


def test_the_last_place_of_every_kind_is_one_and_the_next_is_none():
    market, none = library.load("dps/tiny"), np.zeros((0, 4), dtype=object)
    last = [market.num_worker_types - 1, market.horizon - 1, market.num_servers - 1]
    server_bound(market, ServerPrices(4, np.array([[*last, 3]], dtype=object), none))
    for column in range(3):
        row = [*last, 3]
        row[column] += 1
        with pytest.raises(NotACertificate, match="outside"):
            server_bound(market, ServerPrices(4, np.array([row], dtype=object), none))
    for row in ([0, 1, 0, 0.5], [0, 1.0, 0, 1]):
        with pytest.raises(NotACertificate, match="no integer"):
            server_bound(market, ServerPrices(4, np.array([row], dtype=object), none))


def test_zero_prices_are_allowed_and_left_out_of_the_file():
    market, none = library.load("dps/tiny"), np.zeros((0, 4), dtype=object)
    rows = np.array([[1, 2, 1, 0], [0, 1, 0, 5]], dtype=object)
    written = ServerCertificate.of(market, ServerPrices(4, rows, none), "capped")
    assert (written.workers.positions, written.workers.numbers) == ((2,), (5,))
    assert written.program == "dps.offline_lp[capped]"
    short = msgspec.structs.replace(
        written, workers=msgspec.structs.replace(written.workers, numbers=())
    )
    with pytest.raises(NotACertificate, match="1 positions for 0 prices"):
        short.prove_bound(market)
