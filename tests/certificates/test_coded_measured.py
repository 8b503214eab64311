"""Bounds on what measured times guarantee: no plan guarantees less time."""

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.coded import GuaranteedPrices, guaranteed_bound
from farkas.certificates.files import from_json
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.coded.law import MeasuredPairs
from farkas.relaxations.coded.sharing import best_sharing
from tests.generators.coded import measured_computing
from tests.references.coded_measured import best_time


def drawn(seed, rows=2):
    rng = np.random.default_rng(seed)
    times = [(rng.integers(4, 13, 30) / 4).tolist() for _ in range(2)]
    return measured_computing(times, law=[[0, 1, 0, 1], [1, 1, 0, 0]], rows=rows, confidence=0.5)


def test_the_bound_by_hand():
    # one law of a single time 2: G = 1 - ε there, v = (1 - ε)/(2 L); two workers, ρ = 0.7
    data = measured_computing([[2.0] * 50], law=[[0, 0]])
    kept = 1 - Fraction(data.measured.margins[0])
    want = Fraction(0.7) / (2 * kept / (2 * 10))
    assert guaranteed_bound(data, np.ones(1)) == want


def test_a_bound_does_not_change_with_the_unit_of_prices():
    data = drawn(2)
    prices = np.array([1.0, 3.0])
    for unit in (2.0**-40, 0.5, 4.0, 2.0**40):
        assert guaranteed_bound(data, unit * prices) == guaranteed_bound(data, prices)


def test_only_allowed_pairs_earn():
    # one law of times 2 and a faster one of times 1, v = (1 - ε)/(time L); ρ Σ π / Σ_n max π v
    times, one, two = [[2.0] * 50, [1.0] * 50], np.array([1.0, 0.0]), np.array([3.0, 1.0])

    def bound(law, prices):
        return guaranteed_bound(measured_computing(times, law=law), prices)

    slow, fast = bound([[0], [0]], one), bound([[1], [1]], one)
    assert slow == 2 * fast
    # what the other master may use earns nothing at its price 0, what nobody may nothing at all
    assert bound([[0, None], [None, 1]], one) == slow
    assert bound([[None, 0], [1, None]], one) == slow
    # the first master earns 3/2 and the other 1 on their own workers, on a common one the most
    assert bound([[0, None], [None, 1]], two) == 4 * fast / Fraction(5, 2)
    assert bound([[0], [1]], two) == 4 * fast / Fraction(3, 2)
    assert bound([[0, None], [1, None]], two) == bound([[0], [1]], two)


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(3))
def test_no_plan_guarantees_an_earlier_time(seed):
    data = drawn(seed)
    best = best_time(data)
    sharing = best_sharing(MeasuredPairs.of(data).speed)
    for prices in (sharing.prices, np.array([1.0, 0.0]), np.array([1.0, 3.0])):
        bound = guaranteed_bound(data, prices)
        assert best is not None
        assert 0 < bound <= best
    time = data.success_probability * sharing.time
    assert float(guaranteed_bound(data, sharing.prices)) == pytest.approx(time, rel=1e-9)


def test_files_are_read_and_forged_ones_refused():
    data = drawn(1)
    made = GuaranteedPrices.of(data, np.ones(2))
    again = from_json(msgspec.json.encode(made), "test")
    proof = check(again, instance=data)
    assert (proof.sense, proof.bound) == ("min", guaranteed_bound(data, np.ones(2)))
    higher = str(Fraction(made.bound) * (1 + Fraction(1, 10**12)))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(msgspec.structs.replace(made, bound=higher), instance=data)
    # more confidence, wider bands: another instance
    surer = data.replace(measured=msgspec.structs.replace(data.measured, confidence=0.9))
    with pytest.raises(NotACertificate, match="hashes to"):
        check(made, instance=surer)
    assert guaranteed_bound(surer, np.ones(2)) > guaranteed_bound(data, np.ones(2))


def test_times_that_guarantee_nothing_prove_that_no_plan_does():
    data = measured_computing([[1.0]], confidence=0.95)
    made = GuaranteedPrices.of(data, np.ones(1))
    assert made.bound is None
    assert check(made, instance=data).infeasible


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ([1.0], "prices"),
        ([1.0, -1.0], "negative"),
        ([1.0, np.inf], "infinite"),
        ([1.0, np.nan], "infinite"),
        ([0.0, 0.0], "all prices are 0"),
    ],
)
def test_prices_that_are_none_are_refused(prices, message):
    with pytest.raises(NotACertificate, match=message):
        guaranteed_bound(drawn(0), np.array(prices))


def test_an_instance_that_measured_nothing_is_refused():
    with pytest.raises(NotACertificate, match="no measured times"):
        guaranteed_bound(library.load("coded/tiny"), np.ones(2))
