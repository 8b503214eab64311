"""Models of other packages."""

from __future__ import annotations

from fractions import Fraction as F

import cvxpy as cp
import highspy
import linopy
import numpy as np
import pandas as pd
import pyomo.environ as pyo
import pytest
import xarray as xr

import farkas
from farkas.errors import InvalidOption, UnsupportedForm
from farkas.exact.solver import prove_form
from farkas.exact.sources import from_arrays, from_object
from farkas.forms.rational import RationalForm


def sides(form: RationalForm, i: int) -> tuple[F | None, F | None]:
    low, high = (None if x is None else x / form.factors[i]
                 for x in (form.row_lower[i], form.row_upper[i]))  # fmt: skip
    return low, high


def pyomo_model() -> pyo.ConcreteModel:
    model = pyo.ConcreteModel(name="plan")
    model.x = pyo.Var([1, 2], domain=pyo.NonNegativeIntegers)
    model.y = pyo.Var(bounds=(0, 2.5))
    model.b = pyo.Var(domain=pyo.Binary)
    model.goal = pyo.Objective(
        expr=3 * model.x[1] + 2 * model.x[2] + model.y + 0.1 * model.b + 1, sense=pyo.maximize
    )
    model.cap = pyo.Constraint(expr=model.x[1] + model.x[2] <= 4)
    model.mix = pyo.Constraint(expr=(1, 2 * model.x[1] + model.x[2] + model.y + 0.5, 5.5))
    return model


def test_pyomo() -> None:
    form = from_object(pyomo_model(), "decimal")
    assert (form.name, form.sense, form.offset) == ("plan", "max", 1)
    assert form.column_names == ("x[1]", "x[2]", "y", "b")
    assert form.row_names == ("cap", "mix")
    assert form.cost == (3, 2, 1, F(1, 10))
    assert [sides(form, i) for i in range(2)] == [(None, 4), (F(1, 2), 5)]
    assert form.upper == (None, None, F(5, 2), 1)
    assert form.integer.tolist() == [True, True, False, True]
    # x = (1, 3) uses 5 of 5 and reaches 9; x = (0, 4) with y = 1 reaches 9 as well
    assert prove_form(form).value == F(101, 10)
    assert from_object(pyomo_model(), "binary").cost[3] == F(0.1)


def test_pyomo_with_fixed_and_inactive_parts() -> None:
    model = pyomo_model()
    model.y.fix(2.0)
    model.cap.deactivate()
    form = from_object(model, "decimal")
    assert form.column_names == ("x[1]", "x[2]", "b")
    assert form.row_names == ("mix",)
    assert form.offset == 3
    assert sides(form, 0) == (F(-3, 2), 3)


def test_pyomo_refuses_what_is_not_linear_by_name() -> None:
    model = pyomo_model()
    model.curve = pyo.Constraint(expr=model.y**2 <= 2)
    with pytest.raises(UnsupportedForm, match="curve is not linear"):
        from_object(model, "binary")
    twice = pyomo_model()
    twice.other = pyo.Objective(expr=twice.y)
    with pytest.raises(UnsupportedForm, match="2 active objectives"):
        from_object(twice, "binary")
    sets = pyomo_model()
    sets.sos = pyo.SOSConstraint(var=sets.x, sos=1)
    with pytest.raises(UnsupportedForm, match="sos, of type SOSConstraint"):
        from_object(sets, "binary")


def test_cvxpy() -> None:
    x, y = cp.Variable(3, integer=True, name="x"), cp.Variable(name="y", nonneg=True)
    rows = [x <= 3.25, x[0] + 2 * x[1] <= 5, y >= 0.25, x >= -1, cp.abs(x[2]) <= 1]
    problem = cp.Problem(cp.Maximize(cp.sum(x) * 1.5 - y + 2), rows)
    found = prove_form(from_object(problem, "binary"))
    # x = (3, 1, 1): 7.5 - 0.25 + 2
    assert found.value == F(37, 4)
    assert float(found.value) == pytest.approx(problem.solve(solver=cp.HIGHS))
    with pytest.raises(UnsupportedForm):
        from_object(cp.Problem(cp.Minimize(cp.square(y)), [y >= 1]), "binary")
    with pytest.raises(UnsupportedForm):
        from_object(cp.Problem(cp.Minimize(cp.norm(x)), [x >= 1]), "binary")


