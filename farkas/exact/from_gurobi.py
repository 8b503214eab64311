"""Models of gurobipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.exact.sources import from_arrays, refuse
from farkas.forms.rational import Numbers, RationalForm
from farkas.numbers import Floats


def read(model: Any, numbers: Numbers) -> RationalForm:
    """Read a ``gurobipy.Model``: linear rows, whole and binary columns, one linear objective."""
    model.update()
    variables, rows = model.getVars(), model.getConstrs()
    kinds = [v.VType for v in variables]
    refuse({
        "a quadratic objective": model.IsQP,
        "quadratic rows": model.IsQCP,
        "special ordered sets": model.NumSOS,
        "general constraints": model.NumGenConstrs,
        "a piecewise linear objective": model.NumPWLObjVars,
        "several objectives": model.IsMultiObj,
        "scenarios (NumScenarios; read one with singleScenarioModel)": model.NumScenarios,
        "semicontinuous columns": set(kinds) - set("CBI"),
    })  # fmt: skip
    sides = np.array([row.RHS for row in rows], dtype=np.float64)
    senses = np.array([row.Sense for row in rows], dtype="U1")
    return from_arrays(
        name=model.ModelName,
        sense="min" if model.ModelSense == 1 else "max",
        numbers=numbers,
        cost=np.array([v.Obj for v in variables]),
        offset=float(model.ObjCon),
        matrix=model.getA() if rows and variables else None,
        row_lower=np.where(senses == "<", -np.inf, sides),
        row_upper=np.where(senses == ">", np.inf, sides),
        lower=np.array([v.LB for v in variables]),
        upper=np.array([v.UB for v in variables]),
        integer=[kind != "C" for kind in kinds],
        binary=[kind == "B" for kind in kinds],
        row_names=[row.ConstrName for row in rows],
        column_names=[v.VarName for v in variables],
    )


def load(model: Any, point: Floats, duals: Floats | None) -> None:
    """Set start values: ``Start``, of linear programs ``PStart`` and ``DStart``."""
    whole = model.IsMIP
    for variable, value in zip(model.getVars(), point.tolist(), strict=True):
        variable.setAttr("Start" if whole else "PStart", value)
    if duals is not None and not whole:
        for row, value in zip(model.getConstrs(), duals.tolist(), strict=True):
            row.DStart = value
    model.update()
