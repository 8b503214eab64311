"""Solvers that take exponential cones, on one problem with a closed form."""

import math

import cvxpy as cp
import numpy as np
import pytest

from farkas.errors import InvalidOption, NoAnswer, SolverUnavailable, UnknownName, UnsupportedForm
from farkas.solvers import Claimed, Reason, availability
from farkas.solvers.measured import exponential_distance
from farkas.solvers.via_cvxpy import solve_problem

ABLE = pytest.mark.parametrize("solver", ["CLARABEL", "cvxpy:SCS"])


def entropy(total=1.0):
    # min sum x ln x with x1 + x2 = 1: x = 1/2 each, value -ln 2.  With multiplier y of the
    # equation ln x + 1 + y = 0, so y = ln 2 - 1; the value changes by -y with the right side.
    x = cp.Variable(2, name="x")
    return cp.Problem(cp.Minimize(-cp.sum(cp.entr(x))), [cp.sum(x) == total]), x


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


def test_status_optimal_with_a_violating_point_is_not_believed():
    # SCS stops at tolerances of its own; a tolerance below rounding shows that the point is
    # measured: no double meets sum(x) = 1/3 to 1e-30 relative in general.
    x = cp.Variable(3, name="x")
    rows = [cp.sum(x) == 1 / 3, cp.exp(x[0]) + x[1] <= 1.1]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - 1)), rows)
    answer = solve_problem(problem, "SCS", tolerance=1e-30)
    assert (answer.reason, answer.claim) == (Reason.NUMERICAL, Claimed.NONE)
    assert answer.violation > 0
    assert answer.message.startswith("optimal, but constraint ")


def test_the_distance_from_an_exponential_cone_is_measured_without_a_solver():
    # y exp(x/y) <= z.  (0,1,1) lies on it; (0,1,0.5) needs z + 0.5; (1,1,1) needs z + e - 1 or
    # x - 1, the smaller counts; with y = 0 the cone is x <= 0, z >= 0; y = -1 is off by 1 itself.
    x, y, z = np.array([[0, 1, 1], [0, 1, 0.5], [1, 1, 1], [0.25, 0, 2], [-1, -1, 0]], float).T
    distance = exponential_distance(x, y, z)
    assert distance == pytest.approx([0, 0.5, 1, 0.25, 1])


def test_a_cone_constraint_is_measured_after_a_solve():
    # min z with exp(x) <= z, x >= 1: z = e.
    x, z = cp.Variable(name="x"), cp.Variable(name="z")
    rows = [cp.constraints.ExpCone(x, cp.Constant(1.0), z), x >= 1]
    answer = solve_problem(cp.Problem(cp.Minimize(z), rows)).require_optimal()
    assert answer.objective == pytest.approx(math.e, rel=1e-6)
    assert answer.violation < 1e-6


def test_mosek_refuses_without_licence_and_solves_with_one():
    problem, _ = entropy()
    if availability("mosek"):
        assert solve_problem(problem, "mosek").objective == pytest.approx(-math.log(2), abs=1e-5)
        return
    with pytest.raises(SolverUnavailable, match=r"^solver cvxpy:MOSEK is unlicensed: "):
        solve_problem(problem, "mosek")


def test_solver_without_the_cone_is_refused():
    with pytest.raises(UnsupportedForm, match="cvxpy:OSQP"):
        solve_problem(entropy()[0], "OSQP")


def test_nonconvex_problem_is_refused():
    x = cp.Variable()
    with pytest.raises(UnsupportedForm, match="not convex"):
        solve_problem(cp.Problem(cp.Minimize(cp.sqrt(x))))


def test_unknown_names_are_refused():
    with pytest.raises(UnknownName, match="did you mean CLARABEL"):
        solve_problem(entropy()[0], "clarabell")
    with pytest.raises(InvalidOption, match="did you mean time_limit"):
        solve_problem(entropy()[0], timelimit=3)