def test_highs() -> None:
    model = highspy.Highs()
    model.silent()
    a, b = model.addVariable(0, 4, name="a"), model.addIntegral(0, 4, name="b")
    model.addConstr(a + 2 * b <= 5.3, name="cap")
    model.maximize(a + 3 * b)
    form = from_object(model, "decimal")
    assert (form.sense, form.column_names, form.row_names) == ("max", ("a", "b"), ("cap",))
    assert sides(form, 0) == (None, F(53, 10))
    assert form.integer.tolist() == [False, True]
    assert prove_form(form).value == F(73, 10)


def test_gurobi() -> None:
    gurobipy = pytest.importorskip("gurobipy")
    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model("g", env=env) as model:
        u, v = model.addVar(vtype="I", name="u", ub=10), model.addVar(name="v")
        model.addConstr(2 * u + v <= 7.5, name="c")
        model.addRange(u - v, -1, 2, "rg")
        model.setObjective(3 * u + v, gurobipy.GRB.MAXIMIZE)
        found = prove_form(from_object(model, "binary"))
        model.optimize()
        assert found.value is not None
        assert float(found.value) == pytest.approx(model.ObjVal)
        model.setObjective(u * u)
        with pytest.raises(UnsupportedForm, match="quadratic objective"):
            from_object(model, "binary")


def test_binary_columns_without_ends_are_0_or_1() -> None:
    form = from_arrays(
        name="", sense="min", numbers="binary", cost=np.ones(3), offset=0.0, matrix=None,
        row_lower=np.zeros(0), row_upper=np.zeros(0), lower=np.full(3, -np.inf),
        upper=np.full(3, np.inf), integer=[True, True, True], binary=[True, True, False],
    )  # fmt: skip
    assert (form.lower, form.upper) == ((0, 0, None), (1, 1, None))


def test_another_object_is_refused_by_its_type() -> None:
    with pytest.raises(InvalidOption, match="model cannot be 3: give the path"):
        from_object(3, "binary")
    with pytest.raises(InvalidOption, match="pyomo"):
        from_object(object(), "binary")


def parts_of_models() -> dict[str, object]:
    plan, blocks = pyomo_model(), pyo.ConcreteModel()
    blocks.part = pyo.Block([1, 2])
    highs = highspy.Highs()
    highs.silent()
    variable = cp.Variable(2)
    return {
        "cvxpy variable": variable, "cvxpy constraint": variable >= 0, "cvxpy sum": variable + 1,
        "cvxpy objective": cp.Minimize(cp.sum(variable)), "pyomo variable": plan.y,
        "pyomo variables": plan.x, "pyomo row": plan.cap, "pyomo blocks": blocks.part,
        "highspy variable": highs.addVariable(0, 1), "highspy program": highs.getLp(),
    }  # fmt: skip


@pytest.mark.parametrize("name", parts_of_models())
def test_a_part_of_a_model_is_refused_with_what_is_read(name: str) -> None:
    known = (
        "a model: cvxpy.Problem, gurobipy.Model, highspy.Highs, linopy.Model,"
        " pyomo.AbstractModel, pyomo.BlockData, pyomo.ConcreteModel, not "
    )
    with pytest.raises(InvalidOption) as refusal:
        from_object(parts_of_models()[name], "binary")
    assert known in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_models_of_derived_classes_are_models() -> None:
    class Plan(pyo.ConcreteModel):  # type: ignore[misc]
        pass

    class Task(cp.Problem):  # type: ignore[misc]
        pass

    plan = Plan()
    plan.x = pyo.Var(bounds=(1, 2))
    plan.cost = pyo.Objective(expr=plan.x)
    x = cp.Variable()
    for one in (plan, Task(cp.Minimize(x), [x >= 1])):
        assert prove_form(from_object(one, "binary")).value == 1


def test_names_and_data_of_pyomo() -> None:
    model = pyo.ConcreteModel()
    model.part = pyo.Block([1])
    model.part[1].x = pyo.Var(bounds=(1, 2))
    model.part[1].cost = pyo.Objective(expr=model.part[1].x)
    assert from_object(model, "binary").name == "model"
    found = from_object(model.part[1], "binary")  # a part that is a program itself
    assert (found.name, prove_form(found).value) == ("part[1]", 1)
    for raw in (pyo.AbstractModel(), pyo.Block()):
        with pytest.raises(InvalidOption, match=r"no data yet; give what its create_instance\(\)"):
            from_object(raw, "binary")


