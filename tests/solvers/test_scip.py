"""SCIP: no duals, a start, and a bound that is none."""

import math

import numpy as np
import pytest

from farkas.solvers import Reason, solve
from tests.conformance.solvers.cases import INF, form, market_split


def test_a_linear_program_has_a_bound_and_no_duals():
    # min x + 2y, x + y >= 3, x <= 1: x = 1, y = 2, value 5
    answer = solve(form([1, 2], [(3, [1, 1], INF)], upper=[1, INF]), "scip")
    assert answer.point == pytest.approx([1, 2])
    assert answer.bound == pytest.approx(5)
    assert answer.raw_row_duals is None


@pytest.mark.parametrize(("sense", "value"), [("min", -5.5), ("max", 9.5)])
def test_the_constant_counts_in_value_and_bound(sense, value):
    case = form([5, 10], [(-1.5, [1, 1], 1.5)], lower=-INF, sense=sense, offset=2.0)
    # all of the row on the column of cost 5 needs the other at 0: fixed, so +-7.5 + 2
    case = case.replace(lower=np.array([-INF, 0.0]), upper=np.array([INF, 0.0]))
    answer = solve(case, "scip")
    assert answer.objective == pytest.approx(value)
    assert answer.bound == pytest.approx(value)


def test_a_start_that_breaks_a_row_does_no_harm():
    case = form([1, 1], [(3, [2, 2], INF)], upper=5.0, integer=[0, 1])
    # 2 (x + y) >= 3: two units; the start has none
    assert solve(case, "scip", start=np.zeros(2)).objective == pytest.approx(2)
    assert solve(case, "scip", start=np.array([2.0, 0.0])).objective == pytest.approx(2)


def test_infinite_bounds_are_unknown():
    answer = solve(market_split(), "scip", time_limit=0.0)
    assert answer.reason is Reason.TIME_LIMIT
    assert math.isnan(answer.bound) or abs(answer.bound) < 1e20
