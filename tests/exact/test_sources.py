"""Models of other packages."""

from __future__ import annotations

from fractions import Fraction as F

import cvxpy as cp
import highspy
import pyomo.environ as pyo
import pytest

from farkas.errors import InvalidOption, UnsupportedForm
from farkas.exact.proving import prove_form
from farkas.exact.sources import from_object
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
    with pytest.raises(UnsupportedForm, match="special ordered"):
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


def test_another_object_is_refused_by_its_type() -> None:
    with pytest.raises(InvalidOption, match="cannot prove a int"):
        from_object(3, "binary")
    with pytest.raises(InvalidOption, match="pyomo"):
        from_object(object(), "binary")
