"""Clarabel: the form as a cone program, written by hand, and the way back."""

import numpy as np
import pytest

from farkas.solvers import Claimed, solve
from farkas.solvers.audit import ray_value
from farkas.solvers.clarabel import conic
from tests.conformance.solvers.cases import INF, form


@pytest.mark.parametrize(("sense", "sign"), [("min", 1.0), ("max", -1.0)])
def test_sides_and_bounds_become_rows_of_one_cone_program(sense, sign):
    # rows: x <= 4, x + y = 3, 1 <= y <= 2; bounds: x >= 0, y fixed at 5
    case = form(
        [1, 2],
        [(-INF, [1, 0], 4), (3, [1, 1], 3), (1, [0, 1], 2)],
        lower=[0, 5],
        upper=[INF, 5],
        sense=sense,
    )
    cones = conic(case)
    assert cones.cost.tolist() == [sign * 1, sign * 2]
    # equations first (row 1, column y), then upper sides (rows 0, 2), then lower (row 2, column x)
    assert cones.num_equal == 2
    assert cones.matrix.toarray().tolist() == [[1, 1], [0, 1], [1, 0], [0, 1], [0, -1], [-1, 0]]
    assert cones.right.tolist() == [3, 5, 4, 2, -1, 0]
    assert cones.line.tolist() == [1, -1, 0, 2, 2, -1]


def test_multipliers_come_back_by_row_with_the_sign_of_the_side():
    case = form([1, 1], [(-INF, [1, 0], 4), (3, [1, 1], 3), (1, [0, 1], 2)], lower=0)
    cones = conic(case)
    # lines 1 (equation), 0 and 2 (upper), 2 (lower, negated), and two bounds that count nowhere
    assert cones.line.tolist() == [1, 0, 2, 2, -1, -1]
    multipliers = np.array([10.0, 1.0, 2.0, 5.0, 99.0, 99.0])
    # a multiplier of row <= side lowers a minimum: minus; row 2: -2 + 5
    assert cones.to_rows(multipliers, 3).tolist() == [-1, -10, 3]


@pytest.mark.parametrize(
    ("cost", "claim"), [([0, 0], Claimed.OPTIMAL), ([0, 1], Claimed.UNBOUNDED)]
)
def test_free_columns_without_rows_never_reach_the_solver(cost, claim):
    answer = solve(form(cost, [], lower=-INF, offset=3.0), "clarabel")
    assert answer.claim is claim
    if claim is Claimed.OPTIMAL:
        assert (answer.objective, answer.bound) == (3.0, 3.0)
        assert answer.row_duals.shape == (0,)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_bound_counts_sense_and_constant(sense):
    # x in [2, 5]: 2 or 5, and 7 on top
    case = form([1], [(2, [1], 5)], sense=sense, offset=7.0)
    assert solve(case, "clarabel").bound == pytest.approx({"min": 9, "max": 12}[sense], abs=1e-6)


def test_a_ray_has_one_entry_a_row_and_proves():
    case = form([0, 0], [(8, [1, 1], INF), (-INF, [1, -1], 9)], upper=3.0)
    answer = solve(case, "clarabel")
    assert answer.ray.shape == (2,)
    assert ray_value(case, answer.ray) > 0
