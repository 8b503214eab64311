"""Sessions: a form that changes between solves."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Self, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption, UnsupportedForm
from farkas.forms import Axis, Block, LinearForm, SparseRows
from farkas.forms.matrices import rows_of_dense, rows_of_scipy
from farkas.numbers import Array, Floats
from farkas.solvers.answer import Answer
from farkas.solvers.audit import settled_by_inspection
from farkas.solvers.options import Options

if TYPE_CHECKING:
    from farkas.solvers.base import Backend
    from farkas.solvers.options import OptionNames

Indices: TypeAlias = npt.NDArray[np.int32]
Change: TypeAlias = "npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike]"
Lines: TypeAlias = "SparseRows | npt.ArrayLike"


class Session:
    """A form that stays with its solver while data change and rows and columns join.

    This class keeps the data; each solve starts from nothing.  A backend with warm starts
    overrides the hooks ``_changed``, ``_rows_added``, ``_columns_added`` and ``_run``.

    Parameters
    ----------
    engine
        Backend that solves.
    form
        First data; never changed.
    """

    def __init__(self, engine: Backend, form: LinearForm) -> None:
        self.engine = engine
        self.solver = engine.name
        self.form = form
        """The form as it now stands; a changed one has no implied bounds."""

    def update(
        self,
        *,
        cost: Change | None = None,
        row_lower: Change | None = None,
        row_upper: Change | None = None,
        lower: Change | None = None,
        upper: Change | None = None,
    ) -> None:
        """Change data; each a whole array, or a pair (positions, values).

        Raises
        ------
        InvalidOption
            When shapes, positions or values do not fit; nothing is changed then.
        """
        given = {"cost": cost, "row_lower": row_lower, "row_upper": row_upper}
        given |= {"lower": lower, "upper": upper}
        where: dict[str, Indices | None] = {}
        data: dict[str, Floats] = {}
        for name, change in given.items():
            if change is not None:
                where[name], data[name] = _changed_data(name, getattr(self.form, name), change)
        if where:
            self._replace(**data)
            self._changed(where)

    def add_rows(self, rows: Lines, lower: npt.ArrayLike, upper: npt.ArrayLike) -> range:
        """Append rows, for example cutting planes.

        Parameters
        ----------
        rows
            Shape (new rows, columns).
        lower, upper
            Shape (new rows,) or scalars.

        Returns
        -------
        Positions of the new rows.
        """
        old = self.form
        lines = _lines(rows, old.num_columns, "rows")
        first, count = old.num_rows, lines.shape[0]
        self._replace(
            matrix=_stacked(old.matrix, lines),
            rows=_named(old.rows, first, "added_rows", count),
            row_lower=_longer("row_lower", old.row_lower, lower, count),
            row_upper=_longer("row_upper", old.row_upper, upper, count),
        )
        if count:
            self._rows_added(lines, first)
        return range(first, first + count)

    def add_columns(
        self,
        columns: Lines,
        cost: npt.ArrayLike,
        lower: npt.ArrayLike = 0.0,
        upper: npt.ArrayLike = np.inf,
        integer: npt.ArrayLike = False,
        *,
        name: str = "added_columns",
    ) -> range:
        """Append columns, for example priced ones.

        Parameters
        ----------
        columns
            Shape (new columns, rows): one line for each new column.
        cost, lower, upper, integer
            Shape (new columns,) or scalars.
        name
            Variable in reports.

        Returns
        -------
        Positions of the new columns.
        """
        old = self.form
        lines = _lines(columns, old.num_rows, "columns")
        first, count = old.num_columns, lines.shape[0]
        self._replace(
            matrix=_widened(old.matrix, lines),
            columns=_named(old.columns, first, name, count),
            cost=_longer("cost", old.cost, cost, count),
            lower=_longer("lower", old.lower, lower, count),
            upper=_longer("upper", old.upper, upper, count),
            integer=_longer("integer", old.integer, integer, count),
        )
        if count:
            self._columns_added(lines, first)
        return range(first, first + count)

    def solve(self, *, start: Floats | None = None, **options: Unpack[OptionNames]) -> Answer:
        """Solve the form as it now stands; see :func:`farkas.solvers.solve`."""
        chosen = Options.parse(options)
        if start is not None:
            from farkas.solvers.base import check_start

            check_start(self.form, start)
        return self._run(chosen, start)

    def close(self) -> None:
        """Free the solver's memory; the session must not be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _replace(self, **data: object) -> None:
        # whatever implied bounds followed from, it was other data
        self.form = self.form.replace(implied_lower=None, implied_upper=None, **data)

    # hooks

    def _changed(self, where: dict[str, Indices | None]) -> None: ...

    def _rows_added(self, rows: SparseRows, first: int) -> None: ...

    def _columns_added(self, columns: SparseRows, first: int) -> None: ...

    def _run(self, options: Options, start: Floats | None) -> Answer:
        from farkas.solvers.base import guarded, refuse

        refuse(self.engine, self.form, self.solver)
        known = settled_by_inspection(self.form)
        if known is not None:
            return dataclasses.replace(known, solver=self.solver)
        return guarded(self.engine, self.form, options, start, self.solver)


