"""Models of highspy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from farkas.exact.sources import from_arrays, refuse
from farkas.forms.rational import Numbers, RationalForm
from farkas.numbers import Floats


def read(model: Any, numbers: Numbers) -> RationalForm:
    """Read a ``highspy.Highs``: rows, columns, whole columns, one linear objective."""
    lp = model.getLp()
    kinds = [int(kind) for kind in lp.integrality_] or [0] * lp.num_col_
    refuse({
        "a quadratic objective": model.getHessianNumNz(),
        "a list of linear objectives": model.getNumLinearObjectives(),
        "semicontinuous or implicitly integer columns": any(kind > 1 for kind in kinds),
    })  # fmt: skip
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


def load(model: Any, point: Floats, duals: Floats | None) -> None:
    """Hand a solution to HiGHS, from which its next run starts.

    HiGHS 1.15 makes the duals of columns itself, with a wrong sign; those of rows are ours.
    """
    import highspy

    solution = highspy.HighsSolution()
    solution.col_value, solution.value_valid = point.tolist(), True
    if duals is not None:
        solution.row_dual, solution.dual_valid = duals.tolist(), True
    model.setSolution(solution)
