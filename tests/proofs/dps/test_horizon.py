"""Longer horizons, and the payments of (31), by hand."""


def test_exploration_takes_all_that_can_be_earned_from_four_times_the_jobs_on(verdict_of):
    numbers = verdict_of("dps.regret_in_time").numbers
    assert numbers["dps_at_1_N"] < 2**11
    assert numbers["dps_at_4_N"] == numbers["dps_at_16_N"] == 2**11
    assert 0 < numbers["simple_at_16_N"] < 2**10
