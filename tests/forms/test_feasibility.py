"""Violations by name."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms import check_point
from farkas.forms.scale import Units
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


def test_a_point_of_a_wrong_shape_is_a_programming_error():
    with pytest.raises(ValueError, match="shape"):
        check_point(form(), np.zeros(3))


@pytest.mark.parametrize(("low", "high", "value"), [(0.0, 1e9, -0.5), (-1e9, 0.0, 0.5)])
def test_the_tolerance_is_that_of_the_side_that_is_violated(low, high, value):
    # a millionth of the other side, 1000, would let half a unit pass
    wide = small([[1]], cost=[1], row_lower=[low], row_upper=[high], lower=[-1e9], upper=[1e9])
    units = Units(np.zeros(1, int), np.zeros(1, int), 0)
    report = check_point(wide, np.array([value]), units=units)
    assert [(v.kind, v.distance) for v in report.violations] == [("row", 0.5)]
