"""Pyomo: the model of a form, options in the words of its solvers, and what it reports."""

import contextlib
import math
import shutil
from types import SimpleNamespace

import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.opt import TerminationCondition as Condition

from farkas.errors import InvalidOption, SolverUnavailable, UnknownName
from farkas.solvers import Conclusion, Options, Reason, solve
from farkas.solvers.base import UndecidedRay
from farkas.solvers.via_pyomo import (
    BRINGS,
    PyomoSolver,
    _bound,
    _point,
    _verdict,
    how_to_get,
    to_model,
)
from tests.conformance.solvers.cases import INF, form

CASE = form(
    [1, -2, 0],
    [(1, [1, 1, 0], 1), (-INF, [2, 0, 0], 4), (0, [0, 3, 0], INF), (-1, [1, 0, 0], 1),
     (-INF, [1, 0, 0], INF), (-1, [0, 0, 0], 1)],
    lower=[0, -INF, -3],
    upper=[INF, 5, -2],
    integer=[1],
    sense="max",
    offset=2.5,
)  # fmt: skip


@pytest.mark.parametrize(
    "name", ["./tool", "tool", "asl:./tool", "cbc", "ipopt", "nl:tool", "py:./tool", "../x/tool"]
)
def test_no_file_of_the_current_folder_is_executed(name, tmp_path, monkeypatch):
    # Pyomo takes unknown names for files, and looks for its solvers in the current folder first
    installed = shutil.which(name) is not None  # Pyomo may remember where that one is
    for file in ("tool", "cbc", "ipopt"):
        (tmp_path / file).write_text(f"#!/bin/sh\ntouch {tmp_path}/executed\necho {file} 3.14\n")
        (tmp_path / file).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nonexistent")
    refusals = (UnknownName, SolverUnavailable)
    with contextlib.suppress(*refusals) if installed else pytest.raises(refusals):
        solve(CASE, f"pyomo:{name}")
    assert not (tmp_path / "executed").exists()


def test_duals_are_imported_only_when_asked_for():
    assert not hasattr(to_model(CASE), "dual")
    assert to_model(CASE, duals=True).dual.import_enabled()


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        ("appsi_highs", {"time_limit": 2.5, "mip_rel_gap": 0.5, "threads": 3, "random_seed": 9}),
        ("gurobi_direct", {"TimeLimit": 2.5, "MIPGap": 0.5, "Threads": 3, "Seed": 9}),
        ("cbc", {"sec": 2.5, "ratio": 0.5, "threads": 3, "randomSeed": 9}),
        ("xpress", {"timelimit": 2.5, "miprelstop": 0.5, "threads": 3, "randomseed": 9}),
        (
            "mosek_direct",
            {"dparam.optimizer_max_time": 2.5, "dparam.mio_tol_rel_gap": 0.5,
             "iparam.num_threads": 3, "iparam.mio_seed": 9},
        ),
    ],
)  # fmt: skip
def test_options_reach_each_family_in_its_own_words(solver, words):
    given = Options(time_limit=2.5, gap=0.5, threads=3, seed=9)
    assert PyomoSolver(solver)._translated(given) == words


def test_glpk_takes_whole_seconds_and_one_thread():
    glpk = PyomoSolver("glpk")
    assert glpk._translated(Options(time_limit=2.1))["tmlim"] == 3
    assert glpk._translated(Options(time_limit=0.0))["tmlim"] == 1
    assert "tmlim" not in glpk._translated(Options())
    with pytest.raises(InvalidOption, match="cannot pass threads to pyomo:glpk"):
        glpk._translated(Options(threads=2))


def test_unknown_families_take_the_defaults_only():
    assert PyomoSolver("ipopt")._translated(Options()) == {}
    with pytest.raises(InvalidOption, match="cannot pass time_limit to pyomo:ipopt"):
        PyomoSolver("ipopt")._translated(Options(time_limit=1.0))


def test_solvers_that_keep_a_model_of_their_own_are_refused_with_the_one_that_does_not():
    with pytest.raises(UnknownName, match="use pyomo:gurobi_direct"):
        solve(CASE, "pyomo:gurobi_persistent")


