"""Longer horizons, and the payments of (31), by hand."""

import pytest


def test_exploration_takes_all_that_can_be_earned_from_four_times_the_jobs_on(verdict_of):
    numbers = verdict_of("dps.regret_in_time").numbers
    assert numbers["dps_at_1_N"] < 2**11
    assert numbers["dps_at_4_N"] == numbers["dps_at_16_N"] == 2**11
    assert 0 < numbers["simple_at_16_N"] < 2**10


@pytest.mark.parametrize(("mean", "radius", "capacity", "largest"), [(5, 1, 10, 3), (1, 4, 3, 1)])
def test_payments_when_capacity_is_short_are_those_of_31(mean, radius, capacity, largest):
    # A = 1: the price is at least 1 / (C (μ + 2 r)), and μ (C - d) units are sold
    sold = mean * (capacity - largest) / (capacity * (mean + 2 * radius))
    assert sold >= 1 - 2 * radius / (mean + 2 * radius) - largest / capacity
