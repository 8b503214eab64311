"""Which rows and columns a point violates, by how much, in words."""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np

from farkas.errors import UnknownName, UnsupportedForm
from farkas.forms.form import Block, LinearForm
from farkas.messages import number_of
from farkas.numbers import Floats
from farkas.tolerances import FEASIBLE, ROUNDING


@dataclasses.dataclass(frozen=True, slots=True)
class Violation:
    """One violated row, bound or integrality requirement."""

    what: str  #: Name with its index in words.
    kind: str  #: ``"row"``, ``"bound"`` or ``"integrality"``.
    distance: float  #: How far the value lies outside, in the unit that the form is written in.
    #: The same as a share of the side or of the row's or column's unit, whichever is larger.
    share: float


@dataclasses.dataclass(frozen=True, slots=True)
class FeasibilityReport:
    """Result of :func:`check_point`; truthy when the point is feasible."""

    #: Largest share over all requirements, see :class:`Violation`, since distances in different
    #: units are not comparable; 0 when everything holds exactly.
    worst: float
    count: int  #: Number of requirements violated by more than the tolerance.
    #: Those of the largest shares, at most ``most``, worst first.
    violations: tuple[Violation, ...]

    def __bool__(self) -> bool:
        return self.count == 0

    def __str__(self) -> str:
        if self:
            return f"feasible, largest violation {self.worst:.3g}"
        lines = [f"{v.what}: {v.kind} off by {v.distance:.3g}" for v in self.violations]
        more = f"\n... and {self.count - len(lines)} more" if self.count > len(lines) else ""
        return "\n".join(lines) + more


def check_point(
    form: LinearForm,
    point: Floats,
    *,
    tolerance: float = FEASIBLE,
    most: int = 10,
    whole: float | None = None,
) -> FeasibilityReport:
    """Compare ``point`` with every row, bound and integrality requirement of ``form``.

    ``point``: shape (columns,).  ``tolerance``: share of the side or bound, or of the unit of the
    row or column where that is larger; see :func:`~farkas.forms.scale.units_of`.  Of an integer
    column, the distance from a whole number.  ``most``: how many violations the report names.
    ``whole``: of a solver's point, the distance from whole numbers that it may keep; the size of
    the terms of a row, and of a value, counts then where that is larger: rows of large terms cannot
    be met to a share of their unit in floating point.
    """
    if point.shape != (form.num_columns,):
        raise ValueError(f"{form.name}: point has shape {point.shape}, needs {form.num_columns}")
    if not np.isfinite(point).all():
        j = int(np.flatnonzero(~np.isfinite(point))[0])
        nowhere = Violation(form.column_name(j), "bound", np.inf, np.inf)
        return FeasibilityReport(np.inf, 1, (nowhere,))
    matrix, size = form.matrix, np.abs(point)
    activity = matrix.times(point)
    row, column, one = form.units.row, form.units.column, np.ones(form.num_columns)
    if whole is not None:
        row, column = np.maximum(row, abs(matrix).times(size)), np.maximum(column, size)
        # at magnitude 1e12 a float has no room for an absolute 1e-6
        one = whole / FEASIBLE * np.maximum(1.0, ROUNDING * size)
    broken = np.where(form.integer, np.abs(point - np.rint(point)), 0.0)
    parts = [
        ("row", _outside(activity, form.row_lower, form.row_upper, row), form.row_name),
        ("bound", _outside(point, form.lower, form.upper, column), form.column_name),
        ("integrality", (broken, one), form.column_name),
    ]
    worst, count = 0.0, 0
    found: list[Violation] = []
    for kind, (distance, scale), name in parts:
        with np.errstate(over="ignore", invalid="ignore"):
            share = distance / scale
        worst = max(worst, float(share.max(initial=0.0)))
        bad = np.flatnonzero(distance > tolerance * scale)
        count += len(bad)
        for i in bad[np.argsort(-share[bad], kind="stable")][:most]:
            found.append(Violation(name(int(i)), kind, float(distance[i]), float(share[i])))
    found.sort(key=lambda v: -v.share)
    return FeasibilityReport(worst, count, tuple(found[:most]))


