"""A linear program of packing that grows by columns and rows, and keeps its basis.

Columns share rows ``use x <= limit``, and each belongs to an owner, whose columns sum to 1 at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.numbers import Array, Floats, Ints
from farkas.solvers.base import solve
from farkas.solvers.highs import listening, new_solver
from farkas.solvers.options import CtrlC

#: HiGHS's numbers of its simplex methods.
DUAL, PRIMAL = 1, 4
OPTIMAL = 7
STOPPED = 13, 17  #: By the limit of time, by Ctrl-C.


class ColumnProgram:
    """The program inside HiGHS; a maximum.

    Rows are measured in units and values in the largest one, since HiGHS measures in absolute
    tolerances.

    ``owners``: How many there are.  ``unit``: Of values, > 0.
    """

    def __init__(self, owners: int, unit: float) -> None:
        self._solver: Any = new_solver()
        self._solver.setOptionValue("threads", 1)
        self._solver.setOptionValue("presolve", "off")
        self._solver.setOptionValue("solver", "simplex")
        self._unit, self._owners = unit, owners
        self._row_units = np.ones(0)
        self.columns = 0
        self._add_rows(sparse.csr_array((owners, 0)), np.ones(owners))

    @property
    def rows(self) -> int:
        """Number of rows but those of owners."""
        return len(self._row_units)

    def add_columns(self, owner: Ints, value: Floats, use: sparse.csr_array) -> None:
        """Append columns.

        ``owner``, ``value``: shape (columns,); ``use``: shape (columns, rows).
        """
        many = len(owner)
        once = sparse.csr_array(
            (np.ones(many), owner, np.arange(many + 1)), shape=(many, self._owners)
        )
        shares = use.multiply(1.0 / self._row_units[None, :]) if self.rows else use
        entries = sparse.hstack([once, shares]).tocsr()
        entries.eliminate_zeros()
        self._solver.addCols(
            many, value / -self._unit, np.zeros(many), np.full(many, np.inf), entries.nnz,
            entries.indptr.astype(np.int32), entries.indices.astype(np.int32), entries.data,
        )  # fmt: skip
        self.columns += many
        self._solver.setOptionValue("simplex_strategy", PRIMAL)

    def add_rows(self, use: sparse.csr_array, limits: Floats, units: Floats) -> None:
        """Append rows.

        ``use``: shape (rows, columns); ``limits``, ``units``: shape (rows,), >= 0 and > 0: what
        rows hold, and what they are measured in.
        """
        self._row_units = np.concatenate([self._row_units, units])
        self._add_rows(use.multiply(1.0 / units[:, None]).tocsr(), limits / units)
        self._solver.setOptionValue("simplex_strategy", DUAL)

    def _add_rows(self, use: sparse.csr_array, limits: Floats) -> None:
        use.eliminate_zeros()
        self._solver.addRows(
            len(limits), np.full(len(limits), -np.inf), limits, use.nnz,
            use.indptr.astype(np.int32), use.indices.astype(np.int32), use.data,
        )  # fmt: skip

    def value(self, columns: Ints, value: Floats) -> None:
        """Change values of columns."""
        if len(columns):
            self._solver.changeColsCost(len(columns), columns.astype(np.int32), value / -self._unit)
            self._solver.setOptionValue("simplex_strategy", PRIMAL)

    def solve(self, seconds: float) -> tuple[Floats, Floats, float] | None:
        """Go on from the last basis.

        Returns shares of columns, prices of rows and the value; None where HiGHS has no optimum in
        time.
        """
        solver = self._solver
        if self._run(seconds) not in (OPTIMAL, *STOPPED):
            solver.clearSolver()  # another basis may do where this one does not
            solver.setOptionValue("simplex_strategy", DUAL)
            self._run(seconds)
        if int(solver.getModelStatus()) != OPTIMAL:
            return None
        found = solver.getSolution()
        duals: Array = np.array(found.row_dual, dtype=np.float64)[self._owners :]
        prices = np.maximum(-duals, 0.0) * self._unit / self._row_units
        value = -float(solver.getInfoValue("objective_function_value")[1]) * self._unit
        return np.array(found.col_value, dtype=np.float64), prices, value

    def _run(self, seconds: float) -> int:
        """Run until the end, the limit or Ctrl-C; returns HiGHS's number of how it ended."""
        solver = self._solver
        solver.setOptionValue("time_limit", seconds + solver.getRunTime())
        with CtrlC() as key, listening(solver, key, log=False):
            solver.run()
        return int(solver.getModelStatus())


def best_columns(
    value: Floats,
    use: sparse.csr_array,
    limits: Floats,
    *,
    start: Floats | None = None,
    gap: float,
    nodes: int,
    seconds: float,
) -> Floats | None:
    """Choose whole columns of greatest value within limits.

    ``value``, ``use``, ``limits``: Shapes (columns,), (columns, rows), (rows,).  ``start``: Whole
    shares of columns that keep the limits.  ``gap``: Share of the value within which the choice is
    the best.  ``nodes``: Of the search, at most.  Returns: whole shares, shape (columns,); None
    where there is no answer in time.
    """
    units = np.where(limits > 0, limits, 1.0)
    rows = use.multiply(1.0 / units[None, :]).T.tocsr()
    rows.eliminate_zeros()
    form = LinearForm(
        name="choice of plans",
        sense="max",
        cost=value,
        matrix=rows_of_scipy(rows),
        row_lower=np.full(len(limits), -np.inf),
        row_upper=limits / units,
        lower=np.zeros(len(value)),
        upper=np.ones(len(value)),
        integer=np.ones(len(value), np.bool_),
    )
    answer = solve(
        form, start=start, gap=gap, threads=1, time_limit=seconds,
        solver_options={"mip_max_nodes": nodes},
    )  # fmt: skip
    return np.rint(answer.point) if answer.has_point else None
