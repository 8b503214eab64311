"""Numbers of the claims of mlBroker, and what they are made of."""

import pytest


def test_theorem_3_fails_in_three_sizes(verdict_of):
    # r₁ = 2 + (1+ε) ln(1+1/ε): 3.048 at ε = 10, 3.151 at ε = 3, 3.386 at ε = 1.
    numbers = verdict_of("mlbroker.theorem3").numbers
    for name, ratio, bound in [
        ("harmonic", 3.073, 3.0484),
        ("harmonic_fifteen", 3.286, 3.1507),
        ("harmonic_seventeen", 3.4057, 3.3863),
    ]:
        assert numbers[f"ratio_{name}"] == pytest.approx(ratio, abs=2e-3)
        assert numbers[f"r1_{name}"] == pytest.approx(bound, abs=1e-4)


def test_twelve_harmonic_jobs_cost_36_876(verdict_of):
    numbers = verdict_of("mlbroker.theorem3_many_jobs").numbers
    assert numbers["cost"] == pytest.approx(36.876, abs=5e-3)


def test_theorem_4_falls_with_the_unit_of_money(verdict_of):
    # λ = 100·2/1000 = 0.2: ϱ₂ = 1.2/100, ϱ₃ = 2.2/1000, together 0.0142; in cents a hundredth.
    numbers = verdict_of("mlbroker.theorem4").numbers
    assert numbers["r2"] == pytest.approx(0.0142)
    assert numbers["r2_in_cents"] == pytest.approx(0.000142)
    assert numbers["ratio"] == numbers["ratio_in_cents"] == pytest.approx(1.0)


def test_last_item_up_distorts_probabilities(verdict_of):
    # p = (0.3, 0.4): s₁ = 0.4, s₂ = 0.3, so item 1 goes up with 3/7, item 2 with 4/7.
    numbers = verdict_of("mlbroker.p1").numbers
    assert numbers["chance_0"] == pytest.approx(3 / 7)
    assert numbers["chance_1"] == pytest.approx(4 / 7)


def test_exact_outcomes_agree_with_the_rounding_itself():
    import numpy as np

    from farkas.proofs.mlbroker.rounding import Fraction, marginals, outcomes
    from farkas.rounding import round_keeping_weight

    shares, weights = [Fraction(2, 10), Fraction(5, 10), Fraction(9, 10)], (2, 1, 3)
    rng = np.random.default_rng(0)
    draws = [round_keeping_weight([0.2, 0.5, 0.9], weights, rng) for _ in range(4000)]
    exact = [float(chance) for chance in marginals(outcomes(shares, weights))]
    # Three standard deviations of a mean of 4000 draws.
    np.testing.assert_allclose(np.mean(draws, axis=0), exact, atol=3 * 0.5 / np.sqrt(4000))
