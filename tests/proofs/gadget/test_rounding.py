"""Numbers of the claims about Algorithm 2."""

import pytest

from farkas.proofs.gadget.rounding import SIZES, chosen_slot, number_of_variables
from farkas.relaxations.gadget.horizon import Augmented


def test_a_worker_ten_times_too_large_runs_a_tenth(verdict_of):
    numbers = verdict_of("gadget.rounding_value_as_printed").numbers
    assert numbers["share_of_the_ring"] == pytest.approx(0.1)
    # three standard deviations of a mean of 4000 draws
    assert numbers["probability"] == pytest.approx(0.1, abs=3 * 0.3 / 4000**0.5)
    assert numbers["probability"] < numbers["probability_high"] < 0.12
    # 1 - e^(-2/9)
    assert numbers["claimed"] == pytest.approx(0.199263, abs=1e-6)
    assert numbers["value_of_filtered_slot"] == pytest.approx(0.0, abs=1e-9)


def test_the_allowed_violation_is_larger_than_everything(verdict_of):
    numbers = verdict_of("gadget.rounding_bounds_say_something").numbers
    assert numbers["beta"] > numbers["all_on_one_server"] > 1


@pytest.mark.parametrize("servers", SIZES)
def test_variables_are_a_copy_per_host_and_size(servers):
    slot = chosen_slot(servers)
    assert Augmented().form(slot).num_columns == number_of_variables(slot)
