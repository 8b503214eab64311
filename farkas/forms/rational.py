"""The rational form: a linear program whose numbers are fractions, its rows whole.

A text file says 0.1 and means it; the double nearest to 0.1 is another program, whose optimum may
be another, or none.  Every row is multiplied by the least number that makes its coefficients whole
and without common divisor; sides, bounds and costs stay fractions.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.forms.feasibility import names_among, refuse_impossible_sides
from farkas.forms.form import Block, LinearForm, Sense, SparseRows
from farkas.messages import LONGEST_WORDS, cleaned, cut, named
from farkas.numbers import Bools, Floats, Ints

Numbers = Literal["decimal", "binary"]
Side = Fraction | None  #: A row side or column bound; None where there is none.

Terms = Sequence[tuple[int, Fraction]]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class RationalForm:
    """Optimise ``cost x + offset``, ``row_lower <= A x <= row_upper``, ``lower <= x <= upper``."""

    name: str  #: Name of the program, printable and of at most 200 characters.
    sense: Sense  #: ``"min"`` or ``"max"``.
    #: How the numbers of the source were read: ``"decimal"`` as written, ``"binary"`` as doubles.
    numbers: Numbers
    #: cost, offset: objective as written, never negated.
    cost: tuple[Fraction, ...]
    offset: Fraction
    #: starts, columns: entries of row i stand at ``starts[i]:starts[i + 1]``, columns ascending.
    starts: Ints
    columns: Ints
    #: Whole entries, no zeros; int64 where all fit into 62 bits, else Python integers.
    values: Ints
    factors: tuple[Fraction, ...]  #: Factor (> 0) by which every row of the source was multiplied.
    #: row_lower, row_upper, lower, upper: fractions; None where absent. Sides are those of the
    #: multiplied rows.
    row_lower: tuple[Side, ...]
    row_upper: tuple[Side, ...]
    lower: tuple[Side, ...]
    upper: tuple[Side, ...]
    integer: Bools  #: Shape (columns,), bool.
    #: row_names, column_names: names of the source, unique.
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    #: Columns that a modelling package added, of which its user knows nothing.
    auxiliary: frozenset[int] = frozenset()
    #: Names of entries of the source and their columns, where these are more than the columns.
    entries: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()  #: What a reader tells the user of the source.
    differences: tuple[str, ...] = ()  #: What a second reader of the source reads otherwise.
    #: Whether HiGHS has read the source itself, and the same; true where there is no source.
    confirmed: bool = True

    @property
    def num_rows(self) -> int:
        return len(self.row_lower)

    @property
    def num_columns(self) -> int:
        return len(self.cost)

    @property
    def num_entries(self) -> int:
        return len(self.columns)

    @property
    def is_mip(self) -> bool:
        return bool(self.integer.any())

    @functools.cached_property
    def entry_rows(self) -> Ints:
        """Row of every entry, shape (entries,)."""
        return np.repeat(np.arange(self.num_rows), np.diff(self.starts))

    def row(self, i: int) -> list[tuple[int, int]]:
        """Columns and whole entries of row ``i``."""
        here = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return list(zip(self.columns[here].tolist(), self.values[here].tolist(), strict=True))

    def row_name(self, i: int) -> str:
        """Name of row ``i`` in its source; ``row 3`` where it has none."""
        return self.row_names[i] if self.row_names else f"row {i}"

    def column_name(self, j: int) -> str:
        """Name of column ``j`` in its source; ``column 3`` where it has none."""
        return self.column_names[j] if self.column_names else f"column {j}"

    def named_entries(self) -> Iterable[tuple[str, int]]:
        """Name and column of every entry of the source's variables; none that a package added."""
        columns = ((self.column_name(j), j) for j in range(self.num_columns))
        return self.entries or ((name, j) for name, j in columns if j not in self.auxiliary)

    def objective(self, point: Iterable[Fraction]) -> Fraction:
        """Exact objective at a point."""
        terms = (c * x for c, x in zip(self.cost, point, strict=True) if c and x)
        return sum(terms, self.offset)

    def replace(self, **changes: object) -> RationalForm:
        """Return the same form with other data."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def _double(self, value: Fraction) -> float:
        try:
            return value.numerator / value.denominator
        except OverflowError:
            raise UnsupportedForm(
                f"{named(self.name)}: a number of the program is beyond all doubles"
            ) from None

    @functools.cached_property
    def linear(self) -> LinearForm:
        """The form of the source in doubles, for solvers; every number rounded to nearest.

        Raises `UnsupportedForm` when a number is beyond all doubles.
        """

        def doubles(numbers: Iterable[Side], factors: Sequence[Fraction], absent: float) -> Floats:
            pairs = zip(numbers, factors, strict=True)
            found = [absent if x is None else self._double(x / f) for x, f in pairs]
            return np.array(found, dtype=np.float64)

        rows, ones = self.factors, (Fraction(1),) * self.num_columns
        entries = map(Fraction, self.values.tolist())
        matrix = SparseRows(
            self.starts.astype(np.int64),
            self.columns.astype(np.int32),
            doubles(entries, [rows[i] for i in self.entry_rows.tolist()], 0.0),
            self.num_columns,
        )
        return LinearForm(
            name=self.name,
            sense=self.sense,
            cost=doubles(self.cost, ones, 0.0),
            offset=self._double(self.offset),
            matrix=matrix,
            row_lower=doubles(self.row_lower, rows, -np.inf),
            row_upper=doubles(self.row_upper, rows, np.inf),
            lower=doubles(self.lower, ones, -np.inf),
            upper=doubles(self.upper, ones, np.inf),
            integer=self.integer,
            rows=tuple(Block(name, "", i) for i, name in enumerate(self.row_names)),
            columns=tuple(Block(name, "", j) for j, name in enumerate(self.column_names)),
        )

    @functools.cached_property
    def text(self) -> str:
        """Canonical text without names: a head, a line a column, a line a row."""
        size = f"{self.num_rows} {self.num_columns}"
        lines = [f"{self.sense} {self.numbers} {size} {self.offset}"]
        columns = zip(self.cost, self.lower, self.upper, self.integer.tolist(), strict=True)
        for cost, low, high, whole in columns:
            lines.append(f"{cost} {_text(low)} {_text(high)} {'I' if whole else 'C'}")
        for i, (low, high) in enumerate(zip(self.row_lower, self.row_upper, strict=True)):
            terms = " ".join(f"{j}:{v}" for j, v in self.row(i))
            lines.append(f"{_text(low)} {_text(high)} {terms}")
        return "\n".join(lines)

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of the data; names do not count."""
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()


