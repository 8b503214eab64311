"""Exact feasibility of points."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates import exact_feasibility, exact_value
from farkas.errors import NotACertificate
from tests.certificates.test_bound import magnitudes
from tests.generators.forms import INF, random_form, small


def test_rounding_errors_that_floats_cannot_see_are_seen():
    # 0.1 + 0.2 exceeds 0.3 in binary, but 0.1 + 0.2 <= 0.30000000000000004 = 0.1 + 0.2 rounded up
    form = small([[1, 1]], cost=[1, 1], row_upper=[0.3])
    point = np.array([0.1, 0.2])
    with pytest.raises(NotACertificate, match=r"row\[i=0\]: the point violates the upper side"):
        exact_feasibility(form, point)
    exact_feasibility(form, point, 1e-15)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ([0.5, 0.25], r"row\[i=0\]: the point violates the lower side"),
        ([3, 2], r"row\[i=0\]: the point violates the upper side"),
        ([4, 0], r"column\[i=0\]: the point violates the bound"),
        ([2, -0.5], r"column\[i=1\]: the point violates the bound"),
        ([1.75, 0], r"column\[i=0\]: the point violates the integrality"),
        ([np.nan, 0], r"column\[i=0\]: the point holds nan"),
        ([0.0], "shape"),
    ],
)
def test_each_violation_is_named(point, words):
    form = small(
        [[1, 1]], cost=[1, 1], row_lower=[1], row_upper=[4], upper=[3, 3], integer=[True, False]
    )
    if point == [0.5, 0.25]:
        form = form.replace(integer=np.array([False, False]))
    with pytest.raises(NotACertificate, match=words):
        exact_feasibility(form, np.array(point))


def test_values_are_exact():
    form = small(np.zeros((0, 2)), cost=[0.1, 1e300], offset=0.2)
    assert exact_value(form, np.array([3.0, 1e-300])) == 3 * F(0.1) + F(1e300) * F(1e-300) + F(0.2)


def feasible_by_fractions(form, point):
    def inside(v, low, high):
        return (low == -INF or v >= F(low)) and (high == INF or v <= F(high))

    x = [F(float(v)) for v in point]
    if not all(map(inside, x, form.lower.tolist(), form.upper.tolist())):
        return False
    activity = [
        sum((F(float(a)) * x[j] for j, a in zip(*form.matrix.row(i), strict=True)), F(0))
        for i in range(form.num_rows)
    ]
    return all(map(inside, activity, form.row_lower.tolist(), form.row_upper.tolist()))


@pytest.mark.parametrize("exponent", [0, 2, 300])
def test_feasibility_agrees_with_fractions(exponent):
    rng = np.random.default_rng(exponent)
    number = magnitudes(rng, exponent)
    answers = []
    for _ in range(600):
        form = random_form(rng, most_rows=2, most_columns=3, number=number)
        point = np.clip(number(form.num_columns), form.lower, form.upper)
        answers.append(feasible_by_fractions(form, point))
        try:
            exact_feasibility(form, point)
        except NotACertificate:
            assert not answers[-1]
        else:
            assert answers[-1]
    assert 50 < sum(answers) < 550


@pytest.mark.parametrize("tolerance", [np.nan, np.inf, -1e-9, 1.0])
def test_a_tolerance_outside_its_range_is_refused(tolerance):
    form = small([[1, 1]], cost=[1, 1], row_upper=[3])
    with pytest.raises(NotACertificate, match="tolerance"):
        exact_feasibility(form, np.zeros(2), tolerance)


def test_sides_that_are_no_numbers_are_refused():
    form = small([[1, 1]], cost=[1, 1], row_upper=[3])
    for name in ("row_lower", "row_upper", "lower", "upper"):
        broken = form.replace(**{name: np.full_like(getattr(form, name), np.nan)})
        with pytest.raises(NotACertificate, match="is not a number"):
            exact_feasibility(broken, np.zeros(2))


STEP = 2.0**-20


def test_integers_may_miss_by_the_tolerance_and_no_more():
    form = small(np.zeros((0, 1)), cost=[1.0], integer=[True], lower=[-9.0])
    for whole in (2.0, -2.0):
        for miss in (STEP, -STEP):
            exact_feasibility(form, np.array([whole + miss]), STEP)
            with pytest.raises(NotACertificate, match="integrality"):
                exact_feasibility(form, np.array([whole + 2 * miss]), STEP)
    with pytest.raises(NotACertificate, match="integrality"):
        exact_feasibility(form, np.array([2 + 2.0**-50]))


@pytest.mark.parametrize("tolerance", [0.0, STEP])
def test_sides_that_no_point_reaches_are_violated(tolerance):
    rows = small([[1.0]], cost=[1.0], lower=[-INF])
    for changes in ({"row_lower": INF}, {"row_upper": -INF}, {"lower": INF}, {"upper": -INF}):
        broken = rows.replace(**{name: np.array([value]) for name, value in changes.items()})
        with pytest.raises(NotACertificate, match="violates"):
            exact_feasibility(broken, np.array([1e308]), tolerance)
        with pytest.raises(NotACertificate, match="violates"):
            exact_feasibility(broken, np.array([-1e308]), tolerance)


@pytest.mark.parametrize("tolerance", [0.0, STEP])
def test_the_first_violation_is_named_and_the_others_are_counted(tolerance):
    # x = (2 + 2 STEP, 5, 5) against x <= 2: the first one within the tolerance of 2 * STEP
    form = small(np.zeros((0, 3)), cost=[1.0] * 3, upper=[2.0] * 3)
    point = np.array([2 + 2 * STEP, 5.0, 5.0])
    words = r"\[i=1\].*\(and 1 more\)" if tolerance else r"\[i=0\].*\(and 2 more\)"
    with pytest.raises(NotACertificate, match=words):
        exact_feasibility(form, point, tolerance)
    with pytest.raises(NotACertificate) as caught:
        exact_feasibility(form, np.array([2.0, 2.0, 5.0]), tolerance)
    assert "more" not in str(caught.value).removesuffix(f"more than {tolerance:g}")


def test_rows_of_very_different_magnitudes_are_compared_exactly():
    # 1e300 x + 1e-300 y against 1e300 and its neighbours
    wide = [[1e300, 1e-300], [1e-300, 1e300]]
    form = small(wide, cost=[1, 1], row_lower=[1e300] * 2, lower=[-INF] * 2)
    exact_feasibility(form, np.ones(2))
    just, below = np.array([1.0, 5e-324]), np.array([1.0, -5e-324])
    one = form.replace(row_lower=np.array([1e300, -INF]))
    exact_feasibility(one, just)
    with pytest.raises(NotACertificate, match=r"row\[i=0\].*lower side"):
        exact_feasibility(one, below)
    other = one.replace(row_lower=np.array([-INF, -INF]), row_upper=np.array([1e300, INF]))
    exact_feasibility(other, below)
    with pytest.raises(NotACertificate, match=r"row\[i=0\].*upper side"):
        exact_feasibility(other, just)


def test_values_need_a_finite_offset():
    form = small(np.zeros((0, 1)), cost=[1.0], offset=INF)
    with pytest.raises(NotACertificate, match="offset"):
        exact_value(form, np.ones(1))


def test_exact_objectives_use_the_binary_value_of_floats():
    # 0.1 is not 1/10 in binary
    one = small(np.zeros((0, 1)), cost=[0.1])
    assert exact_value(one, np.array([3.0])) == 3 * F(0.1) != F(3, 10)
    for one, two in ((-1.0, 3.0), (1.0, 0.0)):
        both = small(np.zeros((0, 2)), cost=[one, two], offset=0.5)
        for x, y in ((-1.0, 0.0), (1.0, -1.0), (0.0, 1.0)):
            point = np.array([x, y])
            assert exact_value(both, point) == F(one) * F(x) + F(two) * F(y) + F(1, 2)
