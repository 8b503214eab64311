"""The linear form: the plain data that solvers, duals and certificates work on."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from farkas.messages import ShowsItself, named, number_of
from farkas.numbers import Bools, Floats, Ints

if TYPE_CHECKING:
    from farkas.forms.scale import Units


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One index set of a family."""

    labels: tuple[str, ...]  #: One word per component of a member, for example ``("job", "slot")``.
    members: Ints  #: Shape (size, len(labels)), integers; the order is that of rows or columns.

    @property
    def size(self) -> int:
        return len(self.members)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The consecutive rows (or columns) of one family, ordered like nested loops over its axes."""

    name: str  #: Family or variable name, for example ``enough_workers``.
    label: str  #: Equation label of the source, for example ``8a``; empty when it has none.
    start: int  #: First row or column.
    axes: tuple[Axis, ...] = ()  #: Index sets, outermost first; none for a single row.
    doc: str = ""  #: One sentence in words.

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(axis.size for axis in self.axes)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def stop(self) -> int:
        return self.start + self.size

    @property
    def where(self) -> slice:
        return slice(self.start, self.stop)


Sense = Literal["min", "max"]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SparseRows:
    """A sparse matrix by rows, without duplicates or stored zeros, columns ascending in a row."""

    #: Shape (rows + 1,), int64; entries of row i stand at ``starts[i]:starts[i + 1]``.
    starts: Ints
    columns: npt.NDArray[np.int32]  #: Shape (entries,), int32.
    values: Floats  #: Shape (entries,), float64, finite.
    num_columns: int

    def __abs__(self) -> SparseRows:
        return dataclasses.replace(self, values=np.abs(self.values))

    def times(self, point: Floats) -> Floats:
        """Product with ``point``, shape (columns,); infinite beyond doubles."""
        with np.errstate(over="ignore", invalid="ignore"):
            products = self.values * point[self.columns]
            return np.bincount(self.rows, products, self.shape[0]).astype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.starts) - 1, self.num_columns

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def rows(self) -> Ints:
        """Row of every entry, shape (entries,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def row(self, i: int) -> tuple[npt.NDArray[np.int32], Floats]:
        """Columns and values of row ``i``."""
        here = slice(self.starts[i], self.starts[i + 1])
        return self.columns[here], self.values[here]


@dataclasses.dataclass(frozen=True, slots=False, eq=False, kw_only=True, repr=False)
class LinearForm(ShowsItself):
    """Optimise ``cost x + offset``, ``row_lower <= A x <= row_upper``, ``lower <= x <= upper``."""

    name: str  #: Program name with variant, for example ``mlbroker.relaxed[tight]``.
    cost: Floats  #: Shape (columns,).
    matrix: SparseRows  #: ``A`` by rows.
    #: row_lower, row_upper: shape (rows,); infinite where absent, equal for equations.
    row_lower: Floats
    row_upper: Floats
    #: lower, upper: shape (columns,); infinite where absent.
    lower: Floats
    upper: Floats
    integer: Bools  #: Shape (columns,), bool.
    #: ``"min"`` or ``"max"``; ``cost`` is the objective as written, never negated.
    sense: Sense = "min"
    offset: float = 0.0  #: Constant of the objective.
    #: implied_lower, implied_upper: shape (columns,) or None: bounds that some optimal point
    #: satisfies, by an argument the program states. Solvers do not see them; bounds are proved with
    #: them.
    implied_lower: Floats | None = None
    implied_upper: Floats | None = None
    #: rows, columns: families in order; together they cover every row and column.
    rows: tuple[Block, ...] = ()
    columns: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        m, n = self.matrix.shape
        sides = ("row_lower", "row_upper", "lower", "upper", "implied_lower", "implied_upper")
        for field in ("cost", "integer", *sides):
            value = getattr(self, field)
            if value is not None and value.shape != (m if field.startswith("row") else n,):
                raise ValueError(f"{self.name}: {field} has shape {value.shape}, matrix {m} x {n}")
        if np.isnan(self.cost).any() or np.isnan(self.matrix.values).any():
            raise ValueError(f"{self.name}: cost or matrix holds NaN")

    def __repr__(self) -> str:
        from farkas.forms.feasibility import size_words

        size = size_words(self.num_rows, self.num_columns, int(self.integer.sum()))
        entries = number_of(self.num_entries, "entries", "entry")
        return f"<form of {named(self.name)}: {self.sense}, {size}, {entries}>"

    @property
    def num_rows(self) -> int:
        return self.matrix.shape[0]

    @property
    def num_columns(self) -> int:
        return self.matrix.shape[1]

    @property
    def num_entries(self) -> int:
        return self.matrix.size

    @functools.cached_property
    def is_mip(self) -> bool:
        return bool(self.integer.any())

    @property
    def safe_lower(self) -> Floats:
        """Lower bounds including the implied ones, for proofs."""
        if self.implied_lower is None:
            return self.lower
        return np.maximum(self.lower, self.implied_lower)

    @property
    def safe_upper(self) -> Floats:
        """Upper bounds including the implied ones, for proofs."""
        if self.implied_upper is None:
            return self.upper
        return np.minimum(self.upper, self.implied_upper)

    def row_name(self, i: int) -> str:
        """``enough_workers[job=3, slot=7, site=2]  (8a)``."""
        from farkas.forms.feasibility import name_among  # here: nothing is named but in messages

        return name_among(self.rows, i, "row")

    def column_name(self, j: int) -> str:
        """``moved[job=3, slot=7, site=2, site=0]``."""
        from farkas.forms.feasibility import name_among

        return name_among(self.columns, j, "column")

    def row_block(self, name: str) -> Block:
        """Family ``name``."""
        from farkas.forms.feasibility import block_of

        return block_of(self.rows, name, f"constraint family of {self.name}")

    def column_block(self, name: str) -> Block:
        """Variable ``name``."""
        from farkas.forms.feasibility import block_of

        return block_of(self.columns, name, f"variable of {self.name}")

    def values(self, point: Floats, variable: str) -> Floats:
        """Part of ``point`` (shape (columns,)) that is ``variable``, in the shape of its sets."""
        block = self.column_block(variable)
        return point[block.where].reshape(block.shape)

    def row_values(self, multipliers: Floats, family: str) -> Floats:
        """Part of ``multipliers`` (shape (rows,)) that belongs to ``family``, in its shape."""
        block = self.row_block(family)
        return multipliers[block.where].reshape(block.shape)

    def objective(self, point: Floats) -> float:
        """Objective value of ``point`` in floating point."""
        return float((self.cost * point).sum()) + self.offset

    def replace(self, **changes: object) -> LinearForm:
        """Copy with other data."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @functools.cached_property
    def units(self) -> Units:
        """Powers of two in which the form's own numbers are about 1."""
        from farkas.forms.scale import units_of  # exact points and bounds need no units

        return units_of(self)

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of everything that decides the optimum; names do not count."""
        digest = hashlib.sha256(b"farkas form 1\n" + self.sense.encode())
        digest.update(np.array([self.num_rows, self.num_columns], dtype="<i8").tobytes())
        digest.update(np.array([self.offset + 0.0], dtype="<f8").tobytes())
        digest.update(self.matrix.starts.astype("<i8", copy=False).tobytes())
        digest.update(self.matrix.columns.astype("<i4", copy=False).tobytes())
        for part in (
            self.matrix.values,
            self.cost,
            self.row_lower,
            self.row_upper,
            self.lower,
            self.upper,
            self.safe_lower,
            self.safe_upper,
        ):
            # adding zero turns -0.0 into 0.0, so equal numbers hash equally
            digest.update((part + 0.0).astype("<f8", copy=False).tobytes())
        digest.update(np.packbits(self.integer).tobytes())
        return digest.hexdigest()
