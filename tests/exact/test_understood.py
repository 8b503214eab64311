"""Every part of a model that a package offers is understood, or refused by name."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import cvxpy as cp
import gurobipy as gp
import highspy
import linopy
import numpy as np
import pandas as pd
import pyomo.dae as dae
import pyomo.environ as pyo
import pytest
from pyomo import gdp, mpec, network
from pyomo.core.base.component import ModelComponentFactory

import farkas
from farkas.errors import InvalidOption, UnsupportedForm
from farkas.exact.from_pyomo import REMEDIES, UNDERSTOOD
from farkas.exact.sources import from_object

READ, REFUSED = True, False


def proved(model: Any) -> Any:
    return farkas.prove(model).value


# --- Pyomo


def two_sites() -> Any:
    """Minimise x + y with both in [0, 10]."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 10)), pyo.Var(bounds=(0, 10))
    model.goal = pyo.Objective(expr=model.x + model.y)
    return model


def disjunction() -> Any:
    model = two_sites()
    model.either = gdp.Disjunction(expr=[[model.x >= 5], [model.y >= 6]])
    return model


def logic() -> Any:
    model = two_sites()
    model.pick, model.z = pyo.BooleanVar([1, 2]), pyo.Var([1, 2], domain=pyo.Binary)
    for i in (1, 2):
        model.pick[i].associate_binary_var(model.z[i])
    model.both = pyo.LogicalConstraint(expr=model.pick[1].land(model.pick[2]))
    model.cap = pyo.Constraint(expr=model.x >= 5 * (model.z[1] + model.z[2]))
    return model


def complementarity() -> Any:
    model = two_sites()
    model.pair = mpec.Complementarity(expr=mpec.complements(model.x >= 1, model.y >= 2))
    return model


def arc() -> Any:
    model = two_sites()
    model.p, model.q = network.Port(), network.Port()
    model.p.add(model.x, "flow")
    model.q.add(model.y, "flow")
    model.link = network.Arc(source=model.p, dest=model.q)
    model.least = pyo.Constraint(expr=model.x >= 3)
    return model


@pytest.mark.parametrize(("build", "kind", "apply", "value"), [
    (disjunction, "Disjunct", ["gdp.bigm"], 5), (arc, "Arc", ["network.expand_arcs"], 6),
    (logic, "LogicalConstraint", ["core.logical_to_linear"], 10),
    (complementarity, "Complementarity", ["mpec.simple_disjunction", "gdp.bigm"], 3),
])  # fmt: skip
def test_a_part_of_pyomo_is_refused_until_its_transformation_makes_rows(
    build: Callable[[], Any], kind: str, apply: list[str], value: int
) -> None:
    with pytest.raises(UnsupportedForm, match=f"of type {kind}.*apply the transformation") as told:
        from_object(build(), "binary")
    assert all(name in str(told.value) for name in apply)
    model = build()
    for name in apply:
        pyo.TransformationFactory(name).apply_to(model)
    assert proved(model) == value


def test_every_type_of_component_of_pyomo_is_understood_or_refused() -> None:
    """Those of the version that is installed; the type alone decides."""
    known = {kind.__name__ for kind in UNDERSTOOD}
    names = {ModelComponentFactory.get_class(name).__name__ for name in ModelComponentFactory}
    assert {"Arc", "Disjunct", "Complementarity", "DerivativeVar"} <= names
    assert len(names) > 20
    for name in sorted(names - known):
        model = two_sites()
        kind = type(name, (), {})
        part = pyo.Block(concrete=True)
        part._ctype = kind  # a component of that type, whatever it holds
        model.add_component("part", part)
        with pytest.raises(UnsupportedForm, match=f"part, of type {name}"):
            from_object(model, "binary")
    assert set(REMEDIES) & known == set()


@pytest.mark.parametrize("domain", [
    [0, 3, 7], pyo.RangeSet(0, 10, 2), pyo.RangeSet(0, 10, 5), [0.5, 1.5], pyo.Reals - [3],
])  # fmt: skip
def test_domains_that_are_no_interval_are_refused(domain: Any) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=domain)
    model.goal = pyo.Objective(expr=model.x)
    with pytest.raises(UnsupportedForm, match="the domain of x"):
        from_object(model, "binary")


