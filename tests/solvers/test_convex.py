"""Distances from the constraints of CVXPY, by hand."""

import cvxpy as cp
import numpy as np
import pytest

from farkas.solvers import solve
from farkas.solvers.convex import (
    distance,
    exponential_distance,
    near_one,
    solve_problem,
    units_of,
    violation,
)
from tests.conformance.solvers.cases import form


def test_the_distance_from_an_exponential_cone_is_measured_without_a_solver():
    # y exp(x/y) <= z.  (0,1,1) lies on it; (0,1,0.5) needs z + 0.5; (1,1,1) needs z + e - 1 or
    # x - 1, the smaller counts; with y = 0 the cone is x <= 0, z >= 0; y = -1 is off by 1 itself.
    x, y, z = np.array([[0, 1, 1], [0, 1, 0.5], [1, 1, 1], [0.25, 0, 2], [-1, -1, 0]], float).T
    distance = exponential_distance(x, y, z)
    assert distance == pytest.approx([0, 0.5, 1, 0.25, 1])


def test_the_cheaper_of_two_ways_back_to_the_cone_counts():
    # from (1/4, 1, 1): x needs 1/4, z needs e^(1/4) - 1 = 0.284; with y = 2, x/y = 1/4 and
    # z = 2: x needs 1/2 and z 0.568; from (-2, 1, 0): z needs e^-2, x has no way back
    x, y, z = np.array([[0.25, 1, 1], [0.5, 2, 2], [-2, 1, 0]], float).T
    assert exponential_distance(x, y, z) == pytest.approx([0.25, 0.5, np.exp(-2)])


def test_the_cone_is_closed_where_its_middle_vanishes():
    # with y = 0: x must be <= 0 and z >= 0; off by both adds up
    x, y, z = np.array([[-3, 0, 2], [2, 0, 1], [0, 0, -0.5], [2, 0, -0.5]], float).T
    assert exponential_distance(x, y, z).tolist() == [0, 2, 0.5, 2.5]


def test_the_largest_violation_names_its_constraint_or_domain():
    x = cp.Variable(2, name="x", nonneg=True)
    rows = [cp.sum(x) <= 1, x[0] == 3]
    problem = cp.Problem(cp.Minimize(cp.sum(x)), rows)
    x.save_value(np.array([2.5, 0.0]))
    # the sum is 1.5 too large, x[0] half a unit off
    found = violation(problem)
    assert (found.worst, found.where) == (1.5, "constraint 0")
    x.save_value(np.array([3.0, -4.0]))
    worst, _, where = violation(problem)
    assert (worst, where) == (4.0, "the domain of x")


def test_a_value_that_is_no_number_is_infinitely_far():
    x = cp.Variable(name="x")
    problem = cp.Problem(cp.Minimize(x), [x >= 1])
    x.save_value(np.array(np.nan))
    worst, _, where = violation(problem)
    assert worst == np.inf
    assert where == "constraint 0"


def test_the_unit_of_a_variable_is_the_largest_number_that_it_meets():
    # x = 0.5 meets y = -40 and the side 60; w = 1e9 meets nothing of theirs; 1 for a lonely 0
    x, y, w, v = (cp.Variable(name=name) for name in "xywv")
    rows = [x >= 1, x - y <= 60, w == 1e9, v >= 0]
    problem = cp.Problem(cp.Minimize(x + y), rows)
    for one, value in ((x, 0.5), (y, -40.0), (w, 1e9), (v, 0.0)):
        one.save_value(np.array(value))
    units = units_of(problem)
    assert [units[one.id] for one in (x, y, w, v)] == [60.0, 60.0, 1e9, 1.0]
    assert violation(problem)[1:] == (0.5 / 60, "constraint 0")
    beside = cp.Problem(cp.Minimize(x), [x + 300j == 0.5 + 400j])  # a complex number by its size
    assert units_of(beside)[x.id] == pytest.approx(abs(0.5 + 400j))


def test_other_constraints_measure_themselves():
    x = cp.Variable(2)
    x.save_value(np.array([1.0, -2.0]))
    assert distance(x >= 0) == pytest.approx([0.0, 2.0])


@pytest.mark.parametrize(("cost", "unit"), [(1.0, 1.0), (3.0, 2.0), (4.0, 4.0), (1e-9, 2.0**-30)])
def test_costs_are_divided_by_the_power_of_two_below_the_largest(cost, unit):
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cost * x[0] - cost / 8 * x[1]), [x >= 1])
    given, found = near_one(problem, "CLARABEL")
    assert found == unit
    x.value = np.array([1.0, 0.0])
    assert given.objective.value == cost / unit
    assert near_one(problem, "CLARABEL")[0] is given


def test_a_problem_is_compiled_once_and_its_answers_depend_on_its_data_alone(monkeypatch):
    # max p x with exp(x) <= 20; costs are divided by a power of two: 2 of 3 and 3.5, 64 of 90
    p, x = cp.Parameter(nonneg=True), cp.Variable(name="x")
    problem = cp.Problem(cp.Maximize(p * x), [cp.exp(x) <= 20])
    made = []
    monkeypatch.setattr(
        cp, "Problem", lambda *a: made.append(cp.problems.problem.Problem(*a)) or made[-1]
    )
    found = {}
    for value in (3.0, 3.5, 90.0, 3.0):
        p.value = value
        answer = solve_problem(problem)
        assert answer.objective == pytest.approx(value * np.log(20), rel=1e-6)
        assert answer.duals[0] == pytest.approx(value / 20, rel=1e-3)
        found.setdefault(value, []).append(answer.values["x"].item())
    assert len(made) == 2
    assert found[3.0][0] == found[3.0][1]


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_bound_counts_sense_and_constant(sense):
    # x in [2, 5]: 2 or 5, and 7 on top
    case = form([1], [(2, [1], 5)], sense=sense, offset=7.0)
    assert solve(case, "clarabel").bound == pytest.approx({"min": 9, "max": 12}[sense], abs=1e-6)