def _changed_data(name: str, old: Floats, change: Change) -> tuple[Indices | None, Floats]:
    """Positions of a change, None for all, and the array after it."""
    if not isinstance(change, tuple):
        values = np.array(change, dtype=np.float64)
        if values.shape != old.shape:
            raise InvalidOption(f"{name} has shape {values.shape}, needs ({len(old)},)")
        _check_values(name, values)
        return None, values
    where = np.atleast_1d(np.asarray(change[0])).astype(np.int32)
    if len(where) and (where.min() < 0 or where.max() >= len(old)):
        raise InvalidOption(f"{name}: positions must lie in 0..{len(old) - 1}")
    values = np.broadcast_to(np.asarray(change[1], dtype=np.float64), where.shape)
    _check_values(name, values)
    found = old.copy()
    found[where] = values
    return where, found


def _check_values(name: str, values: Array) -> None:
    if name == "cost":
        good = np.isfinite(values)
    elif name.endswith("lower"):
        good = values < np.inf
    elif name.endswith("upper"):
        good = values > -np.inf
    else:
        return
    if not good.all():
        raise InvalidOption(f"{name}: value {values[~good][0]} is not allowed")


def _longer(name: str, old: Array, value: npt.ArrayLike, count: int) -> Array:
    """Append data of new rows or columns."""
    more = np.asarray(value)
    if more.shape not in ((), (count,), (1,)):
        raise InvalidOption(f"{name} has shape {more.shape}, needs ({count},)")
    _check_values(name, more)
    return np.concatenate([old, np.broadcast_to(more.astype(old.dtype), (count,))])


def _lines(lines: Lines, length: int, what: str) -> SparseRows:
    if not isinstance(lines, SparseRows):
        import scipy.sparse as sp

        if sp.issparse(lines):
            lines = rows_of_scipy(lines)
        else:
            lines = rows_of_dense(np.atleast_2d(np.asarray(lines, dtype=np.float64)))
    if lines.num_columns != length:
        raise InvalidOption(f"new {what} have length {lines.num_columns}, need {length}")
    if not np.isfinite(lines.values).all():
        raise UnsupportedForm(f"new {what} hold a value that is not finite")
    return lines


def _stacked(matrix: SparseRows, lines: SparseRows) -> SparseRows:
    return SparseRows(
        np.concatenate([matrix.starts, lines.starts[1:] + matrix.starts[-1]]),
        np.concatenate([matrix.columns, lines.columns]),
        np.concatenate([matrix.values, lines.values]),
        matrix.num_columns,
    )


def _widened(matrix: SparseRows, lines: SparseRows) -> SparseRows:
    """Matrix with the lines as its last columns."""
    order = np.argsort(lines.columns, kind="stable")
    row = lines.columns[order]
    more = np.concatenate([[0], np.bincount(row, minlength=matrix.shape[0]).cumsum()])
    # entries of a row move behind those that join the rows before, and the new ones follow them
    old = np.arange(matrix.size) + np.repeat(more[:-1], np.diff(matrix.starts))
    new = np.arange(lines.size) + matrix.starts[1:][row]
    columns = np.empty(matrix.size + lines.size, np.int32)
    values = np.empty(len(columns))
    columns[old], values[old] = matrix.columns, matrix.values
    columns[new], values[new] = matrix.num_columns + lines.rows[order], lines.values[order]
    width = matrix.num_columns + lines.shape[0]
    return SparseRows(matrix.starts + more, columns, values, width)


def _named(blocks: tuple[Block, ...], before: int, name: str, count: int) -> tuple[Block, ...]:
    """Families with the new ones behind; a form without names keeps none."""
    if not blocks and before:
        return blocks
    kept = blocks
    if blocks and blocks[-1].name == name:
        count, kept = count + blocks[-1].size, blocks[:-1]
    start = kept[-1].stop if kept else 0
    members = np.arange(count, dtype=np.int64).reshape(-1, 1)
    return (*kept, Block(name, "", start, (Axis(("index",), members),)))
