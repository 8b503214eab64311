"""Gurobi: ranged rows, their slack columns, and numbers that mean nothing."""

import pytest

from farkas.solvers import Claimed, Reason, solve
from farkas.solvers.base import find
from farkas.solvers.gurobi import _ranged
from tests.conformance.solvers.cases import INF, form, knapsacks

ROWS = [(1, [1, 1], 1), (0, [1, 0], 4), (-INF, [0, 1], 3), (-2, [1, 1], INF), (-INF, [1, 1], INF)]


def test_only_rows_with_two_different_finite_sides_take_a_column_more():
    case = form([1, 1], ROWS)
    assert _ranged(case).tolist() == [False, True, False, False, False]
    assert find("gurobi").footprint(case) == (5, 3)


@pytest.mark.parametrize(("sense", "value"), [("min", -1.0), ("max", 4.0)])
def test_the_slack_of_a_range_ends_on_both_sides(sense, value):
    # x in [-1, 4] by a row, free otherwise; a wrong sign of the slack gives [-6, -1]
    answer = solve(form([1], [(-1, [1], 4)], lower=-INF, sense=sense), "gurobi")
    assert answer.point.tolist() == [value]
    assert answer.row_duals.tolist() == [1.0]


def test_a_stopped_search_without_bound_or_point_says_nothing():
    answer = solve(knapsacks(), "gurobi", time_limit=0.0)
    assert answer.reason is Reason.TIME_LIMIT
    assert answer.claim in (Claimed.NONE, Claimed.FEASIBLE)
    # its stand-in for infinity, 1e100, is no bound
    assert not abs(answer.bound) >= 1e100
