"""Exact bounds from multipliers while the bounds of columns change: what closes leaves of trees.

Everything is a minimum here; a maximum is that of the negated costs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from farkas.certificates import Certificate
from farkas.certificates.doubles import long_rational
from farkas.certificates.tree import TreeCertificate
from farkas.errors import NoAnswer
from farkas.forms.rational import RationalForm, Side
from farkas.kernels import clock
from farkas.messages import named
from farkas.numbers import Array, Floats, Ints

ZERO = Fraction(0)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ScaledVector:
    """The vector ``numerators / denominator``."""

    numerators: Array  #: Python integers, dtype object.
    denominator: int  #: > 0.

    def fractions(self) -> list[Fraction]:
        """Return the entries, reduced."""
        below = self.denominator
        return [Fraction(x, below) if x else ZERO for x in self.numerators.tolist()]

    @classmethod
    def of(cls, values: Sequence[Fraction | int]) -> ScaledVector:
        """Bring fractions to their least common denominator."""
        below = math.lcm(*{x.denominator for x in values}) if len(values) else 1
        return cls(objects([x.numerator * (below // x.denominator) for x in values]), below)


def objects(values: Sequence[int]) -> Array:
    """Python integers as an array that keeps them."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


class Matrix:
    """A whole sparse matrix that multiplies vectors of Python integers from both sides.

    ``rows``, ``columns``, ``values``: Entries by rows, in order.  ``shape``: Number of rows and
    columns.
    """

    def __init__(self, rows: Ints, columns: Ints, values: Array, shape: tuple[int, int]) -> None:
        self.rows, self.columns, self.values, self.shape = rows, columns, values, shape
        self._exact = values.astype(object)
        self._by_column = np.argsort(columns, kind="stable")

    @classmethod
    def of(cls, form: RationalForm) -> Matrix:
        """Return the matrix of a form."""
        return cls(form.entry_rows, form.columns, form.values, (form.num_rows, form.num_columns))

    def times(self, x: Array) -> Array:
        """Return ``A x``."""
        return _summed(self._exact * x[self.columns], self.rows, self.shape[0])

    def transposed_times(self, y: Array) -> Array:
        """Return ``A' y``."""
        order = self._by_column
        products = self._exact[order] * y[self.rows[order]]
        return _summed(products, self.columns[order], self.shape[1])


def _summed(products: Array, where: Ints, size: int) -> Array:
    """Sum the products at each place; ``where`` ascends."""
    found = objects([0] * size)
    if len(where):
        first = np.flatnonzero(np.diff(where, prepend=-1))
        found[where[first]] = np.add.reduceat(products, first)
    return found


def weighted_sum(
    weights: Mapping[int, Fraction], row: Callable[[int], Iterable[tuple[int, int]]]
) -> dict[int, Fraction]:
    """Add rows up by weights; returns coefficients that are not 0 by column."""
    found: dict[int, Fraction] = {}
    for i, weight in weights.items():
        for j, v in row(i):
            found[j] = found.get(j, ZERO) + weight * v
    return {j: v for j, v in found.items() if v}


def divided(side: Side, factor: Fraction) -> Side:
    """Return a side divided by a factor; None where there is none."""
    return None if side is None else side / factor


def moved(value: Fraction | int, power: int) -> float:
    """``value * 2**power`` as a double; infinite where it is beyond all."""
    top, below = value.numerator, value.denominator
    if power >= 0:
        top <<= power
    else:
        below <<= -power
    try:
        return top / below
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def floats(
    ends: Sequence[Fraction | int | None], absent: float, units: Sequence[int] | None = None
) -> Floats:
    """Doubles nearest to ends, measured in units of powers of two; ``absent`` where there is none.

    ``units``: exponents, shape of ``ends``; 0 if left out.
    """
    powers = [0] * len(ends) if units is None else units
    found = [absent if e is None else moved(e, -u) for e, u in zip(ends, powers, strict=True)]
    return np.array(found, dtype=np.float64)


#: Binary digits of the largest multiplier, beyond those that its row needs; whatever the units.
GRID = 48