@pytest.mark.parametrize(("domain", "low", "high", "whole"), [
    (pyo.RangeSet(2, 7), 2, 7, True), (pyo.Binary, 0, 1, True), ([0, 1], 0, 1, True),
    (pyo.NegativeIntegers, -100, -1, True), (pyo.UnitInterval, 0, 1, False),
    (pyo.RangeSet(1.5, 4, 0), F(3, 2), 4, False), ([3, 4, 5], 3, 5, True),
])  # fmt: skip
def test_intervals_and_all_their_whole_numbers_are_read(
    domain: Any, low: Any, high: Any, whole: bool
) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=domain, bounds=(-100, 100))  # both count
    model.goal = pyo.Objective(expr=model.x)
    form = from_object(model, "binary")
    assert (form.lower[0], form.upper[0]) == (low, high)
    assert form.integer.tolist() == [whole]


def test_an_open_domain_is_read_as_closed_with_a_note() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.PositiveReals)
    model.goal = pyo.Objective(expr=model.x)
    found = farkas.prove(model)
    assert (found.value, found.notes) == (
        0,
        ("the open domain PositiveReals of x is read as closed",),
    )


@pytest.mark.parametrize("number", [math.inf, math.nan])
@pytest.mark.parametrize("relation", [">=", "==", "<="])
def test_a_side_that_no_point_keeps_is_refused(relation: str, number: float) -> None:
    model = two_sites()
    model.side = pyo.Param(initialize=number, mutable=True, within=pyo.Any)
    row = {">=": model.x >= model.side, "==": model.x == model.side, "<=": -model.x <= -model.side}
    model.row = pyo.Constraint(expr=row[relation])
    with pytest.raises(UnsupportedForm, match=r"a side of row is -?(inf|nan); no point"):
        from_object(model, "binary")


def test_a_fixed_variable_needs_a_value() -> None:
    model = two_sites()
    model.row = pyo.Constraint(expr=model.x + model.y >= 1)
    model.y.fixed = True
    with pytest.raises(UnsupportedForm, match=r"^(row row|the objective): "):
        from_object(model, "binary")


def test_parts_that_hold_no_rows_are_understood() -> None:
    model = two_sites()
    model.n = pyo.Set(initialize=[1, 2])
    model.r = pyo.RangeSet(3)
    model.p = pyo.Param(model.n, initialize=2, mutable=True)
    model.e = pyo.Expression(expr=model.x + model.p[1])
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    model.flag = pyo.BooleanVar()
    model.check = pyo.BuildCheck(rule=lambda m: True)
    model.port = network.Port()
    model.row = pyo.Constraint(expr=model.e >= 5)
    assert proved(model) == 3
    off = disjunction()
    off.either.deactivate()
    for part in off.either.disjuncts:
        part.deactivate()
    assert proved(off) == 0


def test_differential_parts_are_refused() -> None:
    model = two_sites()
    model.t = dae.ContinuousSet(bounds=(0, 1))
    model.z = pyo.Var(model.t)
    model.rate = dae.DerivativeVar(model.z, wrt=model.t)
    with pytest.raises(UnsupportedForm, match=r"dae\.finite_difference"):
        from_object(model, "binary")


# --- gurobipy


def gurobi_model() -> Any:
    return gp.Model(env=gp.Env(params={"OutputFlag": 0}))