def answer_of(solver, monkeypatch, case, condition, bounds):
    """What is read where a solver ends so; its point is 0, its duals are 1, and where it looked."""
    seen = []

    def solved(model, **_):
        seen.append(model)
        found = results(condition)
        found.problem = SimpleNamespace(lower_bound=bounds[0], upper_bound=bounds[1])
        return found

    def load(_model, _results):
        for x in seen[0].x.values():
            x.value = 0.0

    monkeypatch.setattr(PyomoSolver, "_factory", lambda _: SimpleNamespace(solve=solved))
    monkeypatch.setattr("pyomo.core.base.PyomoModel.ModelSolutions.load_from", load)
    answer = PyomoSolver(solver).run(case, Options(time_limit=0.0), None)
    return answer, seen[0]


def test_cbc_is_handed_a_minimum_whose_bound_has_one_sign(monkeypatch):
    # max x, x <= 3 whole: CBC sees min -x and says that it is at least -3
    case = form([1], [(-INF, [1], 3)], integer=[0], sense="max", offset=2.0)
    answer, model = answer_of("cbc", monkeypatch, case, Condition.optimal, (-3.0, -1.0))
    assert model.value.sense == pyo.minimize
    assert pyo.value(model.value) == -2.0
    assert (answer.claim, answer.bound) == (Conclusion.OPTIMAL, 3.0)
    other, model = answer_of("glpk", monkeypatch, case, Condition.optimal, (1.0, 3.0))
    assert (model.value.sense, other.bound) == (pyo.maximize, 3.0)


@pytest.mark.parametrize("condition", [Condition.other, Condition.intermediateNonInteger])
def test_whatever_it_is_called_an_end_after_the_limit_is_one_of_time(condition, monkeypatch):
    case = form([1], [(-INF, [1], 3)], integer=[0])
    answer, _ = answer_of("xpress", monkeypatch, case, condition, (None, None))
    assert answer.reason is Reason.TIME_LIMIT
    assert answer.has_point is (condition == Condition.other)


def results(condition):
    return SimpleNamespace(solver=SimpleNamespace(termination_condition=condition))


@pytest.mark.parametrize(
    ("condition", "reason", "claim"),
    [
        (Condition.optimal, Reason.FINISHED, Conclusion.OPTIMAL),
        (Condition.locallyOptimal, Reason.FINISHED, Conclusion.OPTIMAL),
        (Condition.infeasible, Reason.FINISHED, Conclusion.INFEASIBLE),
        (Condition.maxTimeLimit, Reason.TIME_LIMIT, Conclusion.FEASIBLE),
        (Condition.maxIterations, Reason.ITERATION_LIMIT, Conclusion.FEASIBLE),
        (Condition.userInterrupt, Reason.INTERRUPTED, Conclusion.FEASIBLE),
        (Condition.error, Reason.ERROR, Conclusion.NONE),
        (Condition.other, Reason.ERROR, Conclusion.FEASIBLE),
    ],
)
def test_conditions_are_read_as_reason_and_claim(condition, reason, claim):
    assert _verdict(results(condition))[:2] == (reason, claim)


@pytest.mark.parametrize("condition", [Condition.unbounded, Condition.infeasibleOrUnbounded])
def test_a_direction_without_end_leaves_feasibility_open(condition):
    with pytest.raises(UndecidedRay):
        _verdict(results(condition))


def test_idle_columns_take_a_value_and_others_must_have_one():
    model = to_model(CASE)
    model.x[0].value, model.x[1].value = 1.0, 0.0
    # column 2 stands in no row and costs nothing: the bound nearest to 0, -2
    assert _point(model, CASE).tolist() == [1, 0, -2]
    # and 0 itself where the bounds allow it
    assert _point(model, CASE.replace(upper=np.array([INF, 5, 3]))).tolist() == [1, 0, 0]
    model.x[1].value = None
    assert _point(model, CASE) is None


def test_a_bound_is_that_of_the_sense_or_none():
    both = SimpleNamespace(problem=SimpleNamespace(lower_bound=1.0, upper_bound=2.0))
    assert _bound(both, CASE) == 2.0
    assert _bound(both, form([1])) == 1.0
    for nothing in (None, "unknown", INF):
        none = SimpleNamespace(problem=SimpleNamespace(lower_bound=nothing))
        assert math.isnan(_bound(none, form([1])))


@pytest.mark.parametrize("solver", BRINGS)
def test_pyomo_knows_every_one_and_it_is_said_how_to_get_it(solver):
    assert solver in pyo.SolverFactory
    assert how_to_get(solver).startswith(("install '", "put the program "))


def test_of_others_nothing_is_said():
    assert how_to_get("ipopt") == ""
    assert how_to_get("cbc") == "put the program cbc (Debian: coinor-cbc) on the path"
    assert how_to_get("xpress") == "install 'farkas[solvers]'"
