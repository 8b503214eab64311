"""Numbers of the claims about Algorithm 2."""

import itertools
import math

import numpy as np
import pytest

from farkas.proofs.gadget.rounding import SIZES, chosen_slot, number_of_variables
from farkas.relaxations.gadget.augmented import Augmented


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


@pytest.mark.parametrize("jobs", [1, 2, 5, 10])
def test_no_sum_of_independent_gains_is_below_a_third_more_often_than_is_proved(jobs):
    rng, most = np.random.default_rng(jobs), 0.0
    for _ in range(20):
        # shares of the relaxation, none above 1, with chances that make their mean 1
        gain = rng.uniform(1 / jobs, 1.0, jobs) if jobs > 1 else np.ones(1)
        chance = rng.uniform(size=jobs)
        lack = 1.0 - gain @ chance
        if lack > 0:  # there is enough: all gains together are 1 at least
            chance += (1 - chance) * lack / (gain @ (1 - chance))
        else:
            chance /= gain @ chance
        assert gain @ chance == pytest.approx(1.0)
        below = 0.0
        for runs in itertools.product((0, 1), repeat=jobs):
            if gain @ np.array(runs) < 1 / 3:
                below += float(np.prod(np.where(runs, chance, 1 - chance)))
        most = max(most, below)
    assert most <= math.exp((math.log(3) - 2) / 3) < math.exp(-2 / 9)
    assert most > 0.15 or jobs == 1  # no bound far below would do
