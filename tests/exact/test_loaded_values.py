"""Points and duals go back into models as the packages' own solves leave them."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import gurobipy as gp
import highspy
import linopy
import numpy as np
import pyomo.environ as pyo
import pytest

import farkas
from farkas.errors import InvalidOption, NoAnswer

# max 3x + 2y or min -3x - 2y, x <= 4, x + 2y <= 7: x = 4, y = 3/2; one more of the row gives 1


@pytest.fixture(params=["max", "min"])
def sense(request: pytest.FixtureRequest) -> str:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=["solve", "prove"])
def load(request: pytest.FixtureRequest) -> Any:
    if request.param == "solve":
        return lambda model: farkas.solve(model, load=True)
    return lambda model: farkas.prove(model).load_into(model)


def sign(sense: str) -> int:
    return 1 if sense == "max" else -1


def test_pyomo(sense: str, load: Any) -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(domain=pyo.NonNegativeReals)
    model.cap = pyo.Constraint(expr=model.x + 2 * model.y <= 7)
    goal = sign(sense) * (3 * model.x + 2 * model.y)
    model.goal = pyo.Objective(expr=goal, sense={"max": pyo.maximize, "min": pyo.minimize}[sense])
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    load(model)
    ours = (model.x.value, model.y.value, model.dual[model.cap])
    assert ours == pytest.approx((4, 1.5, sign(sense)))
    pyo.SolverFactory("appsi_highs").solve(model)
    assert ours == pytest.approx((model.x.value, model.y.value, model.dual[model.cap]))


def test_cvxpy(sense: str, load: Any) -> None:
    x, y = cp.Variable(name="x"), cp.Variable(nonneg=True, name="y")
    rows = [x + 2 * y <= 7, x <= 4, x - y == 2.5]
    goal = cp.Maximize(3 * x + 2 * y) if sense == "max" else cp.Minimize(-3 * x - 2 * y)
    problem = cp.Problem(goal, rows)
    load(problem)
    ours = [x.value, y.value, problem.value, *(row.dual_value for row in rows[:2])]
    problem.solve(solver=cp.HIGHS)
    theirs = [x.value, y.value, problem.value, *(row.dual_value for row in rows[:2])]
    # at a degenerate vertex the duals may differ, their worth may not
    assert np.ravel(ours[:3]).tolist() == pytest.approx(np.ravel(theirs[:3]).tolist())
    assert ours[3] >= -1e-9
    assert ours[4] >= -1e-9
    assert 7 * ours[3] + 4 * ours[4] + 2.5 * float(rows[2].dual_value) == pytest.approx(
        7 * theirs[3] + 4 * theirs[4] + 2.5 * float(rows[2].dual_value), abs=5
    )


def test_duals_of_cvxpy_have_its_sign(sense: str, load: Any) -> None:
    x, y = cp.Variable(name="x"), cp.Variable(nonneg=True, name="y")
    rows = [x + 2 * y <= 7, x <= 4]
    goal = cp.Maximize(3 * x + 2 * y) if sense == "max" else cp.Minimize(-3 * x - 2 * y)
    problem = cp.Problem(goal, rows)
    load(problem)
    ours = [float(row.dual_value) for row in rows]
    problem.solve(solver=cp.HIGHS)
    assert ours == pytest.approx([float(row.dual_value) for row in rows])
    assert ours == pytest.approx([1, 2])


def test_gurobi(sense: str, load: Any) -> None:
    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as model:
        x, y = model.addVar(ub=4), model.addVar()
        cap = model.addConstr(x + 2 * y <= 7)
        model.setObjective(sign(sense) * (3 * x + 2 * y), -sign(sense))
        load(model)
        ours = (x.PStart, y.PStart, cap.DStart)
        assert ours == pytest.approx((4, 1.5, sign(sense)))
        model.optimize()
        assert ours == pytest.approx((x.X, y.X, cap.Pi))
        x.VType = "I"
        load(model)
        assert (x.Start, y.Start) == pytest.approx((4, 1.5))


def test_highspy(sense: str, load: Any) -> None:
    model = highspy.Highs()
    model.silent()
    x, y = model.addVariable(0, 4), model.addVariable(0)
    model.addConstr(x + 2 * y <= 7)
    (model.maximize if sense == "max" else model.minimize)(sign(sense) * (3 * x + 2 * y))
    theirs = model.getSolution()
    model.clearSolver()
    load(model)
    ours = model.getSolution()
    for name in ("col_value", "row_dual"):
        assert list(getattr(ours, name)) == pytest.approx(list(getattr(theirs, name))), name


@pytest.mark.ids(1)
def test_linopy(sense: str, load: Any) -> None:
    model = linopy.Model()
    x = model.add_variables(lower=0, upper=4, name="x")
    gone = model.add_variables(name="gone")
    y = model.add_variables(lower=0, coords=[range(2)], mask=[False, True], name="y")
    model.add_constraints(x + 2 * y.sum() <= 7, name="cap")
    model.add_objective(sign(sense) * (3 * x + 2 * y.sum()), sense=sense)
    assert gone.name == "gone"
    model.remove_variables("gone")
    load(model)
    ours = (float(x.solution), float(y.solution[1]), float(model.constraints["cap"].dual))
    assert ours == pytest.approx((4, 1.5, sign(sense)))
    assert np.isnan(y.solution[0])
    assert model.objective.value == pytest.approx(sign(sense) * 15)
    model.solve(solver_name="highs", progress=False)
    theirs = (float(x.solution), float(y.solution[1]), float(model.constraints["cap"].dual))
    assert ours == pytest.approx(theirs)


def test_another_or_a_changed_model_gets_no_values() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 4))
    model.goal = pyo.Objective(expr=model.x, sense=pyo.maximize)
    found, solution = farkas.prove(model), farkas.solve(model)
    model.x.setub(5)
    for result in (found, solution):
        with pytest.raises(InvalidOption, match="is not model any more"):
            result.load_into(model)
    with pytest.raises(InvalidOption, match="needs a model in memory"):
        farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", load=True)
    with pytest.raises(InvalidOption, match="an instance was solved"):
        farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]").load_into(model)
    model.no = pyo.Constraint(expr=model.x >= 6)
    with pytest.raises(NoAnswer, match="infeasible"):
        farkas.prove(model).load_into(model)


def test_results_answer_to_the_words_of_users() -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(domain=pyo.NonNegativeReals)
    model.cap = pyo.Constraint(expr=model.x + 2 * model.y <= 7)
    model.goal = pyo.Objective(expr=3 * model.x + 2 * model.y, sense=pyo.maximize)
    for result in (farkas.prove(model), farkas.solve(model, certify=True)):
        assert (result.status, float(result.objective), float(result.bound)) == ("optimal", 15, 15)
        assert float(result.gap) == 0
        assert {name: float(value) for name, value in result.x.items()} == {"x": 4, "y": 1.5}
        assert {name: float(value) for name, value in result.duals.items()} == {"cap": 1}
        assert result.solver == "highs"
        assert result.seconds >= 0
        assert result.summary().splitlines()[:2] == ["status:    optimal", "objective: 15"]
        assert list(result.to_pandas()["variable"]) == ["x", "y"]
    model.x.setub(0)
    assert list(farkas.prove(model).to_pandas()["value"]) == [0, 3.5]
    assert list(farkas.solve(model).to_pandas()["value"]) == [0, 3.5]
    model.x.setub(4)
    for result in (farkas.prove(model), farkas.solve(model, certify=True)):
        for other, word in (("ObjVal", "objective"), ("shadow_prices", "duals"), ("primal", "x"),
                            ("Runtime", "seconds"), ("MIPGap", "gap"), ("best_bound", "bound"),
                            ("termination_condition", "status")):  # fmt: skip
            with pytest.raises(AttributeError, match=f"no attribute '{other}'; use {word}$"):
                getattr(result, other)
        with pytest.raises(AttributeError, match="did you mean"):
            result.objectiv  # noqa: B018
    model.x.domain = pyo.Integers
    with pytest.raises(NoAnswer, match="no duals"):
        farkas.prove(model).duals  # noqa: B018
    with pytest.raises(NoAnswer, match="no row duals"):
        farkas.solve(model).duals  # noqa: B018


def test_the_base_of_all_errors_and_the_solvers_stand_at_the_top() -> None:
    assert issubclass(InvalidOption, farkas.FarkasError)
    names = {line.name for line in farkas.solvers()}
    assert {"highs", "gurobi", "scip", "pyomo:cbc", "cvxpy:SCS"} <= names


@pytest.mark.parametrize(("given", "resolved"), [
    ("GUROBI", "gurobi"), ("HiGHS", "highs"), ("appsi_highs", "pyomo:appsi_highs"),
    ("scs", "cvxpy:SCS"), ("Clarabel", "clarabel"), ("PYOMO:APPSI_HIGHS", "pyomo:appsi_highs"),
])  # fmt: skip
def test_solvers_are_known_by_the_names_of_other_packages(given: str, resolved: str) -> None:
    x = cp.Variable()
    problem = cp.Problem(cp.Minimize(x), [x >= 2])
    assert farkas.solve(problem, solver=given).objective == pytest.approx(2, abs=1e-5)
    from farkas.solvers.base import find

    assert find(given).name == resolved


@pytest.mark.parametrize("name", ["glpk", "cbc", "cplex", "XPRESS", "copt", "GLPK_MI"])
def test_a_solver_that_is_missing_says_what_brings_it(name: str) -> None:
    from farkas.solvers.base import find

    standing = find(name).availability()
    if not standing:
        assert "install" in standing.detail or "path" in standing.detail
