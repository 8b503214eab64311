"""Points that miss a requirement by a tolerance, or by more."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates import exact_feasibility
from farkas.certificates.points import columns_beyond, relaxed, rows_beyond
from farkas.errors import NotACertificate
from tests.generators.forms import INF, small

STEP = 2.0**-20


def test_the_tolerance_is_never_exceeded_by_rounding():
    rng = np.random.default_rng(3)
    side = rng.standard_normal(2000) * 10.0 ** rng.uniform(-9, 9, 2000)
    unit = 2.0 ** rng.integers(-40, 40, 2000)
    for tolerance in (1e-9, 1e-6, 0.1):
        low, high = relaxed(side, side, tolerance, unit)
        rows = zip(*(part.tolist() for part in (side, low, high, unit)), strict=True)
        for one, down, up, least in rows:
            slack = F(tolerance) * max(F(least), abs(F(one)))
            assert F(one) - slack <= F(down) <= F(one) <= F(up) <= F(one) + slack


def test_sides_move_by_no_more_than_their_share_in_fractions():
    # also where side and step nearly cancel: 1e-6 of a unit of 1 against a side of 1e-6
    rng = np.random.default_rng(0)
    unit = 2.0 ** rng.integers(-20, 20, 3000)
    side = unit * 1e-6 * (1 + rng.integers(-4, 5, 3000) * 2.0**-52)
    low, high = relaxed(side, -side, 1e-6, unit)
    for k in range(len(side)):
        step = F(1e-6) * max(F(unit[k]), F(side[k]))
        assert F(side[k]) - step <= F(low[k]) <= F(side[k])
        assert -F(side[k]) <= F(high[k]) <= -F(side[k]) + step


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("role", ["row", "column"])
@pytest.mark.parametrize("end", [3.0, 0.0, -5.0])
def test_a_violation_of_exactly_the_tolerance_is_accepted_and_no_more(role, sign, end):
    # sign * x >= sign * end, as a bound or as a row, misses by STEP * max(unit, |end|)
    lower, upper = ([end], None) if sign > 0 else (None, [end])
    if role == "row":
        form = small([[1.0]], cost=[1.0], row_lower=lower, row_upper=upper, lower=[-INF])
        unit = form.units.row[0]
    else:
        form = small(np.zeros((0, 1)), cost=[1.0], lower=lower or [-INF], upper=upper)
        unit = form.units.column[0]
    least = end - sign * STEP * max(unit, abs(end))
    exact_feasibility(form, np.array([least]), STEP)
    exact_feasibility(form, np.array([end]), 0.0)
    beyond = np.array([np.nextafter(least, -sign * INF)])
    for point, tolerance in ((beyond, STEP), (np.array([least]), 0.0)):
        with pytest.raises(NotACertificate, match=rf"{role}\[i=0\]: the point violates"):
            exact_feasibility(form, point, tolerance)


def test_all_that_is_missed_by_more_than_the_tolerance_is_found():
    # x <= 2 missed by nothing, by the tolerance, and by more; unit and side are 2
    form = small(np.eye(3), cost=[1.0] * 3, row_upper=[2.0] * 3, upper=[2.0] * 3)
    point = np.array([2.0, 2 + 2 * STEP, 2 + 4 * STEP])
    assert columns_beyond(form, point, STEP).tolist() == [False, False, True]
    assert rows_beyond(form, point, -1.0, STEP).tolist() == [False, False, True]
    assert not rows_beyond(form, point, 1.0, STEP).any()


@pytest.mark.parametrize("value", [0.0, -1e300, 1e300])
@pytest.mark.parametrize("end", [INF, -INF])
def test_no_point_keeps_a_side_beyond_everything(end, value):
    ends, point = ([end], [end]), np.array([value])
    column = small(np.zeros((0, 1)), cost=[1.0], lower=ends[0], upper=ends[1])
    row = small(np.eye(1), cost=[1.0], row_lower=ends[0], row_upper=ends[1], lower=[-INF])
    for tolerance in (STEP, 0.0):
        assert columns_beyond(column, point, tolerance).tolist() == [True]
        assert rows_beyond(row, point, 1.0 if end > 0 else -1.0, tolerance).tolist() == [True]


def test_sides_without_a_tolerance_or_an_end_stay_as_they_are():
    low, high, unit = np.array([-INF, 1.0]), np.array([INF, 2.0]), np.ones(2)
    assert [part.tolist() for part in relaxed(low, high, 0.0, unit)] == [[-INF, 1], [INF, 2]]
    wide_low, wide_high = relaxed(low, high, STEP, unit)
    assert (wide_low[0], wide_high[0]) == (-INF, INF)
    assert 1 - STEP <= wide_low[1] < 1 - STEP / 2
    assert 2 + STEP < wide_high[1] <= 2 + 2 * STEP


def test_a_negative_side_moves_by_a_share_of_its_size():
    form = small(
        [[1.0]], cost=[0.0], row_lower=[-1000.0], row_upper=[-500.0], lower=[-INF], upper=[INF]
    )
    for inside in (-1000.0005, -499.99975):
        exact_feasibility(form, np.array([inside]), 1e-6)
    for outside in (-1000.002, -499.998):
        with pytest.raises(NotACertificate, match="violates"):
            exact_feasibility(form, np.array([outside]), 1e-6)
    low, high = relaxed(np.array([-1000.0]), np.array([-500.0]), 1e-6, np.array([1.0]))
    assert (low[0], high[0]) == pytest.approx((-1000.001, -499.9995), rel=1e-12)
