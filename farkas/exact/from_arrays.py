"""Models of gurobipy, highspy and linopy, which hand their arrays over."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from farkas.errors import UnsupportedForm
from farkas.exact.sources import from_arrays, refuse
from farkas.forms.rational import Numbers, RationalForm
from farkas.numbers import Floats


def read_gurobi(model: Any, numbers: Numbers) -> RationalForm:
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


def load_gurobi(model: Any, point: Floats, duals: Floats | None) -> None:
    """Set start values: ``Start``, of linear programs ``PStart`` and ``DStart``."""
    whole = model.IsMIP
    for variable, value in zip(model.getVars(), point.tolist(), strict=True):
        variable.setAttr("Start" if whole else "PStart", value)
    if duals is not None and not whole:
        for row, value in zip(model.getConstrs(), duals.tolist(), strict=True):
            row.DStart = value
    model.update()


def read_highs(model: Any, numbers: Numbers) -> RationalForm:
    """Read a ``highspy.Highs``: rows, columns, whole columns, one linear objective."""
    lp = model.getLp()
    kinds = [int(kind) for kind in lp.integrality_] or [0] * lp.num_col_
    refuse({
        "a quadratic objective": model.getHessianNumNz(),
        "a list of linear objectives": model.getNumLinearObjectives(),
        "semicontinuous or implicitly integer columns": any(kind > 1 for kind in kinds),
    })  # fmt: skip
    of_rows, of_columns = (
        (lp.row_lower_, lp.row_upper_),
        (lp.col_lower_, lp.col_upper_, lp.col_cost_),
    )
    held = [(lp.num_row_, of_rows), (lp.num_col_, of_columns)]
    if any(len(side) != count for count, sides in held for side in sides):
        raise UnsupportedForm(
            "the model holds a part of a row or column that HiGHS refused (addRow or addCol"
            " returned kError); make the model anew"
        )
    parts = (np.array(lp.a_matrix_.value_), np.array(lp.a_matrix_.index_))
    layout = sp.csc_array if int(lp.a_matrix_.format_) == 1 else sp.csr_array
    shape = (lp.num_row_, lp.num_col_)
    return from_arrays(
        name=str(lp.model_name_),
        sense="min" if int(lp.sense_) == 1 else "max",
        numbers=numbers,
        cost=np.array(lp.col_cost_),
        offset=float(lp.offset_),
        matrix=layout((*parts, np.array(lp.a_matrix_.start_)), shape=shape) if all(shape) else None,
        row_lower=np.array(lp.row_lower_),
        row_upper=np.array(lp.row_upper_),
        lower=np.array(lp.col_lower_),
        upper=np.array(lp.col_upper_),
        integer=[kind == 1 for kind in kinds],
        row_names=list(lp.row_names_),
        column_names=list(lp.col_names_),
    )


def load_highs(model: Any, point: Floats, duals: Floats | None) -> None:
    """Hand a solution to HiGHS, from which its next run starts.

    HiGHS 1.15 makes the duals of columns itself, with a wrong sign; those of rows are ours.
    """
    import highspy

    solution = highspy.HighsSolution()
    solution.col_value, solution.value_valid = point.tolist(), True
    if duals is not None:
        solution.row_dual, solution.dual_valid = duals.tolist(), True
    model.setSolution(solution)


def read_linopy(model: Any, numbers: Numbers) -> RationalForm:
    """Read a ``linopy.Model``: linear rows, whole and binary columns, a linear objective."""
    refuse({"a quadratic objective": model.is_quadratic})
    parts = model.matrices
    kinds = [str(kind) for kind in parts.vtypes]
    scaled = [
        *(not np.all(v.scaling == 1) for _, v in model.variables.items()),
        *(not np.all(row.scaling == 1) for _, row in model.constraints.items()),
        model.objective.scaling != 1,
    ]
    refuse({
        "indicator rows": len(model.indicator_constraints),
        "special ordered sets (reformulate_sos_constraints makes rows of them)": len(
            model.variables.sos
        ),
        "scaled variables, rows or objective (set their scaling to 1)": any(scaled),
        "semicontinuous columns": set(kinds) - set("BIC"),
    })  # fmt: skip
    sides = np.asarray(parts.b, dtype=np.float64)
    relations = np.array([str(relation)[0] for relation in parts.sense], dtype="U1")

    def names(labelled: Any, labels: Any) -> list[str]:
        places = labelled.get_label_position(np.asarray(labels)) if len(labels) else []
        return [
            f"{name}[{','.join(_index(at) for at in index.values())}]" if index else str(name)
            for name, index in places
        ]

    return from_arrays(
        name="model",
        sense="max" if model.objective.sense == "max" else "min",
        numbers=numbers,
        cost=np.asarray(parts.c, dtype=np.float64),
        offset=0.0,
        matrix=parts.A,
        row_lower=np.where(relations == "<", -np.inf, sides),
        row_upper=np.where(relations == ">", np.inf, sides),
        lower=np.asarray(parts.lb, dtype=np.float64),
        upper=np.asarray(parts.ub, dtype=np.float64),
        integer=[kind != "C" for kind in kinds],
        binary=[kind == "B" for kind in kinds],
        row_names=names(model.constraints, parts.clabels),
        column_names=names(model.variables, parts.vlabels),
    )


def load_linopy(model: Any, point: Floats, duals: Floats | None) -> None:
    """Set ``solution`` and ``dual`` as linopy's own solvers do."""
    from linopy.constants import Result, Solution, Status

    parts = model.matrices
    found = Solution(
        primal=_by_label(parts.vlabels, point),
        dual=np.array([]) if duals is None else _by_label(parts.clabels, duals),
        objective=float(np.asarray(parts.c, dtype=np.float64) @ point),
    )
    model.assign_result(Result(Status.from_termination_condition("optimal"), found))


def _index(at: Any) -> str:
    """``2`` and, of several levels, ``a,2``."""
    return ",".join(map(str, at)) if isinstance(at, tuple) else str(at)


def _by_label(labels: Any, values: Floats) -> Floats:
    """Values at their labels; NaN at those of masked or removed parts."""
    found = np.full(int(max(labels, default=-1)) + 1, np.nan)
    found[labels] = values
    return found
