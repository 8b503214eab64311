"""Files of models as HiGHS reads them."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import numpy as np

from farkas.forms.model_text import read_model
from farkas.solvers.highs import new_solver


def agrees(path: Path) -> None:
    """Hold a reading as doubles against HiGHS's, whose columns may stand in another order."""
    solver = new_solver()
    solver.setOptionValue("small_matrix_value", 1e-12)
    solver.readModel(str(path))
    lp = solver.getLp()
    form = read_model(path, numbers="binary")
    ours = form.linear
    assert (lp.num_row_, lp.num_col_) == (ours.num_rows, ours.num_columns)
    order = [form.column_names.index(str(name)) for name in lp.col_names_]
    assert sorted(order) == list(range(ours.num_columns))
    assert lp.offset_ == ours.offset
    assert (int(lp.sense_) == 1) is (form.sense == "min")
    for theirs, mine in [
        (lp.col_cost_, ours.cost[order]), (lp.col_lower_, ours.lower[order]),
        (lp.col_upper_, ours.upper[order]),
        (lp.row_lower_, ours.row_lower), (lp.row_upper_, ours.row_upper),
        ([int(k) for k in lp.integrality_] or [0] * lp.num_col_, ours.integer[order].astype(int)),
    ]:  # fmt: skip
        np.testing.assert_array_equal(np.array(theirs), mine)
    assert len(lp.a_matrix_.value_) == form.num_entries
    point = np.arange(1.0, ours.num_columns + 1)
    sums = np.zeros(lp.num_row_)
    starts, index = np.array(lp.a_matrix_.start_), np.array(lp.a_matrix_.index_, dtype=int)
    values = np.array(lp.a_matrix_.value_)
    for j in range(lp.num_col_):
        here = slice(starts[j], starts[j + 1])
        np.add.at(sums, index[here], values[here] * point[order[j]])
    np.testing.assert_allclose(
        sums, [sum(float(F(v) / form.factors[i]) * point[j] for j, v in form.row(i))
               for i in range(form.num_rows)], rtol=1e-12, atol=1e-12,
    )  # fmt: skip