def _outside(value: Floats, low: Floats, high: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """Distances from the sides, infinite for values beyond doubles, and what they are shares of."""
    with np.errstate(over="ignore", invalid="ignore"):
        below, above = low - value, value - high
        side = np.where(below > above, np.abs(low), np.abs(high))
        scale = np.maximum(unit, np.where(np.isfinite(side), side, 0.0))
        distance = np.where(np.isfinite(value), np.maximum(0.0, np.maximum(below, above)), np.inf)
    return distance, scale


def refuse_impossible_sides(form: LinearForm, why: str) -> None:
    """Refuse a lower end that is +inf or NaN, an upper end that is -inf or NaN.

    Raises `UnsupportedForm`: names the first such row or column, and says ``why``.
    """
    for low, high, name in (
        (form.row_lower, form.row_upper, form.row_name),
        (form.lower, form.upper, form.column_name),
    ):
        for i in np.flatnonzero(~((low < np.inf) & (high > -np.inf)))[:1].tolist():
            raise UnsupportedForm(
                f"{form.name}: {name(i)} lies between {low[i]} and {high[i]}; {why}"
            )


def find_block(blocks: Sequence[Block], position: int) -> Block:
    """Block that holds the row or column ``position``."""
    at = bisect.bisect_right(blocks, position, key=lambda block: block.stop)
    if at == len(blocks) or not blocks[at].start <= position < blocks[at].stop:
        raise IndexError(f"no family holds position {position}")
    return blocks[at]


def index_in(block: Block, position: int) -> tuple[int, ...]:
    """Member of the index sets at row or column ``position`` (absolute)."""
    if not block.start <= position < block.stop:
        raise IndexError(f"{position} is outside {block.name} ({block.start}..{block.stop - 1})")
    flat = np.unravel_index(position - block.start, block.shape) if block.axes else ()
    return tuple(
        int(component)
        for axis, place in zip(block.axes, flat, strict=True)
        for component in axis.members[place]
    )


def short_name(block: Block, position: int) -> str:
    """``enough_workers[3,7,2]``."""
    index = index_in(block, position)
    return f"{block.name}[{','.join(map(str, index))}]" if index else block.name


def full_name(block: Block, position: int) -> str:
    """``enough_workers[job=3, slot=7, site=2]  (8a)``."""
    words = [label for axis in block.axes for label in axis.labels]
    parts = [f"{w}={i}" for w, i in zip(words, index_in(block, position), strict=True)]
    name = f"{block.name}[{', '.join(parts)}]" if parts else block.name
    return f"{name}  ({block.label})" if block.label else name


def name_among(blocks: Sequence[Block], position: int, role: str) -> str:
    """Name of a row or column; its number where families are not known."""
    if not blocks:
        return f"{role} {position}"
    return full_name(find_block(blocks, position), position)


def names_among(blocks: Sequence[Block], size: int, role: str) -> list[str]:
    """Names of all rows or columns, as `name_among` has them."""
    if not blocks:
        return [f"{role} {position}" for position in range(size)]
    found = []
    for block in blocks:
        label = f"  ({block.label})" if block.label else ""
        axes = [
            [", ".join(f"{w}={i}" for w, i in zip(axis.labels, member, strict=True))
             for member in axis.members.tolist()]
            for axis in block.axes
        ]  # fmt: skip
        for parts in itertools.product(*axes):
            inner = f"[{', '.join(parts)}]" if parts else ""
            found.append(f"{block.name}{inner}{label}")
    return found


def block_of(blocks: tuple[Block, ...], name: str, role: str) -> Block:
    """Family or variable ``name``; raises `UnknownName` when there is none, of that role."""
    for block in blocks:
        if block.name == name:
            return block
    raise UnknownName.of(role, name, [block.name for block in blocks])


def relation(form: LinearForm, i: int, *, most: int = 8) -> str:
    """Row ``i`` written out, for example ``moved[0,1] - 2 workers[0] <= 0``.

    ``most``: terms that are shown; the number of the others is said.
    """
    columns, values = form.matrix.row(i)
    pairs = list(zip(values.tolist(), columns.tolist(), strict=True))
    terms = [
        f"{_factor(value, first=place == 0)}{short(form, j)}"
        for place, (value, j) in enumerate(pairs[:most])
    ]
    if len(pairs) > most:
        terms.append(f"+ ... ({len(pairs) - most} more terms)")
    return _between(form.row_lower[i], " ".join(terms) or "0", form.row_upper[i])


def size_words(rows: int, columns: int, integers: int = 0) -> str:
    """Size of a program in words.

    >>> size_words(1, 2), size_words(0, 1, integers=1)
    ('1 row, 2 columns', '0 rows, 1 column (1 integer)')
    """
    whole = f" ({integers} integer)" if integers else ""
    return f"{number_of(rows, 'rows')}, {number_of(columns, 'columns')}{whole}"


def box(form: LinearForm, j: int, side: str) -> str:
    """One bound of column ``j``, for example ``workers[0] <= 3``; ``side`` is lower or upper."""
    value = (form.safe_lower if side == "lower" else form.safe_upper)[j]
    implied = "" if math.isfinite(getattr(form, side)[j]) else "  (implied)"
    return f"{short(form, j)} {'>=' if side == 'lower' else '<='} {value:g}{implied}"


def short(form: LinearForm, j: int) -> str:
    """Name of column ``j`` with bare indices."""
    return short_name(find_block(form.columns, j), j) if form.columns else f"x[{j}]"


def _factor(value: float, *, first: bool) -> str:
    sign = "- " if value < 0 else "" if first else "+ "
    return sign if abs(value) == 1 else f"{sign}{abs(value):g} "


def _between(low: float, body: str, high: float) -> str:
    if low == high:
        return f"{body} = {low:g}"
    if math.isinf(low) and math.isinf(high):
        return f"{body} free"
    if math.isinf(low):
        return f"{body} <= {high:g}"
    if math.isinf(high):
        return f"{body} >= {low:g}"
    return f"{low:g} <= {body} <= {high:g}"