def gurobi_parts() -> dict[str, tuple[bool, Callable[[Any, Any, Any], Any]]]:
    """What each public add or set method does to a model with x, y in [0, 9]; b is binary."""

    def general(name: str) -> Callable[[Any, Any, Any], Any]:
        given: dict[str, Callable[[Any, Any, Any], tuple[Any, ...]]] = {
            "Indicator": lambda m, x, y: (m.addVar(vtype="B"), 1, x <= 2),
            "PWL": lambda m, x, y: (x, y, [0, 1], [0, 2]),
            "Poly": lambda m, x, y: (x, y, [1, 2, 3]),
            "Norm": lambda m, x, y: (y, [x], 1),
            "NLAdv": lambda m, x, y: (y, [gp.GRB.OPCODE_VARIABLE], [x], [-1]),
            "NL": lambda m, x, y: (y, gp.nlfunc.exp(x)),
        }
        pair = lambda m, x, y: (x, y)  # noqa: E731
        listed = lambda m, x, y: (y, [x])  # noqa: E731
        powered = lambda m, x, y: (x, y, 2)  # noqa: E731
        arguments = given.get(name) or (
            listed if name in ("Max", "Min", "And", "Or") else
            powered if name in ("ExpA", "LogA", "Pow") else pair
        )  # fmt: skip

        def build(model: Any, x: Any, y: Any) -> None:
            if name in ("And", "Or"):
                x, y = model.addVar(vtype="B"), model.addVar(vtype="B")
            getattr(model, f"addGenConstr{name}")(*arguments(model, x, y))

        return build

    names = [n.removeprefix("addGenConstr") for n in dir(gp.Model) if n.startswith("addGenConstr")]
    return {
        **{f"addGenConstr{name}": (REFUSED, general(name)) for name in names},
        "addVar": (READ, lambda m, x, y: m.addVar()),
        "addVars": (READ, lambda m, x, y: m.addVars(2)),
        "addMVar": (READ, lambda m, x, y: m.addMVar(2)),
        "addConstr": (READ, lambda m, x, y: m.addConstr(x + y <= 4)),
        "addConstrs": (READ, lambda m, x, y: m.addConstrs(x <= i for i in range(2))),
        "addLConstr": (READ, lambda m, x, y: m.addLConstr(x + y <= 4)),
        "addMConstr": (READ, lambda m, x, y: m.addMConstr(np.eye(2), None, "<", np.ones(2))),
        "addRange": (READ, lambda m, x, y: m.addRange(x + y, 1, 2)),
        "addQConstr": (REFUSED, lambda m, x, y: m.addQConstr(x * y <= 4)),
        "addMQConstr": (REFUSED, lambda m, x, y: m.addMQConstr(
            np.eye(2), None, "<", 4.0, None, None, None, "q")),
        "addSOS": (REFUSED, lambda m, x, y: m.addSOS(1, [x, y], [1, 2])),
        "setObjective": (READ, lambda m, x, y: m.setObjective(x + 2, gp.GRB.MAXIMIZE)),
        "setMObjective": (REFUSED, lambda m, x, y: m.setMObjective(np.eye(2), None, 0.0)),
        "setObjectiveN": (REFUSED, lambda m, x, y: m.setObjectiveN(x, 0, weight=-1)),
        "setPWLObj": (REFUSED, lambda m, x, y: m.setPWLObj(x, [0, 1, 3], [0, 2, 1])),
        "setAttr": (READ, lambda m, x, y: x.setAttr("UB", 3)),
        "setParam": (READ, lambda m, x, y: m.setParam("Threads", 1)),
    }  # fmt: skip


def test_every_way_to_add_to_a_model_of_gurobi_is_read_or_refused() -> None:
    parts = gurobi_parts()
    offered = {name for name in dir(gp.Model) if name.startswith(("add", "set"))}
    assert offered == parts.keys(), "a version with another way needs an answer"
    for name, (read, build) in parts.items():
        model = gurobi_model()
        x, y = model.addVar(ub=9), model.addVar(ub=9)
        model.update()
        build(model, x, y)
        if read:
            assert from_object(model, "binary").num_columns >= 2, name
        else:
            with pytest.raises(UnsupportedForm, match="the model has"):
                from_object(model, "binary")


@pytest.mark.parametrize(("kind", "low", "high", "best"), [
    ("B", 0, 5, 1), ("B", -5, 1, 1), ("B", 0, 0, 0), ("B", 1, 1, 1), ("I", -5, 2.5, 2),
])  # fmt: skip
def test_a_binary_variable_of_gurobi_stays_within_0_and_1(
    kind: str, low: float, high: float, best: int
) -> None:
    model = gurobi_model()
    x = model.addVar(vtype=kind, obj=-1)
    model.update()
    x.LB, x.UB = low, high
    assert proved(model) == -best
    model.optimize()
    assert model.ObjVal == -best


@pytest.mark.parametrize("kind", ["S", "N"])
def test_semicontinuous_variables_and_scenarios_of_gurobi_are_refused(kind: str) -> None:
    model = gurobi_model()
    model.addVar(lb=1, ub=3, vtype=kind)
    with pytest.raises(UnsupportedForm, match="semicontinuous"):
        from_object(model, "binary")
    other = gurobi_model()
    other.addVar(ub=3)
    other.NumScenarios = 2
    with pytest.raises(UnsupportedForm, match="scenarios"):
        from_object(other, "binary")


# --- highspy