Number: TypeAlias = int | Fraction
#: End of a column: an integer where it is whole, since these are far faster than fractions.
ColumnEnd: TypeAlias = Number | None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Multipliers of rows, evaluated."""

    ray: bool  #: Whether they are to prove that there is no point: costs count as 0 then.
    denominator: int  #: > 0; the multiplier of row i is ``factors[i] / denominator``.
    factors: dict[int, int]  #: Whole factors by row, zeros left out.
    #: Sum of the multipliers times the sides they meet, and the offset; None where such a side is
    #: infinite.
    rows: Side
    #: Column and its reduced cost times ``scale`` where that is not 0.
    pulls: list[tuple[int, int]]
    scale: int  #: > 0.

    def value(self, lower: Sequence[ColumnEnd], upper: Sequence[ColumnEnd]) -> Side:
        """Bound within a box; None where it is infinite."""
        if self.rows is None:
            return None
        whole, rest = 0, ZERO
        for j, pull in self.pulls:
            end = lower[j] if pull > 0 else upper[j]
            if end is None:
                return None
            if type(end) is int:
                whole += pull * end
            else:
                rest += pull * end
        return self.rows + (whole + rest) / self.scale


def shortened(ends: Sequence[Side]) -> list[ColumnEnd]:
    """Write whole ends of columns as integers."""
    return [e.numerator if e is not None and e.denominator == 1 else e for e in ends]


class BoundProblem:
    """A program as a minimum of whole rows, to which cuts are added."""

    def __init__(self, form: RationalForm) -> None:
        self.form = form
        sign = 1 if form.sense == "min" else -1
        self.cost = [sign * c for c in form.cost]
        self.offset = sign * form.offset
        self.row_lower, self.row_upper = list(form.row_lower), list(form.row_upper)
        self.factors = list(form.factors)
        self.matrix = Matrix.of(form)
        self.added: list[dict[int, int]] = []  #: Rows that were appended.
        self.gain = gain_of(self.cost, form.integer.tolist())
        self._costs = ScaledVector.of(self.cost)
        self._factor_parts = [f.as_integer_ratio() for f in self.factors]
        sizes = [(f.numerator // f.denominator).bit_length() for f in self.factors]
        self._digits = GRID + max(sizes, default=0)

    @property
    def num_rows(self) -> int:
        return len(self.row_lower)

    def value(self, point: Sequence[Fraction]) -> Fraction:
        """Exact cost of a point, as a minimum."""
        terms = (c * x for c, x in zip(self.cost, point, strict=True) if c and x)
        return sum(terms, self.offset)

    def add_rows(self, rows: Sequence[dict[int, int]], upper: Sequence[Fraction]) -> None:
        """Append rows ``terms x <= upper``."""
        old, first = self.matrix, self.num_rows
        places = [first + k for k, terms in enumerate(rows) for _ in terms]
        columns = [j for terms in rows for j in terms]
        values = [v for terms in rows for v in terms.values()]
        self.added += rows
        self.row_lower += [None] * len(rows)
        self.row_upper += upper
        self.factors += [Fraction(1)] * len(rows)
        self._factor_parts += [(1, 1)] * len(rows)
        self.matrix = Matrix(
            np.concatenate([old.rows, np.array(places, dtype=np.int64)]),
            np.concatenate([old.columns, np.array(columns, dtype=np.int64)]),
            np.concatenate([old.values.astype(object), objects(values)]),
            (self.num_rows, old.shape[1]),
        )

    def rounded(self, multipliers: Floats, *, ray: bool = False) -> Weights | None:
        """Evaluate a solver's multipliers, rounded; those against infinite sides count as 0.

        ``multipliers``: shape (rows,), of the rows as the source has them, in the sense of a
        minimum.

        Returns: None when they are not finite.
        """
        if not np.isfinite(multipliers).all():
            return None
        top = float(np.abs(multipliers).max(initial=0.0))
        if ray and top:
            multipliers, top = multipliers / top, 1.0
        digits = max(0, self._digits - math.frexp(top)[1])
        factors: dict[int, int] = {}
        used = np.flatnonzero(multipliers)
        for i, y in zip(used.tolist(), multipliers[used].tolist(), strict=True):
            if (self.row_lower[i] if y > 0 else self.row_upper[i]) is None:
                continue
            top, bottom = y.as_integer_ratio()
            over, under = self._factor_parts[i]
            whole, rest = divmod((top * under) << digits, bottom * over)
            whole += 2 * rest >= bottom * over
            if whole:
                factors[i] = whole
        return self.weighted(factors, 1 << digits, ray=ray)

    def exact(self, multipliers: Sequence[Fraction], *, ray: bool = False) -> Weights:
        """Evaluate exact multipliers of the whole rows, in the sense of a minimum."""
        below = math.lcm(*{y.denominator for y in multipliers}) if multipliers else 1
        factors = {i: int(y * below) for i, y in enumerate(multipliers) if y}
        return self.weighted(factors, below, ray=ray)

    def weighted(self, factors: dict[int, int], denominator: int, *, ray: bool) -> Weights:
        """Evaluate whole factors over a denominator."""
        whole, rest, endless = 0, ZERO, False
        vector = objects([0] * self.num_rows)
        for i, y in factors.items():
            vector[i] = y
            side = self.row_lower[i] if y > 0 else self.row_upper[i]
            if side is None:
                endless = True
            elif side.denominator == 1:
                whole += y * side.numerator
            else:
                rest += y * side
        rows = (whole + rest) / denominator + (ZERO if ray else self.offset)
        moved = self.matrix.transposed_times(vector)
        if ray:
            pulls, scale = -moved, denominator
        else:
            scale = denominator * self._costs.denominator
            pulls = self._costs.numerators * denominator - moved * self._costs.denominator
        used = [(j, x) for j, x in enumerate(pulls.tolist()) if x]
        return Weights(ray, denominator, factors, None if endless else rows, used, scale)


def gain_of(cost: Sequence[Fraction], whole: Sequence[bool]) -> Fraction:
    """Largest number that divides all costs where every column with a cost is whole; else 0."""
    if any(c and not w for c, w in zip(cost, whole, strict=True)):
        return ZERO
    used = [c for c in cost if c]
    if not used:
        return ZERO
    below = math.lcm(*(c.denominator for c in used))
    return Fraction(math.gcd(*(int(c * below) for c in used)), below)


def rounded_up(bound: Fraction, gain: Fraction, offset: Fraction) -> Fraction:
    """Least value ``>= bound`` among ``offset`` plus multiples of ``gain``; ``bound`` without."""
    if not gain:
        return bound
    steps = (bound - offset) / gain
    return offset + gain * (-(-steps.numerator // steps.denominator))


class OutOfTime(NoAnswer):
    """The time limit came before the proof."""


class Deadline:
    """A moment that work must not pass; compiling, once an installation, does not count.

    ``seconds``: From now.  ``stopped``: Asked again and again; where it says so, nothing is left
    any more.
    """

    def __init__(
        self, seconds: float = math.inf, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self._until, self._stopped = clock() + seconds, stopped

    @property
    def stopped(self) -> bool:
        """Whether somebody asked to stop, whatever time is left."""
        return self._stopped()

    @property
    def left(self) -> float:
        """Seconds that are left, at least 0."""
        return 0.0 if self._stopped() else max(0.0, self._until - clock())

    def part(self, share: float) -> Deadline:
        """Return the moment when a share of what is left has passed."""
        return Deadline(self.left * share, self._stopped)

    def check(self) -> None:
        """Raise :class:`OutOfTime` when nothing is left."""
        if not self.left:
            raise OutOfTime("the time limit came before the proof")


def contradicting(form: RationalForm, certificate: Certificate | None) -> list[str]:
    """Rows and bounds that a proof uses; more of a tree than of a single ray.

    Returns: sentences such as ``row demand: >= 4`` and ``column x: <= 3``, rows first.
    """
    if not isinstance(certificate, TreeCertificate):
        return []
    rows: dict[tuple[int, bool], None] = {}
    columns: dict[tuple[int, bool], None] = {}
    lines: list[list[tuple[int, int]]] = [form.row(i) for i in range(form.num_rows)]
    for step in certificate.ends:
        if step.row >= 0:
            entry = dict(lines[step.row])[step.column]
            rows[step.row, (entry > 0) != step.upper] = None
    for cut in certificate.cuts:
        weights = {i: long_rational(text, "weight") for i, text in cut.rows}
        rows |= {(i, (w > 0) == (i in cut.across)): None for i, w in weights.items()}
        divisor = long_rational(cut.divisor, "divisor")
        for j, total in weighted_sum(weights, lines.__getitem__).items():
            if not (form.integer[j] and (total / divisor).denominator == 1):
                columns[j, j not in cut.complemented] = None  # it is measured from this end
        lines.append([(j, long_rational(text, "cut").numerator) for j, text in cut.terms])
    for leaf in certificate.weights:
        factors = {i: long_rational(text, "factor") for i, text in leaf.factors}
        rows |= {(i, y > 0): None for i, y in factors.items()}
        moved = weighted_sum(factors, lines.__getitem__)
        columns |= {(j, pull < 0): None for j, pull in moved.items()}
    return [
        # an equation is told once; of cuts their rows are
        *dict.fromkeys(_row(form, i, lower) for i, lower in sorted(rows) if i < form.num_rows),
        *(said for j, low in sorted(columns) if (said := _column(form, j, low))),
        *_crossed(form),
    ]


def _row(form: RationalForm, i: int, lower: bool) -> str:
    side, factor = (form.row_lower[i] if lower else form.row_upper[i]), form.factors[i]
    low, high = form.row_lower[i], form.row_upper[i]
    relation = "=" if low == high else ">=" if lower else "<="
    shown = "none" if side is None else str(side / factor)
    return f"{_told('row', form.row_names, i)}: {relation} {shown}"


def _column(form: RationalForm, j: int, lower: bool) -> str:
    end = form.lower[j] if lower else form.upper[j]
    name = _told("column", form.column_names, j)
    return "" if end is None else f"{name}: {'>=' if lower else '<='} {end}"


def _crossed(form: RationalForm) -> list[str]:
    found = []
    for j, (a, b) in enumerate(zip(form.lower, form.upper, strict=True)):
        if a is not None and b is not None and a > b:
            found.append(f"{_told('column', form.column_names, j)}: >= {a} and <= {b}")
    for i, (a, b) in enumerate(zip(form.row_lower, form.row_upper, strict=True)):
        if a is not None and b is not None and a > b:
            factor = form.factors[i]
            name = _told("row", form.row_names, i)
            found.append(f"{name}: >= {a / factor} and <= {b / factor}")
    return found


def _told(what: str, names: tuple[str, ...], place: int) -> str:
    """``row demand``, or ``row 3`` where the source names none."""
    return f"{what} {named(names[place]) if names else place}"
