"""ρ times a bound of P3 bounds P1: against the optimum by enumeration, and against forged files."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check
from farkas.certificates.coded import ChancePrices, CodedPrices, safe_patience, time_bound
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.kernel import Pairs
from farkas.online import algorithms
from farkas.relaxations.coded.sharing import shared_optimum
from tests.generators.coded import by_speed, random_coded_computing


@pytest.mark.ids(9)
@pytest.mark.parametrize("seed", range(12))
def test_no_plan_of_p1_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    for target in (0.05, 0.5, 0.98):
        one = data.replace(success_probability=target)
        patience = Pairs.of(one).patience
        proved = ChancePrices.of(one, shared_optimum(one).prices, patience)
        assert 0 < Fraction(proved.bound) <= best_quantile(one)
        prices = shared_optimum(one).prices
        whole = time_bound(one, prices, safe_patience(patience))
        assert (
            ChancePrices.evaluate(one, prices, safe_patience(patience)) == Fraction(target) * whole
        )


def test_a_bound_of_p3_is_none_of_p1():
    # with a small ρ the first row may be early: P1 then ends before any bound of P3
    data = random_coded_computing(3, masters=1, workers=3, rows=2).replace(success_probability=0.05)
    prices = np.ones(1)
    whole = time_bound(data, prices, safe_patience(Pairs.of(data).patience))
    assert best_quantile(data) < whole


def test_a_claim_beyond_the_numbers_is_refused():
    data = random_coded_computing(1, masters=2, workers=4)
    proved = ChancePrices.of(data, np.ones(2), Pairs.of(data).patience)
    assert check(proved, instance=data).bound == Fraction(proved.bound)
    claimed = Fraction(proved.bound) * (1 + Fraction(1, 10**15))
    forged = msgspec.structs.replace(proved, bound=str(claimed))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(forged, instance=data)


def test_a_master_without_workers_is_never_ready():
    data = by_speed([[0.0, 0.0], [1.0, 2.0]])
    patience = np.zeros(data.rates.shape)
    for kind in (CodedPrices, ChancePrices):
        assert kind.evaluate(data, np.array([1.0, 0.0]), patience) is None
        assert kind.evaluate(data, np.ones(2), patience) > 0
    made = ChancePrices.of(data, np.array([1.0, 0.0]), patience)
    assert check(made, instance=data).infeasible


def test_runs_for_p1_and_for_expected_rows_are_bounded_by_their_own_program():
    data = library.load("coded/tiny")
    quantile, expected = (
        algorithms[name].run(data) for name in ("coded.chance_search", "coded.expected")
    )
    mixed = [(quantile, expected), (expected, quantile)]
    for run, other in mixed:
        assert farkas.check(run, instance=data).ratio is not None
        forged = msgspec.structs.replace(run, certificate=other.certificate, ratio=None)
        with pytest.raises(NotACertificate, match="does not bound runs of coded"):
            farkas.check(forged, instance=data)
        renamed = msgspec.structs.replace(run, algorithm=other.algorithm)
        with pytest.raises(NotACertificate):
            farkas.check(renamed, instance=data)