def test_what_cvxpy_adds_is_no_value() -> None:
    # |x - 1| + |y[0] - 2| + |y[1]| at most 1/2 in all, worth x + y[0]: needs columns of CVXPY
    x, y = cp.Variable(name="x"), cp.Variable(2, name="y")
    far = cp.abs(x - 1) + cp.sum(cp.abs(y - np.array([2.0, 0.0])))
    problem = cp.Problem(cp.Maximize(x + y[0]), [far <= 0.5])
    form = from_object(problem, "binary")
    assert form.num_columns > 3
    own = {form.column_name(j) for j in range(form.num_columns) if j not in form.auxiliary}
    assert own == {"x", "y[0]", "y[1]"}
    found = prove_form(form)
    assert found.value == F(7, 2)
    assert sum(found.values().values()) == F(7, 2)
    assert set(found.values()) <= own
    assert set(found.to_builtins(point=True)["point"]) == set(found.values())
    assert found.point is not None
    assert any(found.point[j] for j in form.auxiliary)
    solution = farkas.solve(problem)
    assert set(solution.values()) <= own
    assert sum(solution.values().values()) == pytest.approx(3.5)
    # a variable that its user called so is the user's
    mine = cp.Variable(1, name="auxiliary")
    found = prove_form(from_object(cp.Problem(cp.Minimize(mine[0]), [mine >= 1]), "binary"))
    assert found.values() == {"auxiliary[0]": 1}


def test_linopy() -> None:
    jobs = pd.Index(["a", "b"], name="job")
    model = linopy.Model()
    x = model.add_variables(lower=0, upper=4, coords=[jobs], name="x", integer=True)
    y = model.add_variables(lower=0, name="y")
    use, worth = xr.DataArray([3, 2], coords=[jobs]), xr.DataArray([2, 1], coords=[jobs])
    model.add_constraints((use * x).sum() + y <= 10.5, name="cap")
    model.add_constraints(x.isel(job=0, drop=True) + y >= 1, name="least")
    model.add_objective((worth * x).sum() + 0.25 * y, sense="max")
    form = from_object(model, "binary")
    assert form.column_names == ("x[a]", "x[b]", "y")
    assert form.row_names == ("cap", "least")
    assert (form.row_lower, form.row_upper) == ((None, 1), (F(21, 2), None))
    assert form.integer.tolist() == [True, True, False]
    found = prove_form(form)
    assert (found.value, found.values()) == (F(51, 8), {"x[a]": 3, "y": F(3, 2)})


@pytest.mark.parametrize("place", ["side", "factor", "bound", "variable"])
def test_models_of_pyomo_whose_numbers_are_missing_are_refused(place: str) -> None:
    model = pyo.ConcreteModel()
    model.x, model.z, model.p = pyo.Var(bounds=(0, 5)), pyo.Var(), pyo.Param(mutable=True)
    model.goal = pyo.Objective(expr=model.x)
    words = {"side": "a side of row", "factor": "row row: ", "bound": "a bound of x"}
    if place == "bound":
        model.x.setub(model.p)
    elif place == "variable":
        model.z.fixed = True
        model.row = pyo.Constraint(expr=model.x <= model.z)
    else:
        factor, end = (1, model.p) if place == "side" else (model.p, 1)
        model.row = pyo.Constraint(expr=factor * model.x <= end)
    with pytest.raises(UnsupportedForm, match=words.get(place, "row row: z is fixed and has no")):
        from_object(model, "binary")


def test_a_row_that_highs_refused_in_part_is_not_read() -> None:
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    for _ in range(2):
        model.addVar(0.0, 10.0)
    twice = np.array([0, 0], dtype=np.int32), np.ones(2)
    assert model.addRow(-1e30, 4.0, 2, *twice) == highspy.HighsStatus.kError
    with pytest.raises(UnsupportedForm, match="a part of a row or column that HiGHS refused"):
        from_object(model, "binary")


def test_problems_of_cvxpy_without_variables_values_or_convexity_are_refused() -> None:
    x, factor = cp.Variable(), cp.Parameter(name="rate")
    for problem, words in (
        (cp.Problem(cp.Minimize(3)), "no variables"),
        (cp.Problem(cp.Minimize(factor * x), [x >= 1]), "parameter rate has no value"),
        (cp.Problem(cp.Minimize(cp.sqrt(x)), [x >= 1]), "no linear or integer program"),
    ):
        with pytest.raises(UnsupportedForm, match=words):
            from_object(problem, "binary")
    factor.value = 2.0
    form = from_object(cp.Problem(cp.Minimize(factor * x), [x >= 1]), "binary")
    assert farkas.prove(form).value == 2