def rational_form(
    *,
    name: str,
    sense: Sense,
    numbers: Numbers,
    cost: Sequence[Fraction],
    offset: Fraction,
    rows: Sequence[Terms],
    row_lower: Sequence[Side],
    row_upper: Sequence[Side],
    lower: Sequence[Side],
    upper: Sequence[Side],
    integer: Sequence[bool] | Bools,
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> RationalForm:
    """Make a form from rows of fractions: multiply each so that its entries are whole.

    ``rows``: terms of every row; a column may stand once, zeros are dropped.
    """
    columns: list[int] = []
    values: list[int] = []
    starts, factors = [0], []
    for terms in rows:
        kept = sorted((j, v) for j, v in terms if v)
        below = math.lcm(*(v.denominator for _, v in kept)) if kept else 1
        whole = [v.numerator * (below // v.denominator) for _, v in kept]
        divisor = math.gcd(*whole) or 1
        columns += [j for j, _ in kept]
        values += [v // divisor for v in whole]
        starts.append(len(columns))
        factors.append(Fraction(below, divisor))

    def scaled(sides: Sequence[Side]) -> tuple[Side, ...]:
        return tuple(None if x is None else x * f for x, f in zip(sides, factors, strict=True))

    return RationalForm(
        name=cut(cleaned(name), LONGEST_WORDS),
        sense=sense,
        numbers=numbers,
        cost=tuple(cost),
        offset=offset,
        starts=np.array(starts, dtype=np.int64),
        columns=np.array(columns, dtype=np.int64),
        values=whole_array(values),
        factors=tuple(factors),
        row_lower=scaled(row_lower),
        row_upper=scaled(row_upper),
        lower=tuple(lower),
        upper=tuple(upper),
        integer=np.asarray(integer, dtype=bool),
        row_names=tuple(row_names),
        column_names=tuple(column_names),
        notes=tuple(notes),
    )


def as_rational(form: LinearForm) -> RationalForm:
    """Take every double of a form as the fraction it is; implied bounds are left out.

    Raises `UnsupportedForm` when a side or bound excludes every point, as a lower one of +infinity
    does.
    """
    refuse_impossible_sides(form, "no point keeps it")
    known = {v: Fraction(v) for v in np.unique(form.matrix.values).tolist()}
    entries = [known[v] for v in form.matrix.values.tolist()]
    columns, starts = form.matrix.columns.tolist(), form.matrix.starts.tolist()
    rows = [
        list(zip(columns[a:b], entries[a:b], strict=True)) for a, b in itertools.pairwise(starts)
    ]
    return rational_form(
        name=form.name,
        sense=form.sense,
        numbers="binary",
        cost=[Fraction(c) for c in form.cost.tolist()],
        offset=Fraction(form.offset),
        rows=rows,
        row_lower=_sides(form.row_lower),
        row_upper=_sides(form.row_upper),
        lower=_sides(form.lower),
        upper=_sides(form.upper),
        integer=form.integer,
        row_names=names_among(form.rows, form.num_rows, "row"),
        column_names=names_among(form.columns, form.num_columns, "column"),
    )


def whole_array(values: Sequence[int]) -> Ints:
    """Integers as int64 where all have at most 62 bits, else as Python integers."""
    small = all(-(2**62) < v < 2**62 for v in values)
    return np.array(values, dtype=np.int64 if small else object)


def _sides(values: Floats) -> list[Side]:
    return [None if math.isinf(value) else Fraction(value) for value in values.tolist()]


def _text(side: Side) -> str:
    return "-" if side is None else str(side)
