"""Grids and exploration, by hand."""

import math

import pytest

from farkas.online.dps.pricing import geometric_grid
from farkas.proofs.dps.grids import step_of, theorem2_assumptions
from farkas.proofs.dps.horizon import shipped


def test_the_published_step():
    # (T C)^(-1/3) (ln n)^(2/3) at T C = 10^6 and n = 3: (ln 3)^(2/3) / 100
    assert step_of(1000, 1000, 3) == pytest.approx(0.010647, rel=1e-4)


def test_theorem_2_allows_less_than_one_unit_on_a_long_horizon():
    sides = theorem2_assumptions(shipped("one_server"))
    # T = 6, C = 1, n = 3: 6^(-1/3) (ln 3)^(2/3) = 0.586.
    assert sides["worker 0"] == (1.0, pytest.approx(0.5859, rel=1e-3))


@pytest.mark.parametrize("power", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("jobs", [3, 100, 10_000])
def test_the_prices_of_a_grid_are_as_many_as_proved(power, jobs):
    volume, logs = int(max(jobs**power, math.log(jobs) ** 2 + 1)), math.log(jobs)
    power = math.log(volume) / logs
    most = 1 + 2 * power / 3 * (volume * logs) ** (1 / 3)
    assert len(geometric_grid(step_of(volume, 1, jobs))) <= most
