"""Solvers that take exponential cones, on problems with a closed form."""

import math

import cvxpy as cp
import pytest

from farkas.errors import NoAnswer
from farkas.solvers import Claimed
from farkas.solvers.convex import solve_problem
from tests.conformance.solvers.cases import entropy

ABLE = pytest.mark.parametrize("solver", ["CLARABEL", "cvxpy:SCS"])


@ABLE
def test_relative_entropy(solver):
    problem, _ = entropy()
    answer = solve_problem(problem, solver).require_optimal()
    assert answer.objective == pytest.approx(-math.log(2), abs=1e-6)
    assert answer.values["x"] == pytest.approx([0.5, 0.5], abs=1e-4)
    assert answer.violation < 1e-6
    assert float(answer.duals[0]) == pytest.approx(math.log(2) - 1, abs=1e-4)


@ABLE
def test_infeasible_cone_program_has_no_objective(solver):
    x = cp.Variable()
    problem = cp.Problem(cp.Minimize(cp.exp(x)), [cp.exp(x) <= 1, x >= 1])
    answer = solve_problem(problem, solver)
    assert answer.claim is Claimed.INFEASIBLE
    assert math.isnan(answer.objective)
    with pytest.raises(NoAnswer, match="infeasible"):
        answer.require_optimal()
