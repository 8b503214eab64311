"""A linear program that stays in HiGHS with its basis: what exact vertices and trees start from.

Statuses of a basis are HiGHS's own: :data:`LOWER`, :data:`BASIC`, :data:`UPPER`, :data:`FREE`.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.numbers import Array, Floats
from farkas.solvers.highs import new_solver, pass_form
from farkas.tolerances import DROPPED

LOWER, BASIC, UPPER, FREE, NONBASIC = range(5)


class End(enum.Enum):
    """How a simplex run ended, by the word of HiGHS."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    CUTOFF = "cutoff"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


_ENDS = {
    7: End.OPTIMAL,
    6: End.OPTIMAL,
    8: End.INFEASIBLE,
    9: End.UNBOUNDED,  # or infeasible: who asks finds out by looking for a point
    10: End.UNBOUNDED,
    11: End.CUTOFF,
    13: End.STOPPED,
    14: End.STOPPED,
}


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Status of every column and row.

    Parameters
    ----------
    columns, rows
        Shapes (columns,) and (rows,), int8.
    """

    columns: Array
    rows: Array

    def extended(self, rows: int) -> Basis:
        """Return the basis with further rows, whose slacks are basic."""
        more = np.full(rows - len(self.rows), BASIC, dtype=np.int8)
        return Basis(self.columns, np.concatenate([self.rows, more]))


class Simplex:
    """Warm simplex runs on one linear program; integrality is ignored.

    Parameters
    ----------
    form
        The program, as its solver sees it.

    Raises
    ------
    NoAnswer
        HiGHS refuses numbers as large as the form's.
    """

    def __init__(self, form: LinearForm) -> None:
        self._solver = new_solver()
        self._set("small_matrix_value", 1e-12)  # its least: no entry is dropped
        self._set("threads", 1)
        self.num_rows, self.num_columns = form.num_rows, form.num_columns
        relaxed = form.replace(integer=np.zeros(form.num_columns, dtype=bool))
        try:
            pass_form(self._solver, relaxed)
        except RuntimeError as failure:
            raise NoAnswer(
                f"{form.name}: {failure}: numbers of this size; measure rows and columns in other"
                " units"
            ) from None
        self._form = form
        self._every = np.arange(form.num_columns, dtype=np.int32)

    def _set(self, name: str, value: Any) -> None:
        self._solver.setOptionValue(name, value)

    def run(
        self,
        *,
        seconds: float = float("inf"),
        presolve: bool = False,
        method: str = "choose",
        primal: bool = False,
        tolerance: float = DROPPED,
        iterations: int | None = None,
        cutoff: float | None = None,
    ) -> End:
        """Run from the basis there is.

        Parameters
        ----------
        seconds
            Time limit of this run.
        method
            ``"choose"``, ``"simplex"``, ``"ipm"``.
        primal
            Primal instead of dual simplex.
        tolerance
            Absolute violation of rows, bounds and reduced costs.
        iterations
            Limit of simplex iterations.
        cutoff
            Objective, in the program's sense of a minimum, beyond which the run may stop.
        """
        solver = self._solver
        self._set("time_limit", seconds + solver.getRunTime())
        self._set("presolve", "on" if presolve else "off")
        self._set("solver", method)
        self._set("simplex_strategy", 4 if primal else 1)
        self._set("primal_feasibility_tolerance", tolerance)
        self._set("dual_feasibility_tolerance", tolerance)
        self._set("simplex_iteration_limit", 2**31 - 1 if iterations is None else iterations)
        self._set("objective_bound", float("inf") if cutoff is None else cutoff)
        solver.run()
        return _ENDS.get(int(solver.getModelStatus()), End.UNKNOWN)

    @property
    def basis(self) -> Basis | None:
        """The basis at the end of the last run; None where there is none."""
        found = self._solver.getBasis()
        if not found.valid:
            return None
        columns = np.fromiter(map(int, found.col_status), dtype=np.int8)
        rows = np.fromiter(map(int, found.row_status), dtype=np.int8)
        return Basis(columns, rows)

    def start(self, basis: Basis) -> None:
        """Start the next run from a basis."""
        from highspy import _core

        kinds = [_core.HighsBasisStatus(k) for k in range(5)]
        given = _core.HighsBasis()
        given.col_status = [kinds[k] for k in basis.columns.tolist()]
        given.row_status = [kinds[k] for k in basis.rows.tolist()]
        given.valid = True
        self._solver.setBasis(given)

    def cross_over(self, point: Floats, row_duals: Floats) -> Basis | None:
        """Find a basis near a point that came from anywhere; None where that fails.

        Parameters
        ----------
        point, row_duals
            Shapes (columns,) and (rows,).
        """
        from highspy import _core

        matrix = self._form.matrix
        given = _core.HighsSolution()
        given.col_value = point.tolist()
        given.row_value = np.bincount(
            matrix.rows, matrix.values * point[matrix.columns], minlength=self.num_rows
        ).tolist()
        given.row_dual = row_duals.tolist()
        paid = np.bincount(
            matrix.columns, matrix.values * row_duals[matrix.rows], minlength=self.num_columns
        )
        given.col_dual = (self._form.cost - paid).tolist()
        given.value_valid = given.dual_valid = True
        self._set("presolve", "off")
        self._solver.crossover(given)
        return self.basis

    @property
    def point(self) -> Floats:
        """Values of the columns at the end of the last run, shape (columns,)."""
        return np.array(self._solver.getSolution().col_value, dtype=np.float64)

    @property
    def row_duals(self) -> Floats:
        """Multipliers at the end of the last run, shape (rows,)."""
        return np.array(self._solver.getSolution().row_dual, dtype=np.float64)

    @property
    def reduced_costs(self) -> Floats:
        """Reduced costs at the end of the last run, shape (columns,)."""
        return np.array(self._solver.getSolution().col_dual, dtype=np.float64)

    @property
    def ray(self) -> Floats | None:
        """Multipliers that should prove infeasibility, shape (rows,); None without."""
        _status, found, ray = self._solver.getDualRay()
        return np.array(ray, dtype=np.float64) if found else None

    @property
    def value(self) -> float:
        """Objective at the end of the last run."""
        return float(self._solver.getInfoValue("objective_function_value")[1])

    @property
    def iterations(self) -> int:
        """Simplex iterations of the last run."""
        return int(self._solver.getInfoValue("simplex_iteration_count")[1])

    def bound(self, columns: Sequence[int], lower: Floats, upper: Floats) -> None:
        """Change the bounds of some columns."""
        at = np.asarray(columns, dtype=np.int32)
        self._solver.changeColsBounds(len(at), at, lower, upper)

    def price(self, cost: Floats) -> None:
        """Change all costs."""
        self._solver.changeColsCost(self.num_columns, self._every, cost)

    def add_upper_rows(self, rows: Sequence[Mapping[int, int]], upper: Sequence[float]) -> None:
        """Append rows ``terms x <= upper``; their slacks are basic."""
        starts = np.cumsum([0, *(len(terms) for terms in rows)]).astype(np.int32)
        columns = np.array([j for terms in rows for j in terms], dtype=np.int32)
        values = np.array([v for terms in rows for v in terms.values()], dtype=np.float64)
        low = np.full(len(rows), -np.inf)
        high = np.array(upper, dtype=np.float64)
        self._solver.addRows(len(rows), low, high, len(columns), starts[:-1], columns, values)
        self.num_rows += len(rows)
