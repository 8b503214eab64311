"""Costs far from 1 lie outside the absolute tolerances of HiGHS; the answer must not notice."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms import LinearForm, Sense
from farkas.forms.matrices import rows_of_dense
from farkas.solvers import open_session, solve


def cover(scale: float, offset: float, *, sense: Sense, integer: bool) -> LinearForm:
    # x + y between 3.5 and 7.5, costs scale and 2 scale
    return LinearForm(
        name="cover",
        sense=sense,
        cost=np.array([1.0, 2.0]) * scale,
        offset=offset * scale,
        matrix=rows_of_dense([[1.0, 1.0]]),
        row_lower=np.array([3.5]),
        row_upper=np.array([7.5]),
        lower=np.zeros(2),
        upper=np.full(2, 10.0),
        integer=np.full(2, integer),
    )


@pytest.mark.parametrize("scale", [1e-12, 1e-9, 1e-4, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("offset", [0.0, 5.0])
@pytest.mark.parametrize(
    ("sense", "integer", "value"),
    # min: all on the cheap column; max: all on the dear one; whole numbers round inwards
    [("min", False, 3.5), ("max", False, 15.0), ("min", True, 4.0), ("max", True, 14.0)],
)
def test_value_bound_and_duals_scale_with_the_costs(sense, integer, value, offset, scale):
    answer = solve(cover(scale, offset, sense=sense, integer=integer))
    assert answer.objective / scale == pytest.approx(value + offset, rel=1e-9)
    assert answer.bound / scale == pytest.approx(value + offset, rel=1e-6)
    if not integer:
        # one more unit on the binding side costs 1 (min) or earns 2 (max)
        assert answer.row_duals / scale == pytest.approx([1.0 if sense == "min" else 2.0])


def test_subnormal_costs_are_scaled_by_a_finite_power():
    # 2^-1040: the power that makes it 1 is infinite
    tiny = 2.0**-1040
    answer = solve(cover(tiny, 0.0, sense="min", integer=False))
    assert answer.require_optimal().objective == 3.5 * tiny
    assert solve(cover(tiny, 0.0, sense="max", integer=True)).objective == 14 * tiny


def test_a_session_follows_costs_across_scales():
    session = open_session(cover(1.0, 0.0, sense="min", integer=False))
    assert session.solve().objective == pytest.approx(3.5)
    session.update(cost=np.array([3e-9, 1e-9]))
    assert session.solve().objective == pytest.approx(3.5e-9)
    session.update(cost=np.array([3.0, 1.0]))
    assert session.solve().row_duals == pytest.approx([1.0])
