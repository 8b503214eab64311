"""Bounds from multipliers."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np

from farkas.exact.bounding import Bounding, gain_of, rounded_up, shortened
from farkas.forms.rational import RationalForm
from tests.generators.rational import program


def form(sense: str = "min") -> RationalForm:
    """Min 3x + 2y + 1 over x / 2 + y >= 2, x - y <= 3: at (0, 2), 5."""
    sign = 1 if sense == "min" else -1
    return program([["1/2", 1], [1, -1]], cost=[3 * sign, 2 * sign], rows=[(2, None), (None, 3)],
                   sense=sense, offset=sign)  # fmt: skip


def test_exact_multipliers_reach_the_optimum_in_either_sense() -> None:
    for sense in ("min", "max"):
        program_ = Bounding(form(sense))
        weights = program_.exact([F(1), F(0)])  # the row is doubled to whole numbers
        assert weights.value([0, 0], [None, None]) == 4 + 1
        assert [(j, F(pull, weights.scale)) for j, pull in weights.pulls] == [(0, F(2))]


def test_multipliers_of_a_solver_are_of_the_rows_as_written() -> None:
    weights = Bounding(form()).rounded(np.array([2.0, 0.0]))
    assert weights is not None
    assert weights.value([0, 0], [None, None]) == 5
    assert F(weights.factors[0], weights.denominator) == 1


def test_multipliers_against_infinite_sides_count_as_nothing() -> None:
    weights = Bounding(form()).rounded(np.array([-2.0, 3.0]))
    assert weights is not None
    assert weights.factors == {}
    assert weights.value([0, 0], [None, None]) == 1
    assert Bounding(form()).exact([F(0), F(1)]).value([0, 0], [9, 9]) is None


def test_multipliers_that_are_no_numbers_give_none() -> None:
    assert Bounding(form()).rounded(np.array([np.nan, 0.0])) is None
    assert Bounding(form()).rounded(np.array([np.inf, 0.0])) is None


def test_bounds_are_infinite_where_ends_are() -> None:
    weights = Bounding(form()).exact([F(0), F(0)])
    assert weights.value([None, 0], [None, None]) is None
    assert weights.value([F(1, 2), 0], [None, None]) == F(5, 2)


def test_rays_count_costs_as_nothing() -> None:
    empty = program([[1, 1]], cost=[5, 5], rows=[(9, None)], ends=[(0, 2)] * 2, offset=7)
    weights = Bounding(empty).rounded(np.array([1e-30]), ray=True)
    assert weights is not None
    assert weights.value([0, 0], [2, 2]) == 5
    assert weights.value([0, 0], [9, 9]) == -9


def test_cuts_are_rows_behind_those_of_the_program() -> None:
    program_ = Bounding(form())
    program_.add_rows([{0: 1, 1: 2}], [F(7)])
    assert program_.num_rows == 3
    weights = program_.exact([F(0), F(0), F(-1)])
    assert weights.value([0, 0], [None, None]) == 1 - 7
    assert dict(weights.pulls) == {0: 4 * weights.scale, 1: 4 * weights.scale}


def test_gains() -> None:
    assert gain_of([F(6), F(-4), F(0)], [True, True, False]) == 2
    assert gain_of([F(1, 2), F(1, 3)], [True, True]) == F(1, 6)
    assert gain_of([F(6), F(1)], [True, False]) == 0
    assert gain_of([F(0)], [True]) == 0
    assert rounded_up(F(5, 2), F(2), F(1, 3)) == F(13, 3)
    assert rounded_up(F(13, 3), F(2), F(1, 3)) == F(13, 3)
    assert rounded_up(F(5, 2), F(0), F(9)) == F(5, 2)


def test_whole_ends_become_integers() -> None:
    assert [type(end) for end in shortened([F(3), F(1, 2), None])] == [int, F, type(None)]


def test_values_of_points_are_those_of_a_minimum() -> None:
    form = program([[1, 3]], cost=[1, 1], rows=[(2, 2)], ends=[(0, 5), (0, 5)], whole=[1, 0])
    assert Bounding(form).value([F(1), F(1, 3)]) == F(4, 3)
    most = form.replace(sense="max", offset=F(2))
    assert Bounding(most).value([F(1), F(1, 3)]) == -F(4, 3) - 2
