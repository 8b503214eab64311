"""Warm sessions of HiGHS: data change inside the solver, its basis stays."""

import dataclasses
from typing import Any

import numpy as np

from farkas.errors import FarkasError
from farkas.forms import LinearForm, SparseRows
from farkas.numbers import Floats
from farkas.solvers.answer import Answer
from farkas.solvers.audit import audited, settled_by_inspection
from farkas.solvers.base import Backend, failed
from farkas.solvers.highs import expect, new_solver, pass_form, solve_loaded
from farkas.solvers.options import Options
from farkas.solvers.session import Indices, Session

MOST_SINGLE_ENTRIES = 2_000


class HighsSession(Session):
    """A model that stays in HiGHS: every change is passed on, every solve starts warm."""

    def __init__(self, engine: Backend, form: LinearForm) -> None:
        super().__init__(engine, form)
        self._solver = new_solver()
        pass_form(self._solver, form)

    @property
    def reduced_costs(self) -> Floats:
        """Reduced cost of every column at the last optimum, ``cost - row_duals @ A``."""
        return np.array(self._solver.getSolution().col_dual, dtype=np.float64)

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
            status = change(len(at), at, *(self._data[name][at] for name in names))
            expect(self._solver, status, f"refused new {' and '.join(names)}")

    def _entries_changed(self, rows: Indices, columns: Indices, values: Floats) -> None:
        if len(rows) > MOST_SINGLE_ENTRIES:
            basis = self._solver.getBasis()
            pass_form(self._solver, self.form)
            if basis.valid:
                self._solver.setBasis(basis)
            return
        for i, j, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
            self._solver.changeCoeff(i, j, value)

    def _rows_added(self, rows: SparseRows, first: int) -> None:
        new = slice(first, self._num_rows)
        status = self._solver.addRows(
            self._num_rows - first,
            self._data["row_lower"][new],
            self._data["row_upper"][new],
            rows.size,
            rows.starts.astype(np.int32),
            rows.columns,
            rows.values,
        )
        expect(self._solver, status, "refused new rows")

    def _columns_added(self, columns: SparseRows, first: int) -> None:
        new = slice(first, self._num_columns)
        status = self._solver.addCols(
            self._num_columns - first,
            self._data["cost"][new],
            self._data["lower"][new],
            self._data["upper"][new],
            columns.size,
            columns.starts.astype(np.int32),
            columns.columns,
            columns.values,
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
        try:
            return audited(form, solve_loaded(self._solver, form, options, start))
        except FarkasError:
            raise
        except Exception as failure:
            return failed(failure, self.solver)


def _union(parts: list[Indices | None]) -> Indices | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return known[0] if len(known) == 1 else np.union1d(*known).astype(np.int32)
