"""Numbers of the claims about Algorithm 2."""

import pytest


def test_a_worker_ten_times_too_large_runs_a_tenth(verdict_of):
    numbers = verdict_of("gadget.rounding_value_as_printed").numbers
    assert numbers["probability"] == pytest.approx(0.1)
    # 1 - e^(-2/9)
    assert numbers["claimed"] == pytest.approx(0.199263, abs=1e-6)
    assert numbers["value_of_filtered_slot"] == pytest.approx(0.0, abs=1e-9)


def test_the_allowed_violation_is_larger_than_everything(verdict_of):
    numbers = verdict_of("gadget.rounding_bounds_say_something").numbers
    assert numbers["beta"] > numbers["all_on_one_server"] > 1