def highs_parts() -> dict[str, tuple[bool, Callable[[Any], Any]]]:
    none = (np.array([], dtype=np.int32), np.array([]))
    one = (np.array([0], dtype=np.int32), np.array([1.0]))
    goal = highspy.HighsLinearObjective()
    goal.weight, goal.offset, goal.priority, goal.coefficients = 1.0, 3.0, 1, [5.0]
    goal.abs_tolerance = goal.rel_tolerance = -1.0
    start = np.array([0], dtype=np.int32)
    return {
        "addVar": (READ, lambda h: h.addVar(0, 1)),
        "addVars": (READ, lambda h: h.addVars(1, np.zeros(1), np.ones(1))),
        "addVariable": (READ, lambda h: h.addVariable(0, 1)),
        "addVariables": (READ, lambda h: h.addVariables(2)),
        "addBinary": (READ, lambda h: h.addBinary()),
        "addBinaries": (READ, lambda h: h.addBinaries(2)),
        "addIntegral": (READ, lambda h: h.addIntegral(0, 4)),
        "addIntegrals": (READ, lambda h: h.addIntegrals(2)),
        "addCol": (READ, lambda h: h.addCol(1.0, 0.0, 2.0, 0, *none)),
        "addCols": (READ, lambda h: h.addCols(
            1, np.ones(1), np.zeros(1), np.ones(1), 0, start, *none)),
        "addRow": (READ, lambda h: h.addRow(0.0, 1.0, 1, *one)),
        "addRows": (READ, lambda h: h.addRows(1, np.zeros(1), np.ones(1), 1, start, *one)),
        "addConstr": (READ, lambda h: h.addConstr(h.getVariables()[0] <= 2)),
        "addConstrs": (READ, lambda h: h.addConstrs(h.getVariables()[0] <= k for k in (2, 3))),
        "addLinearObjective": (REFUSED, lambda h: h.addLinearObjective(goal)),
        "passHessian": (REFUSED, lambda h: h.passHessian(
            1, 1, 1, start, np.array([0], dtype=np.int32), np.array([2.0]))),
    }  # fmt: skip


def test_every_way_to_add_to_a_model_of_highspy_is_read_or_refused() -> None:
    parts = highs_parts()
    offered = {name for name in dir(highspy.Highs) if name.startswith("add")} | {"passHessian"}
    assert offered == parts.keys(), "a version with another way needs an answer"
    for name, (read, build) in parts.items():
        model = highspy.Highs()
        model.silent()
        model.addVariable(0, 9)
        build(model)
        if read:
            assert from_object(model, "binary").num_columns >= 1, name
        else:
            with pytest.raises(UnsupportedForm, match="the model has"):
                from_object(model, "binary")


@pytest.mark.parametrize("kind", ["kSemiContinuous", "kSemiInteger"])
def test_semicontinuous_columns_of_highspy_are_refused(kind: str) -> None:
    model = highspy.Highs()
    model.silent()
    model.addVariable(2, 5)
    model.changeColIntegrality(0, getattr(highspy.HighsVarType, kind))
    with pytest.raises(UnsupportedForm, match="semicontinuous"):
        from_object(model, "binary")


def test_models_of_highspy_need_neither_rows_nor_columns() -> None:
    model = highspy.Highs()
    model.silent()
    model.changeObjectiveOffset(3)
    assert proved(model) == 3
    model.addRow(1, 2, 0, [], [])
    assert farkas.prove(model).status == "infeasible"


# --- linopy


def linopy_model(**options: Any) -> tuple[linopy.Model, Any]:
    """Minimise the sum of x, three entries in [0, 10]."""
    model = linopy.Model()
    x = model.add_variables(
        lower=0, upper=10, coords=[pd.Index([0, 1, 2], name="i")], name="x", **options
    )
    model.add_objective(x.sum())
    return model, x


def linopy_parts() -> dict[str, tuple[bool, Callable[[Any, Any], Any]]]:
    def indicator(model: Any, x: Any) -> None:
        switch = model.add_variables(binary=True, name="switch")
        model.add_indicator_constraints(switch, 1, x.loc[0] >= 5)

    def curve(model: Any, x: Any) -> None:
        y = model.add_variables(lower=0, name="y")
        model.add_piecewise_formulation((x.loc[0], [0, 1, 3]), (y, [0, 2, 1]), method="sos2")

    return {
        "add_variables": (READ, lambda m, x: m.add_variables(name="y")),
        "add_constraints": (READ, lambda m, x: m.add_constraints(x.sum() >= 3)),
        "add_objective": (READ, lambda m, x: m.add_objective(2 * x.sum(), overwrite=True)),
        "add_expressions": (READ, lambda m, x: m.add_expressions(x.sum(), name="e")),
        "add_indicator_constraints": (REFUSED, indicator),
        "add_sos_constraints": (
            REFUSED, lambda m, x: m.add_sos_constraints(x, sos_type=1, sos_dim="i")),
        "add_piecewise_formulation": (REFUSED, curve),
    }  # fmt: skip


