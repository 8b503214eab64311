"""The linear form: data checks, names, exact values, hash."""

from __future__ import annotations

import hashlib
import struct
from fractions import Fraction as F

import numpy as np
import pytest
import scipy.sparse as sp

from farkas.errors import UnknownName, UnsupportedForm
from farkas.forms import LinearForm, check_point
from farkas.forms.matrices import rows_of_dense, rows_of_scipy
from farkas.forms.rational import as_rational, whole_array
from tests.generators.forms import INF, random_form, small
from tests.generators.rational import program


def form():
    return small([[1, 0, 2], [0, 3, 0]], cost=[1, 2, 3], row_lower=[1, 2], offset=0.5)


@pytest.mark.parametrize(
    "field", ["cost", "lower", "upper", "row_lower", "row_upper", "integer", "implied_upper"]
)
def test_arrays_of_a_wrong_length_are_refused(field):
    with pytest.raises(ValueError, match=f"{field} has shape"):
        form().replace(**{field: np.zeros(7)})


def test_a_cost_of_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        form().replace(cost=np.array([1.0, np.nan, 0.0]))


def test_points_are_read_by_variable():
    point = np.array([1.0, 2.0, 4.0])
    assert form().values(point, "column").tolist() == [1, 2, 4]
    assert form().objective(point) == 1 + 4 + 12 + 0.5
    assert form().row_values(np.array([5.0, 6.0]), "row").tolist() == [5, 6]


def test_unknown_families_are_named_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean column"):
        form().column_block("colum")


def test_safe_bounds_are_the_tighter_of_stated_and_implied():
    both = form().replace(implied_upper=np.array([4.0, INF, 9.0]), upper=np.array([5.0, 6.0, 7.0]))
    assert both.safe_upper.tolist() == [4, 6, 7]
    assert both.safe_lower.tolist() == [0, 0, 0]
    below = form().replace(implied_lower=np.array([1.0, -INF, -2.0]))
    below = below.replace(lower=np.array([0.0, 0.5, -3.0]), upper=np.array([8.0, 8.0, 8.0]))
    assert below.safe_lower.tolist() == [1, 0.5, -2]
    assert below.safe_upper.tolist() == [8, 8, 8]


CHANGES = {
    "sense": "max",
    "offset": 1.0,
    "cost": np.array([1.0, 2.0, 4.0]),
    "row_lower": np.array([1.0, 2.5]),
    "row_upper": np.array([1.0, INF]),
    "lower": np.array([0.0, 0.0, -1.0]),
    "upper": np.array([INF, INF, 1.0]),
    "integer": np.array([False, False, True]),
    "implied_lower": np.array([0.0, 0.0, 1.0]),
    "implied_upper": np.array([INF, INF, 1.0]),
    "matrix": rows_of_dense([[1, 0, 2], [0, 0, 3]]),
}


@pytest.mark.parametrize("field", CHANGES)
def test_the_hash_feels_every_number(field):
    assert form().replace(**{field: CHANGES[field]}).sha256 != form().sha256


@pytest.mark.parametrize("offset", [0.0, -0.0, 0.5, -1.0])
def test_the_hash_is_of_these_bytes(offset):
    form = small(
        [[2.0, 0.0], [0.0, -3.0]], cost=[1.0, 5.0], row_lower=[1.0, -INF], row_upper=[INF, 4.0],
        lower=[-0.0, 1.0], upper=[9.0, INF], integer=[False, True], sense="max", offset=offset,
        implied_lower=np.array([-1.0, 2.0]), implied_upper=np.array([8.0, INF]),
    )  # fmt: skip
    numbers = [2, -3, 1, 5, 1, -INF, INF, 4, 0, 1, 9, INF, 0, 2, 8, INF]
    head = struct.pack("<qqd3q2i", 2, 2, offset + 0.0, 0, 1, 2, 0, 1)
    body = head + struct.pack("<16d", *numbers) + b"\x40"
    assert form.sha256 == hashlib.sha256(b"farkas form 1\nmax" + body).hexdigest()


def test_the_hash_does_not_feel_names_or_the_sign_of_zero():
    renamed = form().replace(name="other", rows=(), columns=(), lower=np.array([-0.0, 0.0, -0.0]))
    assert renamed.sha256 == form().sha256


def test_random_forms_cover_every_kind_of_side():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(50):
        one: LinearForm = random_form(rng)
        for low, high in zip(one.lower, one.upper, strict=True):
            seen.add((low == high, bool(np.isfinite(low)), bool(np.isfinite(high))))
    assert len(seen) == 5


