"""A linear program that stays in HiGHS with its basis: what exact vertices and trees start from.

Statuses of a basis are HiGHS's own: :data:`LOWER`, :data:`BASIC`, :data:`UPPER`, :data:`FREE`.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.errors import NoAnswer
from farkas.forms import LinearForm, SparseRows
from farkas.forms.scale import Units, in_units, units_of_rows
from farkas.numbers import Array, Floats, Ints
from farkas.solvers.highs import new_solver, pass_form
from farkas.tolerances import DROPPED

LOWER, BASIC, UPPER, FREE = range(4)


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
    """Status of every column and row."""

    #: columns, rows: shapes (columns,) and (rows,), int8.
    columns: Array
    rows: Array


class Simplex:
    """Warm simplex runs on one linear program; integrality is ignored.

    HiGHS sees the program in units in which its numbers are about 1, since it measures in absolute
    tolerances; everything here is in the program's own.  ``units``: measure in these instead of the
    form's own.  Raises `NoAnswer`: HiGHS refuses numbers as large as the form's.
    """

    def __init__(self, form: LinearForm, units: Units | None = None) -> None:
        self._solver = new_solver()
        self._set("small_matrix_value", 1e-12)  # its least: no entry is dropped
        self._set("threads", 1)
        self.num_rows, self.num_columns = form.num_rows, form.num_columns
        wanted = units or form.units
        plain = Units(np.zeros_like(wanted.rows), np.zeros_like(wanted.columns), 0)
        # numbers that move inexactly, or become too large, are handed over as they are
        for tried in (wanted, plain):
            given = form.replace(offset=0.0) if tried is plain else in_units(form, tried)
            if given is not None and self._accepts(given):
                break
        else:
            raise NoAnswer(
                f"{form.name}: HiGHS refuses numbers that lie so far apart; measure rows and"
                " columns in other units"
            )
        self._form, self._units = form, tried

    def _accepts(self, form: LinearForm) -> bool:
        relaxed = form.replace(integer=np.zeros(form.num_columns, dtype=bool))
        try:
            pass_form(self._solver, relaxed)
        except RuntimeError:
            return False
        return True

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

        ``seconds``: Time limit of this run.  ``method``: ``"choose"``, ``"simplex"``, ``"ipm"``.
        ``primal``: Primal instead of dual simplex.  ``tolerance``: Violation of rows, bounds and
        reduced costs, in the units that HiGHS sees.  ``iterations``: Limit of simplex iterations.
        ``cutoff``: Objective, in the program's sense of a minimum, beyond which the run may stop.
        """
        solver = self._solver
        self._set("time_limit", seconds + solver.getRunTime())
        self._set("presolve", "on" if presolve else "off")
        self._set("solver", method)
        self._set("simplex_strategy", 4 if primal else 1)
        self._set("primal_feasibility_tolerance", tolerance)
        self._set("dual_feasibility_tolerance", tolerance)
        self._set("simplex_iteration_limit", 2**31 - 1 if iterations is None else iterations)
        level = math.inf if cutoff is None else cutoff - self._form.offset
        self._set("objective_bound", float(np.ldexp(level, -self._units.cost)))
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

    @property
    def row_units(self) -> Ints:
        """Binary exponents of the units that HiGHS sees rows in, shape (rows,)."""
        return self._units.rows

    @property
    def point(self) -> Floats:
        """Values of the columns at the end of the last run, shape (columns,)."""
        found = np.array(self._solver.getSolution().col_value, dtype=np.float64)
        return np.ldexp(found, self._units.columns)

    @property
    def row_duals(self) -> Floats:
        """Multipliers at the end of the last run, shape (rows,)."""
        found = np.array(self._solver.getSolution().row_dual, dtype=np.float64)
        return np.ldexp(found, self._units.cost - self._units.rows)

    @property
    def ray(self) -> Floats | None:
        """Multipliers that should prove infeasibility, shape (rows,); None without."""
        _status, found, ray = self._solver.getDualRay()
        return np.ldexp(np.array(ray, dtype=np.float64), -self._units.rows) if found else None

    @property
    def value(self) -> float:
        """Objective at the end of the last run."""
        found = float(self._solver.getInfoValue("objective_function_value")[1])
        return float(np.ldexp(found, self._units.cost)) + self._form.offset

    @property
    def iterations(self) -> int:
        """Simplex iterations of the last run."""
        return int(self._solver.getInfoValue("simplex_iteration_count")[1])

    def bound(self, columns: Sequence[int], lower: Floats, upper: Floats) -> None:
        """Change the bounds of some columns."""
        at = np.asarray(columns, dtype=np.int32)
        unit = -self._units.columns[at]
        self._solver.changeColsBounds(len(at), at, np.ldexp(lower, unit), np.ldexp(upper, unit))

    def add_upper_rows(self, rows: Sequence[Mapping[int, int]], upper: Sequence[float]) -> None:
        """Append rows ``terms x <= upper``; their slacks are basic."""
        starts = np.cumsum([0, *(len(terms) for terms in rows)])
        columns = np.array([j for terms in rows for j in terms], dtype=np.int32)
        values = np.array([v for terms in rows for v in terms.values()], dtype=np.float64)
        low, high = np.full(len(rows), -np.inf), np.array(upper, dtype=np.float64)
        lines = SparseRows(starts, columns, values, self.num_columns)
        known = self._units.columns
        unit = units_of_rows(lines, low, high, known)
        self._units = Units(np.concatenate([self._units.rows, unit]), known, self._units.cost)
        self._solver.addRows(
            len(rows),
            low,
            np.ldexp(high, -unit),
            lines.size,
            starts[:-1].astype(np.int32),
            columns,
            np.ldexp(values, known[columns] - unit[lines.rows]),
        )
        self.num_rows += len(rows)
