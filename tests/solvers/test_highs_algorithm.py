"""Algorithms of HiGHS by name."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidOption, UnknownName, UnsupportedForm
from farkas.solvers import Ability, availability, solve
from farkas.solvers.base import find
from farkas.solvers.highs import new_solver
from farkas.solvers.highs_algorithm import ALGORITHMS
from tests.conformance.solvers.cases import INF, form

CASE = form([1, 1, 1], [(1, [1, 1, 0], INF), (1, [0, 1, 1], INF), (1, [1, 0, 1], INF)])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_algorithm_that_is_named_runs(algorithm, monkeypatch):
    asked = []
    real = new_solver()

    class Recorder:
        def __getattr__(self, name):
            return getattr(real, name)

        def setOptionValue(self, name, value):
            asked.append((name, value))
            return real.setOptionValue(name, value)

    monkeypatch.setattr("farkas.solvers.highs_algorithm.new_solver", Recorder)
    answer = solve(CASE, f"highs:{algorithm}")
    assert ("solver", algorithm) in asked
    assert answer.solver == f"highs:{algorithm}"
    assert answer.objective == pytest.approx(1.5, abs=1e-6)


def test_it_stands_as_highs_does_and_takes_no_integers():
    assert availability("highs:ipm") == availability("highs")
    assert Ability.INTEGER not in find("highs:ipm").abilities
    with pytest.raises(UnsupportedForm, match="highs:ipm takes no integer columns"):
        solve(form([1], [(0.5, [1], INF)], integer=[0]), "highs:ipm")


def test_other_names_are_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean ipm"):
        solve(CASE, "highs:ipx")
    assert find("highs:").name == "highs"


def test_options_of_its_own_hold_for_one_solve():
    few = {"simplex_iteration_limit": 0, "presolve": "off"}
    stopped = solve(CASE, "highs", solver_options=few)
    assert (stopped.reason, stopped.claim) == ("iteration_limit", "none")
    assert solve(CASE, "highs").objective == pytest.approx(1.5)
    # a whole number is taken where a double is wanted
    assert solve(CASE, "highs", solver_options={"time_limit": 60}).objective == pytest.approx(1.5)
    for name, value in (("no_such", 1), ("presolve", "perhaps"), ("presolve", 3)):
        with pytest.raises(InvalidOption, match=f'highs refuses its option "?{name}'):
            solve(CASE, "highs", solver_options={name: value})
    assert solve(CASE, "highs").objective == pytest.approx(1.5)


@pytest.mark.parametrize(("solver", "name", "value"), [
    ("gurobi", "IterationLimit", 0), ("scip", "limits/nodes", 10), ("clarabel", "max_iter", 1),
    ("cvxpy:SCS", "max_iters", 1), ("cvxpy:OSQP", "max_iter", 25),
])  # fmt: skip
def test_every_solver_takes_its_own(solver, name, value):
    free, held = (solve(CASE, solver, solver_options=o) for o in ({}, {name: value}))
    assert free.objective == pytest.approx(1.5, abs=1e-5)
    assert (solver == "scip") == (held.claim == "optimal"), held


@pytest.mark.parametrize("solver", ["gurobi", "scip", "clarabel"])
def test_what_a_solver_does_not_know_is_refused_in_its_words(solver):
    with pytest.raises(InvalidOption, match=f"{solver} refuses its option .*no_such"):
        solve(CASE, solver, solver_options={"no_such": 1})


@pytest.mark.parametrize("wrong", [[("a", 1)], {"a": None}, {1: 2}, {"a": [1]}, "a=1"])
def test_other_things_are_no_options(wrong):
    with pytest.raises(InvalidOption, match="solver option solver_options"):
        solve(CASE, "highs", solver_options=wrong)
