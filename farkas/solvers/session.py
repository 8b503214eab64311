"""Sessions: a form that changes between solves."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption, UnsupportedForm
from farkas.forms import Axis, Block, LinearForm, SparseRows
from farkas.forms.matrices import as_scipy, rows_of_dense, rows_of_scipy
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
Entries: TypeAlias = "tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]"


class Session:
    """A form that stays with its solver while data change and rows and columns join.

    This class keeps the data; each solve starts from nothing.  A backend with warm starts
    overrides the hooks ``_changed``, ``_entries_changed``, ``_rows_added``, ``_columns_added``
    and ``_run``.

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
        self._form: LinearForm | None = form
        self._last = form
        self._data: dict[str, Any] = {name: getattr(form, name) for name in _ROW + _COLUMN}
        self._owned: set[str] = set()
        self._num_rows, self._num_columns = form.num_rows, form.num_columns
        self._pending: list[tuple[str, Any]] = []

    @property
    def form(self) -> LinearForm:
        """The form as it now stands; a changed one has no implied bounds."""
        if self._form is None:
            matrix = self._last.matrix
            rows, columns = self._last.rows, self._last.columns
            for what, part in self._pending:
                if what == "entries":
                    matrix = _with_entries(matrix, *part)
                elif what == "rows":
                    rows = _named(rows, matrix.shape[0], part)
                    matrix = _stacked(matrix, part.lines)
                else:
                    columns = _named(columns, matrix.shape[1], part)
                    matrix = _widened(matrix, part.lines)
            self._pending = []
            self._owned = set()  # the new form shares the arrays
            # whatever implied bounds followed from, it was other data
            self._form = self._last = self._last.replace(
                matrix=matrix,
                rows=rows,
                columns=columns,
                implied_lower=None,
                implied_upper=None,
                **self._data,
            )
        return self._form

    def update(
        self,
        *,
        cost: Change | None = None,
        row_lower: Change | None = None,
        row_upper: Change | None = None,
        lower: Change | None = None,
        upper: Change | None = None,
        entries: Entries | None = None,
    ) -> None:
        """Change data.

        Parameters
        ----------
        cost, row_lower, row_upper, lower, upper
            A whole array, or a pair (positions, values).
        entries
            Rows, columns and new values of single matrix entries, equal lengths; 0 removes.

        Raises
        ------
        InvalidOption
            When shapes, positions or values do not fit; nothing is changed then.
        """
        given = {"cost": cost, "row_lower": row_lower, "row_upper": row_upper}
        given |= {"lower": lower, "upper": upper}
        changes: dict[str, tuple[Indices | None, Floats]] = {}
        known: dict[str, tuple[Any, Indices]] = {}
        for name, change in given.items():
            if change is not None:
                changes[name] = self._read(name, change, known)
        triple = None if entries is None else self._read_entries(entries)
        if changes:
            for name, (where, values) in changes.items():
                self._write(name, where, values)
            self._form = None
            self._changed({name: where for name, (where, _) in changes.items()})
        if triple is not None and len(triple[0]):
            self._pending.append(("entries", triple))
            self._form = None
            self._entries_changed(*triple)

    def add_rows(
        self,
        rows: Lines,
        lower: npt.ArrayLike,
        upper: npt.ArrayLike,
        *,
        name: str = "added_rows",
    ) -> range:
        """Append rows, for example cutting planes.

        Parameters
        ----------
        rows
            Shape (new rows, columns).
        lower, upper
            Shape (new rows,) or scalars.
        name
            Family in reports.

        Returns
        -------
        Positions of the new rows.
        """
        part = _Part(name, _lines(rows, self._num_columns, "rows"))
        values = {"row_lower": lower, "row_upper": upper}
        _check_new(values, part.count)
        first = self._num_rows
        self._append(part.count, values)
        self._num_rows += part.count
        self._pending.append(("rows", part))
        self._form = None
        if part.count:
            self._rows_added(part.lines, first)
        return range(first, self._num_rows)

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
        part = _Part(name, _lines(columns, self._num_rows, "columns"))
        values = {"cost": cost, "lower": lower, "upper": upper, "integer": integer}
        _check_new(values, part.count)
        first = self._num_columns
        self._append(part.count, values)
        self._num_columns += part.count
        self._pending.append(("columns", part))
        self._form = None
        if part.count:
            self._columns_added(part.lines, first)
        return range(first, self._num_columns)

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

    # hooks

    def _changed(self, where: dict[str, Indices | None]) -> None: ...

    def _entries_changed(self, rows: Indices, columns: Indices, values: Floats) -> None: ...

    def _rows_added(self, rows: SparseRows, first: int) -> None: ...

    def _columns_added(self, columns: SparseRows, first: int) -> None: ...

    def _run(self, options: Options, start: Floats | None) -> Answer:
        from farkas.solvers.base import guarded, refuse

        refuse(self.engine, self.form, self.solver)
        known = settled_by_inspection(self.form)
        if known is not None:
            return dataclasses.replace(known, solver=self.solver)
        return guarded(self.engine, self.form, options, start, self.solver)

    # data

    def _size(self, name: str) -> int:
        return self._num_rows if name in _ROW else self._num_columns

    def _read(
        self, name: str, change: Change, known: dict[str, tuple[Any, Indices]]
    ) -> tuple[Indices | None, Floats]:
        """Check a change; ``known`` holds the positions that the same update gave for another."""
        size = self._size(name)
        where: Indices | None = None
        if isinstance(change, tuple):
            of = "row" if name in _ROW else "column"
            if of in known and known[of][0] is change[0]:
                where = known[of][1]
            else:
                where = np.atleast_1d(np.asarray(change[0])).astype(np.int32)
                if len(where) and (where.min() < 0 or where.max() >= size):
                    raise InvalidOption(f"{name}: positions must lie in 0..{size - 1}")
                known[of] = change[0], where
            values = np.asarray(change[1], dtype=np.float64)
            if values.shape != where.shape:
                values = np.broadcast_to(values, where.shape)
        else:
            values = np.array(change, dtype=np.float64)
            if values.shape != (size,):
                raise InvalidOption(f"{name} has shape {values.shape}, needs ({size},)")
        _check_values(name, values)
        return where, values

    def _read_entries(self, entries: Entries) -> tuple[Indices, Indices, Floats]:
        rows, columns = (np.atleast_1d(np.asarray(e)).astype(np.int32) for e in entries[:2])
        values = np.atleast_1d(np.asarray(entries[2], dtype=np.float64))
        if not rows.shape == columns.shape == values.shape:
            raise InvalidOption("entries: rows, columns and values must have equal lengths")
        if not np.isfinite(values).all():
            raise InvalidOption("entries: values must be finite")
        if len(rows) and (
            min(rows.min(), columns.min()) < 0
            or rows.max() >= self._num_rows
            or columns.max() >= self._num_columns
        ):
            raise InvalidOption(
                f"entries: positions must lie in {self._num_rows} x {self._num_columns}"
            )
        return rows, columns, values

    def _write(self, name: str, where: Indices | None, values: Floats) -> None:
        if where is None:
            self._data[name] = values
        else:
            if name not in self._owned:
                self._data[name] = self._data[name].copy()
            self._data[name][where] = values
        self._owned.add(name)

    def _append(self, count: int, values: dict[str, npt.ArrayLike]) -> None:
        for name, value in values.items():
            old = self._data[name]
            more = np.broadcast_to(np.asarray(value, dtype=old.dtype), (count,))
            self._data[name] = np.concatenate([old, more])
            self._owned.add(name)


