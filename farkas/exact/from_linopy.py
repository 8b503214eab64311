"""Models of linopy."""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.exact.sources import from_arrays, refuse
from farkas.forms.rational import Numbers, RationalForm
from farkas.numbers import Floats


def read(model: Any, numbers: Numbers) -> RationalForm:
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


def load(model: Any, point: Floats, duals: Floats | None) -> None:
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
