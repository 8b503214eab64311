"""Exact distributions of the dependent rounding."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.proofs.mlbroker.rounding import marginals, outcomes
from farkas.rounding import round_keeping_weight


def test_last_item_up_distorts_probabilities(verdict_of):
    # p = (0.3, 0.4): s₁ = 0.4, s₂ = 0.3, so item 1 goes up with 3/7, item 2 with 4/7.
    numbers = verdict_of("mlbroker.p1").numbers
    assert numbers["chance_0"] == pytest.approx(3 / 7)
    assert numbers["chance_1"] == pytest.approx(4 / 7)


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