def test_duplicates_are_summed_and_cancelled_entries_dropped():
    # (0,0): 1 + 2 = 3; (0,1): 1 - 1 = 0
    entries = sp.coo_array(([1.0, 2.0, 1.0, -1.0], ([0, 0, 0, 0], [0, 0, 1, 1])), shape=(1, 2))
    rows = rows_of_scipy(entries)
    assert (rows.columns.tolist(), rows.values.tolist()) == ([0], [3.0])


def sample():
    return program(
        [["1/2", "1/3"], [4, -6], [0, 0]],
        cost=["1/10", 0],
        rows=[(1, None), (None, 8), (0, 0)],
        ends=[(0, "5/2"), (None, 3)],
        whole=[1, 0],
        offset="1/7",
    )


def test_a_number_beyond_doubles_is_refused() -> None:
    form = program([[1]], cost=[10**400], rows=[(1, None)])
    with pytest.raises(UnsupportedForm, match=r"^\S+: a number .* is beyond all doubles"):
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
    with pytest.raises(UnsupportedForm, match=r"lies between .*; no point keeps it"):
        as_rational(one.replace(**{side: np.full(len(getattr(one, side)), np.nan)}))


def stated():
    # 1 <= x + y <= 4, x in [0, 3] integer, y in [0, 3]
    return small(
        [[1, 1]], cost=[1, 1], row_lower=[1], row_upper=[4], upper=[3, 3], integer=[True, False]
    )


@pytest.mark.parametrize(
    ("point", "what", "kind", "distance"),
    [
        ([0, 0.25], "row[i=0]", "row", 0.75),
        ([3, 2], "row[i=0]", "row", 1.0),
        ([4, 0], "column[i=0]", "bound", 1.0),
        ([2, -0.5], "column[i=1]", "bound", 0.5),
        ([1.75, 0], "column[i=0]", "integrality", 0.25),
    ],
)
def test_each_kind_of_violation_is_named_with_its_distance(point, what, kind, distance):
    report = check_point(stated(), np.array(point, float))
    assert not report
    worst = report.violations[0]
    assert (worst.what, worst.kind, worst.distance) == (what, kind, distance)


def test_the_tolerance_grows_with_the_side():
    # 1e6 * 1e-6 = 1 of slack is allowed at a side of a million
    big = stated().replace(row_lower=np.array([1e6]), row_upper=np.array([1e6]))
    wide = big.replace(upper=np.array([1e7, 1e7]))
    assert check_point(wide, np.array([1e6, 0.5]))
    assert not check_point(wide, np.array([1e6, 1.5]))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_never_feasible(value):
    report = check_point(stated(), np.array([1.0, value]))
    assert not report
    assert report.worst == np.inf
    assert report.violations[0].what == "column[i=1]"


def test_the_report_says_how_many_it_left_out():
    wide = small(np.eye(15), cost=np.ones(15), row_lower=np.ones(15))
    text = str(check_point(wide, np.zeros(15), most=3))
    assert text.splitlines()[0] == "row[i=0]: row off by 1"
    assert text.splitlines()[-1] == "... and 12 more"
    usual = check_point(wide, np.zeros(15))
    assert len(usual.violations) == 10
    assert str(usual).splitlines()[-1] == "... and 5 more"


def test_a_point_of_a_wrong_shape_is_a_programming_error():
    with pytest.raises(ValueError, match="shape"):
        check_point(stated(), np.zeros(3))


@pytest.mark.parametrize(("low", "high", "value"), [(0.0, 1e9, -0.5), (-1e9, 0.0, 0.5)])
def test_the_tolerance_is_that_of_the_side_that_is_violated(low, high, value):
    # a millionth of the other side, 1000, would let half a unit pass
    wide = small([[1]], cost=[1], row_lower=[low], row_upper=[high], lower=[-1], upper=[1])
    report = check_point(wide, np.array([value]))
    assert [(v.kind, v.distance) for v in report.violations] == [("row", 0.5)]


def test_doubles_are_those_of_the_source() -> None:
    linear = sample().linear
    np.testing.assert_array_equal(linear.matrix.values, [1 / 2, 1 / 3, 4, -6])
    np.testing.assert_array_equal(linear.row_lower, [1, -INF, 0])
    np.testing.assert_array_equal(linear.row_upper, [INF, 8, 0])
    np.testing.assert_array_equal(linear.lower, [0, -INF])
    np.testing.assert_array_equal(linear.cost, [0.1, 0])


def test_large_entries_are_python_integers() -> None:
    form = program([[2**80, 1]], cost=[1, 1], rows=[(1, None)])
    assert form.values.dtype == object
    assert form.row(0) == [(0, 2**80), (1, 1)]
    assert whole_array([2**62]).dtype == object
    assert whole_array([2**62 - 1, -(2**62) + 1]).dtype == np.int64


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
