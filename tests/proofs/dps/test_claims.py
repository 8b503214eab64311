"""Numbers of the claims of DPS that a reader can recompute, and what they are made of."""

from __future__ import annotations

import pytest

from farkas.proofs.dps.grids import theorem2_assumptions
from farkas.proofs.dps.markets import shipped, unit_users
from farkas.proofs.dps.radii import failure
from farkas.proofs.dps.regret import regret_slope


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        # T C ln n = 10000 · 750 · ln 667; (...)^(2/3) = 133 488, two hundred times 667.
        ("dps.explored_share", "share", 200.13),
        ("dps.prices_at_most_log_over_step", "prices", 21789),
        ("dps.prices_at_most_log_over_step", "printed", 1906.67),
        ("dps.prices_at_most_log_over_step", "published_scale_prices", 229),
        ("dps.appendix_f", "left", 66743.76),
        ("dps.appendix_f", "right", 66743.76e4),
        ("dps.lower_price_loses_little", "profit", 8.0),
        ("dps.lower_price_loses_little", "profit_one_step_lower", 1.9),
        ("dps.capacity_limits_prices", "changed", 0),
        ("dps.published_constants_earn", "profit", 0.0),
        ("dps.published_constants_earn", "explored", 10_000),
        ("dps.confidence_radius", "exponent", 0.8885),
        ("dps.double_marginalisation", "equilibrium", 4 / 9),
        ("dps.pa_minimises_servers", "used", 3),
        ("dps.pa_minimises_servers", "fewest", 2),
        # Tight servers: 2 + 2 + 1 slots whole would be 3 x 4 + 3 x 2 + 3 x 1.
        ("dps.pa_minimises_sequences", "shortest", 21.0),
    ],
)
def test_numbers_of_refutations(name, number, expected, verdict_of):
    assert verdict_of(name).numbers[number] == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_prices_of_both_sides_drift_to_the_equilibrium(verdict_of):
    # Total 4/3 instead of 1, and 4/9 instead of 1/2 a job; both within a tenth.
    numbers = verdict_of("dps.double_marginalisation").numbers
    assert numbers["median_total_price"] == pytest.approx(4 / 3, rel=0.1)
    assert numbers["late_profit_a_job"] == pytest.approx(4 / 9, rel=0.1)


def test_a_failure_probability_by_hand():
    # One flip with mean 1/2 and η = 0: radius 0, so both outcomes fail.
    assert failure(0.0, 1, 0.5) == pytest.approx(1.0)
    # η = 2: after success the radius is 1 + 1 > 1/2, after failure 1 > 1/2.
    assert failure(2.0, 1, 0.5) == 0.0


def test_theorem_2_allows_less_than_one_unit_on_a_long_horizon():
    sides = theorem2_assumptions(shipped("one_server"))
    # T = 6, C = 1, n = 3: 6^(-1/3) (ln 3)^(2/3) = 0.586.
    assert sides["worker 0"] == (1.0, pytest.approx(0.5859, rel=1e-3))


def test_unit_users_pass_the_check_of_their_kind():
    market = unit_users(50, 1, 2, 2)
    assert market.replace(name="again").sha256 == market.sha256


def test_slopes_with_exploration_are_measured_too():
    slope, low, high = regret_slope((1, 1), explore=True, seeds=3, sizes=(256, 1024, 4096))
    assert low <= slope <= high
    assert 0.3 < slope < 1.1
