"""Forms in their own units are worth the same."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms.matrices import as_scipy
from farkas.forms.scale import in_units, shifted, units_of
from tests.forms.test_scale import drawn, form


@pytest.mark.parametrize("seed", range(20))
def test_a_point_in_units_is_worth_the_same(seed):
    old = drawn(np.random.default_rng(100 + seed))
    units = units_of(old)
    new = in_units(old, units)
    point = np.random.default_rng(seed).random(old.num_columns)
    there = np.ldexp(point, -units.columns)
    assert np.ldexp(new.cost @ there, units.cost) == pytest.approx(old.cost @ point, rel=1e-12)
    activity = np.ldexp(as_scipy(new.matrix) @ there, units.rows)
    assert activity == pytest.approx(as_scipy(old.matrix) @ point, rel=1e-12)
    assert np.array_equal(np.ldexp(new.row_lower, units.rows), old.row_lower)
    assert np.array_equal(np.ldexp(new.upper, units.columns), old.upper)


def test_costs_that_are_hardly_doubles_are_brought_near_one():
    units = units_of(form([[1, 1]], [0], [1], [0, 0], [1, 1], cost=[5e-324, 1.5e-323]))
    # three steps of the smallest double have logarithm -1073, one has -1074
    assert in_units(
        form([[1, 1]], [0], [1], [0, 0], [1, 1], cost=[5e-324, 1.5e-323]), units
    ).cost.tolist() == [1, 3]


def test_numbers_that_no_power_of_two_moves_exactly_stay():
    # measured beside 1e30, the smallest double would be 0
    odd = form([[1, 1]], [0], [1], [0, 0], [1, 1], cost=[5e-324, 1e30])
    assert in_units(odd, units_of(odd)) is None


def test_numbers_are_shifted_exactly_or_not_at_all():
    powers = np.array([3, -2])
    assert shifted(np.array([1.5, np.inf]), powers).tolist() == [12.0, np.inf]
    assert shifted(np.array([1e308, 1.0]), powers) is None
    assert shifted(np.array([1.0, 5e-324]), powers) is None