def test_every_way_to_add_to_a_model_of_linopy_is_read_or_refused() -> None:
    parts = linopy_parts()
    offered = {name for name in dir(linopy.Model) if name.startswith("add_")}
    assert offered == parts.keys(), "a version with another way needs an answer"
    for name, (read, build) in parts.items():
        model, x = linopy_model()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of linopy that are new
            build(model, x)
        if read:
            assert from_object(model, "binary").num_columns >= 3, name
        else:
            with pytest.raises(UnsupportedForm, match="the model has"):
                from_object(model, "binary")


def test_every_argument_of_linopy_is_known() -> None:
    """What a variable, a row or an objective may be; a version with more needs an answer."""
    known = {
        "add_variables": "lower upper coords name mask binary integer semi_continuous scaling"
        " kwargs",
        "add_constraints": "lhs sign rhs name coords mask freeze scaling penalty",
        "add_objective": "expr overwrite sense scaling",
    }
    for name, arguments in known.items():
        offered = set(inspect.signature(getattr(linopy.Model, name)).parameters) - {"self"}
        assert offered <= set(arguments.split()), name


@pytest.mark.parametrize("what", ["variable", "row", "objective"])
def test_scaled_models_of_linopy_are_refused(what: str) -> None:
    scaling = pd.Series([1, 10, 1], pd.Index([0, 1, 2], name="i"))
    model, x = linopy_model(**({"scaling": scaling} if what == "variable" else {}))
    model.add_constraints(x.sum() >= 3, scaling=5 if what == "row" else 1)
    if what == "objective":
        model.add_objective(x.sum(), scaling=7, overwrite=True)
    with pytest.raises(UnsupportedForm, match="scaled"):
        from_object(model, "binary")


def test_models_of_linopy_need_no_rows_and_their_binaries_stay_within_0_and_1() -> None:
    model = linopy.Model()
    x = model.add_variables(binary=True, name="x")
    model.add_objective(-1 * x)
    x.update(upper=7)
    assert proved(model) == -1
    semi = linopy.Model()
    y = semi.add_variables(lower=2, upper=5, name="y", semi_continuous=True)
    semi.add_objective(1 * y)
    with pytest.raises(UnsupportedForm, match="semicontinuous"):
        from_object(semi, "binary")


def test_indexes_of_several_levels_are_names() -> None:
    levels = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["site", "slot"])
    levels.name = "pair"
    model = linopy.Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # linopy will ask for flat indexes some day
        x = model.add_variables(lower=0, upper=3, coords=[levels], name="x")
    model.add_objective(x.sum(), sense="max")
    assert farkas.prove(model).x == {"x[a,1]": 3, "x[b,2]": 3}


# --- CVXPY


@pytest.mark.parametrize("attribute", [{"bounds": [0, 0]}, {"nonpos": True}])
def test_attributes_of_a_boolean_variable_intersect(attribute: dict[str, Any]) -> None:
    x = cp.Variable(boolean=True, **attribute)
    assert proved(cp.Problem(cp.Maximize(x))) == 0


@pytest.mark.parametrize("attribute", ["complex", "imag"])
def test_complex_variables_are_refused_by_name(attribute: str) -> None:
    x = cp.Variable(name="z", **{attribute: True})
    with pytest.raises(UnsupportedForm, match="variable z is complex"):
        from_object(cp.Problem(cp.Minimize(cp.real(x) + cp.imag(x)), [cp.imag(x) >= 1]), "binary")


def test_every_attribute_of_a_variable_of_cvxpy_is_known() -> None:
    known = (
        "nonneg nonpos pos neg complex imag symmetric diag PSD NSD hermitian boolean integer"
        " sparsity bounds"
    )
    assert set(cp.Variable(1).attributes) <= set(known.split()), "another one needs an answer"


def test_variables_of_one_name_are_told_apart_with_a_note() -> None:
    a, b = cp.Variable(name="x"), cp.Variable((2, 2), symmetric=True, name="x")
    rows = [a == 7, b[0, 0] == 1, b[0, 1] == 2, b[1, 1] == 3]
    found = farkas.prove(cp.Problem(cp.Minimize(a + cp.sum(b)), rows))
    assert found.x == {"x": 7, "x#2[0,0]": 1, "x#2[0,1]": 2, "x#2[1,0]": 2, "x#2[1,1]": 3}
    assert found.notes == ('several variables are called "x"; later ones have a number',)


# --- others


def test_models_of_other_packages_are_told_what_to_write() -> None:
    for package, writer in (("pulp", "writeLP"), ("pyscipopt", "writeProblem")):
        model = type("Model", (), {"__module__": f"{package}.model"})()
        with pytest.raises(InvalidOption, match=f"write an .lp or .mps file with its {writer}"):
            from_object(model, "binary")
