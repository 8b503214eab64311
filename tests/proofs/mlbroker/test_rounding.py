"""Exact distributions of the dependent rounding."""

from fractions import Fraction

import numpy as np

from farkas.proofs.mlbroker.rounding import marginals, outcomes
from farkas.rounding import round_keeping_weight


def test_exact_outcomes_agree_with_the_rounding_itself():
    shares, weights = [Fraction(2, 10), Fraction(5, 10), Fraction(9, 10)], (2, 1, 3)
    rng = np.random.default_rng(0)
    draws = [round_keeping_weight([0.2, 0.5, 0.9], weights, rng) for _ in range(4000)]
    exact = [float(chance) for chance in marginals(outcomes(shares, weights))]
    # Three standard deviations of a mean of 4000 draws.
    np.testing.assert_allclose(np.mean(draws, axis=0), exact, atol=3 * 0.5 / np.sqrt(4000))


def test_settled_items_stay_and_the_last_open_one_goes_up():
    assert outcomes([Fraction(0), Fraction(1), Fraction(1, 3)], (1, 1, 1)) == {(0, 1, 1): 1}
    found = outcomes([Fraction(1, 2)] * 3, (1, 2, 3))
    assert sum(found.values()) == 1
    assert marginals({(1, 0): Fraction(1, 4), (1, 1): Fraction(3, 4)}) == [1, Fraction(3, 4)]


def test_every_end_of_roundings_grows_by_less_than_one_item():
    # what is proved of weights, on all ends of 40 roundings, exactly
    rng = np.random.default_rng(2)
    for _ in range(40):
        size = int(rng.integers(1, 5))
        shares = [Fraction(int(k), 10) for k in rng.integers(1, 10, size)]
        weights = [int(w) for w in rng.integers(1, 6, size)]
        before = sum((w * p for w, p in zip(weights, shares, strict=True)), Fraction(0))
        for end in outcomes(shares, weights):
            grown = sum(w * up for w, up in zip(weights, end, strict=True)) - before
            assert 0 <= grown < max(weights)
