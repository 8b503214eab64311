"""Programs of fractions."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.errors import UnsupportedForm
from farkas.forms.rational import as_rational, whole_array
from tests.generators.forms import INF, random_form, small
from tests.generators.rational import program


def sample():
    return program(
        [["1/2", "1/3"], [4, -6], [0, 0]],
        cost=["1/10", 0],
        rows=[(1, None), (None, 8), (0, 0)],
        ends=[(0, "5/2"), (None, 3)],
        whole=[1, 0],
        offset="1/7",
    )


def test_rows_are_whole_without_common_divisor() -> None:
    form = sample()
    assert [form.row(i) for i in range(3)] == [[(0, 3), (1, 2)], [(0, 2), (1, -3)], []]
    assert form.factors == (6, F(1, 2), 1)
    assert form.row_lower == (6, None, 0)
    assert form.row_upper == (None, 4, 0)
    assert (form.num_rows, form.num_columns, form.num_entries, form.is_mip) == (3, 2, 4, True)
    assert form.values.dtype == np.int64
    assert form.objective([F(10), F(1)]) == F(8, 7)
    assert (form.row_name(1), form.column_name(0)) == ("row 1", "column 0")


def test_doubles_are_those_of_the_source() -> None:
    linear = sample().linear
    np.testing.assert_array_equal(linear.matrix.values, [1 / 2, 1 / 3, 4, -6])
    np.testing.assert_array_equal(linear.row_lower, [1, -INF, 0])
    np.testing.assert_array_equal(linear.row_upper, [INF, 8, 0])
    np.testing.assert_array_equal(linear.lower, [0, -INF])
    np.testing.assert_array_equal(linear.cost, [0.1, 0])


def test_a_number_beyond_doubles_is_refused() -> None:
    form = program([[1]], cost=[10**400], rows=[(1, None)])
    with pytest.raises(UnsupportedForm, match="beyond all doubles"):
        _ = form.linear


def test_the_hash_is_of_the_data_and_not_of_names() -> None:
    form = sample()
    assert form.replace(row_names=("a", "b", "c"), name="other").sha256 == form.sha256
    changed = [
        form.replace(sense="max"), form.replace(numbers="binary"), form.replace(offset=F(0)),
        form.replace(cost=(F(1, 10), F(1))), form.replace(lower=(F(0), F(0))),
        form.replace(upper=(None, F(3))), form.replace(integer=np.array([True, True])),
        form.replace(row_lower=(F(5), None, F(0))), form.replace(row_upper=(None, F(4), F(1))),
        form.replace(values=whole_array([3, 2, 2, -4])),
    ]  # fmt: skip
    assert len({f.sha256 for f in [form, *changed]}) == 11


def test_large_entries_are_python_integers() -> None:
    form = program([[2**80, 1]], cost=[1, 1], rows=[(1, None)])
    assert form.values.dtype == object
    assert form.row(0) == [(0, 2**80), (1, 1)]
    assert whole_array([2**62]).dtype == object
    assert whole_array([2**62 - 1, -(2**62) + 1]).dtype == np.int64


def test_doubles_of_a_form_come_back() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        form = random_form(rng, number=lambda size: rng.normal(size=size))
        there = as_rational(form)
        assert there.numbers == "binary"
        back = there.linear
        for name in ("cost", "row_lower", "row_upper", "lower", "upper", "integer"):
            np.testing.assert_array_equal(getattr(back, name), getattr(form, name), name)
        np.testing.assert_array_equal(
            back.matrix.values, form.matrix.values[form.matrix.values != 0]
        )


def test_sides_that_no_point_keeps_are_refused() -> None:
    with pytest.raises(UnsupportedForm, match="no point"):
        as_rational(small([[1.0]], cost=[1], row_lower=[INF]))
    with pytest.raises(UnsupportedForm, match="no point"):
        as_rational(small([[1.0]], cost=[1], upper=[-INF]))


@pytest.mark.parametrize("side", ["row_lower", "row_upper", "lower", "upper"])
def test_a_side_that_is_no_number_is_refused(side):
    one = small([[1.0, 2.0]], cost=[1, 1])
    with pytest.raises(UnsupportedForm, match="a side or bound is nan; no point keeps it"):
        as_rational(one.replace(**{side: np.full(len(getattr(one, side)), np.nan)}))
