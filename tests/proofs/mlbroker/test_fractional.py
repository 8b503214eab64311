"""Theorem 3 on the harmonic brokers."""

import pytest

from farkas.proofs.mlbroker.fractional import claimed_ratio


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


def test_the_claimed_ratio_by_hand():
    # 2 + 2 ln 2 at ε = 1
    assert claimed_ratio(1.0) == pytest.approx(3.3862944)