_ROW = ("row_lower", "row_upper")
_COLUMN = ("cost", "lower", "upper", "integer")


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    name: str
    lines: SparseRows

    @property
    def count(self) -> int:
        return self.lines.shape[0]


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


def _check_new(values: dict[str, npt.ArrayLike], count: int) -> None:
    for name, value in values.items():
        array = np.asarray(value)
        if array.shape not in ((), (count,), (1,)):
            raise InvalidOption(f"{name} has shape {array.shape}, needs ({count},)")
        _check_values(name, array)


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


def _with_entries(
    matrix: SparseRows, rows: Indices, columns: Indices, values: Floats
) -> SparseRows:
    changed = as_scipy(matrix).copy()
    known = changed[rows, columns] != 0
    known = np.asarray(known).ravel()
    if known.all():
        changed[rows, columns] = values
    else:  # changing the pattern is cheap only row by row in a list of lists
        loose = changed.tolil()
        loose[rows, columns] = values
        changed = loose.tocsr()
    return rows_of_scipy(changed)


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


def _named(blocks: tuple[Block, ...], before: int, part: _Part) -> tuple[Block, ...]:
    """Families with the new ones behind; a form without names keeps none."""
    if not blocks and before:
        return blocks
    count, kept = part.count, blocks
    if blocks and blocks[-1].name == part.name:
        count, kept = count + blocks[-1].size, blocks[:-1]
    start = kept[-1].stop if kept else 0
    members = np.arange(count, dtype=np.int64).reshape(-1, 1)
    return (*kept, Block(part.name, "", start, (Axis(("index",), members),)))
