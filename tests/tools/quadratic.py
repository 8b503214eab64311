"""Quadratic Pyomo models, solved by SCIP."""

from __future__ import annotations

import pyomo.environ as pyo
import pyscipopt as scip

from farkas.solvers import availability


def scip_optimum(model: pyo.ConcreteModel) -> float:
    """Maximum by SCIP's own modelling interface; variables are nonnegative and at most 50."""
    # SCIP is promised: without it these tests fail instead of being skipped
    assert availability("scip")
    made = scip.Model()
    made.hideOutput()
    of = {}
    for variable in model.component_data_objects(pyo.Var):
        kind = "B" if variable.is_binary() else "I" if variable.is_integer() else "C"
        of[id(variable)] = made.addVar(vtype=kind, lb=0, ub=1 if kind == "B" else 50)

    def translate(expression):
        from pyomo.repn import generate_standard_repn

        repn = generate_standard_repn(expression, quadratic=True)
        assert repn.nonlinear_expr is None
        total = repn.constant
        for factor, variable in zip(repn.linear_coefs, repn.linear_vars, strict=True):
            total = total + factor * of[id(variable)]
        for factor, (one, other) in zip(repn.quadratic_coefs, repn.quadratic_vars, strict=True):
            total = total + factor * of[id(one)] * of[id(other)]
        return total

    for constraint in model.component_data_objects(pyo.Constraint, active=True):
        body = translate(constraint.body)
        if isinstance(body, int | float):
            continue
        if constraint.has_lb():
            made.addCons(body >= pyo.value(constraint.lower))
        if constraint.has_ub():
            made.addCons(body <= pyo.value(constraint.upper))
    goal = made.addVar(lb=None)
    (objective,) = model.component_data_objects(pyo.Objective)
    made.addCons(goal <= translate(objective.expr))
    made.setObjective(goal, "maximize")
    made.optimize()
    assert made.getStatus() == "optimal"
    return made.getObjVal()
