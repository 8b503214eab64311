"""Violations by name."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms import check_point
from tests.generators.forms import small


def form():
    # 1 <= x + y <= 4, x in [0, 3] integer, y in [0, 3]
    return small(
        [[1, 1]], cost=[1, 1], row_lower=[1], row_upper=[4], upper=[3, 3], integer=[True, False]
    )


def test_a_feasible_point_is_truthy_and_reports_zero():
    report = check_point(form(), np.array([1.0, 2.0]))
    assert report
    assert (report.worst, report.count, report.violations) == (0, 0, ())


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
    report = check_point(form(), np.array(point, float))
    assert not report
    worst = report.violations[0]
    assert (worst.what, worst.kind, worst.distance) == (what, kind, distance)


def test_the_tolerance_grows_with_the_side():
    # 1e6 * 1e-6 = 1 of slack is allowed at a side of a million
    big = form().replace(row_lower=np.array([1e6]), row_upper=np.array([1e6]))
    wide = big.replace(upper=np.array([1e7, 1e7]))
    assert check_point(wide, np.array([1e6, 0.5]))
    assert not check_point(wide, np.array([1e6, 1.5]))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_never_feasible(value):
    report = check_point(form(), np.array([1.0, value]))
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
        check_point(form(), np.zeros(3))


@pytest.mark.parametrize(("low", "high", "value"), [(0.0, 1e9, -0.5), (-1e9, 0.0, 0.5)])
def test_the_tolerance_is_that_of_the_side_that_is_violated(low, high, value):
    # a millionth of the other side, 1000, would let half a unit pass
    wide = small([[1]], cost=[1], row_lower=[low], row_upper=[high], lower=[-1], upper=[1])
    report = check_point(wide, np.array([value]))
    assert [(v.kind, v.distance) for v in report.violations] == [("row", 0.5)]


def test_the_worst_is_the_largest_share_and_not_the_largest_number():
    # 3e6 of 1e12 bytes are a millionth three times; 0.5 of 2 euros is a quarter
    mixed = small([[1, 0], [0, 1]], cost=[1, 1], row_lower=[1e12, 2], upper=[1e13, 9])
    report = check_point(mixed, np.array([1e12 - 3e6, 1.5]))
    assert [v.what for v in report.violations] == ["row[i=1]", "row[i=0]"]
    assert [v.distance for v in report.violations] == [0.5, 3e6]
    assert [v.share for v in report.violations] == [0.25, 3e-6]
    assert report.worst == 0.25
    assert [v.what for v in check_point(mixed, np.array([1e12 - 3e6, 1.5]), most=1).violations] == [
        "row[i=1]"
    ]


def test_terms_of_columns_fixed_at_nothing_do_not_loosen_a_row():
    # x + 2^40 y <= 1 with y fixed at 0: 2^40 would let x exceed 1 by 17
    fixed = small([[1, 2.0**40]], cost=[1, 1], row_lower=[0], row_upper=[1], upper=[9, 0])
    assert not check_point(fixed, np.array([1 + 2e-6, 0.0]))
    assert check_point(fixed, np.array([1 + 9e-7, 0.0]))


@pytest.mark.parametrize("factors", [[1e308, 0], [1e308, -1e308]])
def test_a_row_whose_value_is_no_double_is_not_kept(factors):
    # 1e309 is infinite, and 1e309 - 1e309 is NaN, in doubles
    wide = small([factors], cost=[0, 0], row_lower=[-1], row_upper=[1], upper=[99, 99])
    report = check_point(wide, np.array([10.0, 10.0]))
    assert not report
    assert report.worst == np.inf
