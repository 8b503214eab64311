"""Problems in units near 1, made once."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

from farkas.solvers.via_cvxpy import solve_problem
from farkas.solvers.via_cvxpy_units import near_one


@pytest.mark.parametrize(("cost", "unit"), [(1.0, 1.0), (3.0, 2.0), (4.0, 4.0), (1e-9, 2.0**-30)])
def test_costs_are_divided_by_the_power_of_two_below_the_largest(cost, unit):
    x = cp.Variable(2)
    problem = cp.Problem(cp.Minimize(cost * x[0] - cost / 8 * x[1]), [x >= 1])
    given, found = near_one(problem, "CLARABEL")
    assert found == unit
    x.value = np.array([1.0, 0.0])
    assert given.objective.value == cost / unit
    assert near_one(problem, "CLARABEL")[0] is given


def test_what_costs_nothing_is_left_as_it_is():
    problem = cp.Problem(cp.Minimize(0 * cp.Variable()))
    assert near_one(problem, "CLARABEL") == (problem, 1.0)


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
