"""Warm sessions of HiGHS: data change inside the solver, its basis stays."""

import dataclasses
from typing import Any

import numpy as np

from farkas.errors import FarkasError
from farkas.forms import LinearForm, SparseRows
from farkas.forms.scale import Units, cost_unit, in_units, units_of_columns, units_of_rows
from farkas.numbers import Floats
from farkas.solvers.answer import Answer
from farkas.solvers.audit import audited, settled_by_inspection, well_formed
from farkas.solvers.base import Backend, failed
from farkas.solvers.highs import expect, new_solver, pass_form, solve_loaded
from farkas.solvers.options import Options
from farkas.solvers.session import Indices, Session
from farkas.solvers.units import returned

MOST_SINGLE_ENTRIES = 2_000


class HighsSession(Session):
    """A model that stays in HiGHS: every change is passed on, every solve starts warm."""

    def __init__(self, engine: Backend, form: LinearForm) -> None:
        super().__init__(engine, form)
        self._solver = new_solver()
        self._units = form.units
        self._hand_over(form)

    def _hand_over(self, form: LinearForm) -> None:
        # a form whose numbers no power of two moves exactly is handed over as it is
        units = self._units
        given = in_units(form, units)
        if given is None:
            zero = np.zeros_like
            self._units = units = Units(zero(units.rows), zero(units.columns), 0)
            given = form.replace(offset=0.0)
        pass_form(self._solver, given)

    @property
    def reduced_costs(self) -> Floats:
        """Reduced cost of every column at the last optimum, ``cost - row_duals @ A``."""
        found = np.array(self._solver.getSolution().col_dual, dtype=np.float64)
        return np.ldexp(found, self._units.cost - self._units.columns)

    def close(self) -> None:
        """Free the memory of the solver."""
        self._solver.clear()

    def _changed(self, where: dict[str, Indices | None]) -> None:
        if "cost" in where:
            at = self._positions("cost", where["cost"])
            self._pass(self._solver.changeColsCost, at, "cost")
        for names, change in (
            (("lower", "upper"), self._solver.changeColsBounds),
            (("row_lower", "row_upper"), self._solver.changeRowsBounds),
        ):
            touched = [where[name] for name in names if name in where]
            if touched:
                at = self._positions(names[0], _union(touched))
                self._pass(change, at, *names)

    def _positions(self, name: str, where: Indices | None) -> Indices:
        return np.arange(self._size(name), dtype=np.int32) if where is None else where

    def _pass(self, change: Any, at: Indices, *names: str) -> None:
        if len(at):
            status = change(len(at), at, *(self._in_units(name, at) for name in names))
            expect(self._solver, status, f"refused new {' and '.join(names)}")

    def _in_units(self, name: str, at: Indices | slice) -> Floats:
        units = self._units
        shift = -units.rows[at] if name in ("row_lower", "row_upper") else -units.columns[at]
        if name == "cost":
            shift = -shift - units.cost
        scaled: Floats = np.ldexp(self._data[name][at], shift)
        return scaled

    def _entries_changed(self, rows: Indices, columns: Indices, values: Floats) -> None:
        if len(rows) > MOST_SINGLE_ENTRIES:
            basis = self._solver.getBasis()
            self._hand_over(self.form)
            if basis.valid:
                self._solver.setBasis(basis)
            return
        values = np.ldexp(values, self._units.columns[columns] - self._units.rows[rows])
        for i, j, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
            self._solver.changeCoeff(i, j, value)

    def _rows_added(self, rows: SparseRows, first: int) -> None:
        new = slice(first, self._num_rows)
        known = self._units
        sides = (self._data["row_lower"][new], self._data["row_upper"][new])
        units = units_of_rows(rows, *sides, known.columns)
        self._units = dataclasses.replace(known, rows=np.concatenate([known.rows, units]))
        status = self._solver.addRows(
            self._num_rows - first,
            self._in_units("row_lower", new),
            self._in_units("row_upper", new),
            rows.size,
            rows.starts.astype(np.int32),
            rows.columns,
            np.ldexp(rows.values, known.columns[rows.columns] - units[rows.rows]),
        )
        expect(self._solver, status, "refused new rows")

    def _columns_added(self, columns: SparseRows, first: int) -> None:
        new = slice(first, self._num_columns)
        known = self._units
        bounds = (self._data["lower"][new], self._data["upper"][new], self._data["integer"][new])
        units = units_of_columns(columns, *bounds, known.rows)
        self._units = dataclasses.replace(known, columns=np.concatenate([known.columns, units]))
        status = self._solver.addCols(
            self._num_columns - first,
            self._in_units("cost", new),
            self._in_units("lower", new),
            self._in_units("upper", new),
            columns.size,
            columns.starts.astype(np.int32),
            columns.columns,
            np.ldexp(columns.values, units[columns.rows] - known.rows[columns.columns]),
        )
        expect(self._solver, status, "refused new columns")
        whole = np.flatnonzero(self._data["integer"][new]) + first
        if len(whole):
            ones = np.ones(len(whole), dtype=np.uint8)
            self._solver.changeColsIntegrality(len(whole), whole.astype(np.int32), ones)

    def _run(self, options: Options, start: Floats | None) -> Answer:
        form = self.form
        known = settled_by_inspection(form)
        if known is not None:
            return dataclasses.replace(known, solver=self.solver)
        self._measure_cost()
        units = self._units
        if start is not None:
            start = np.ldexp(start, -units.columns)
        try:
            answer = solve_loaded(self._solver, form, options, start)
            return audited(form, returned(well_formed(form, answer), form, units), units)
        except FarkasError:
            raise
        except Exception as failure:
            return failed(failure, self.solver)

    def _measure_cost(self) -> None:
        """Keep the costs that HiGHS sees near 1, whatever they have become."""
        unit = cost_unit(self._data["cost"], self._units.columns)
        if unit != self._units.cost:
            self._units = dataclasses.replace(self._units, cost=unit)
            every = np.arange(self._num_columns, dtype=np.int32)
            self._pass(self._solver.changeColsCost, every, "cost")


def _union(parts: list[Indices | None]) -> Indices | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return known[0] if len(known) == 1 else np.union1d(*known).astype(np.int32)
