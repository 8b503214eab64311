"""Regret, by hand and measured."""

import pytest

from farkas.proofs.dps.regret import regret_slope


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("appendix_f", "left", 66743.76),
        ("appendix_f", "right", 66743.76e4),
        ("double_marginalisation", "equilibrium", 4 / 9),
    ],
)
def test_numbers_of_refutations(name, number, expected, verdict_of):
    found = verdict_of(f"dps.{name}").numbers[number]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_prices_of_both_sides_drift_to_the_equilibrium(verdict_of):
    # Total 4/3 instead of 1, and 4/9 instead of 1/2 a job; both within a tenth.
    numbers = verdict_of("dps.double_marginalisation").numbers
    assert numbers["median_total_price"] == pytest.approx(4 / 3, rel=0.1)
    assert numbers["late_profit_a_job"] == pytest.approx(4 / 9, rel=0.1)


def test_slopes_with_exploration_are_measured_too():
    slope, low, high = regret_slope((1, 1), explore=True, seeds=3, sizes=(256, 1024, 4096))
    assert low <= slope <= high
    assert 0.3 < slope < 1.1
