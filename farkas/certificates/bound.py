"""Bounds and infeasibility proofs from any multipliers, in exact integer arithmetic.

``min c x + offset`` over ``row_lower <= A x <= row_upper``, ``lower <= x <= upper``.  For *any*
multipliers y, ``c x = y'(A x) + (c - A'y)' x``.  Each term on the right is at least its value at
the cheaper end of its range, so their sum is a lower bound.  For ``max`` the dearer ends give an
upper bound.  Unboundedness is not certified here: multipliers cannot prove it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.sums import ExactNumbers, dot, exact_dot, inside, reduced_costs, residual
from farkas.errors import NotACertificate
from farkas.forms import LinearForm, SparseRows
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import TINY, ULP

# Reduced costs of large programs: exact where they count, else their signs by doubles.
#
# A bound needs the sign of every reduced cost, and its value only where the column end that it
# meets is not 0: few columns of a large program.  A double decides a sign where it is farther from
# 0 than all its roundings together can be.


def decided_costs(
    cost: Floats, matrix: SparseRows, multipliers: Floats, cheap: Floats, dear: Floats
) -> tuple[Floats, Ints, ExactNumbers]:
    """Signs of ``cost - A' multipliers``, and the numbers where a bound may need them.

    ``cheap`` and ``dear`` are the ends that a positive and a negative reduced cost meet.  Gives the
    signs of all, exact; the columns that count, ascending; and the reduced costs of these.
    """
    inside(matrix.columns, len(cost), "exact arithmetic")
    rows = matrix.rows
    used = (multipliers != 0)[rows]
    rows, columns, values = rows[used], matrix.columns[used], matrix.values[used]
    signs, sure = signs_by_doubles(cost, columns, values, multipliers[rows])
    asked = ~sure | (np.where(signs < 0, dear, cheap) != 0)
    at, place = np.flatnonzero(asked), np.cumsum(asked) - 1
    of = asked[columns]
    numbers = residual(cost[at], place[columns[of]], rows[of], values[of], multipliers)
    signs[at] = np.where(numbers.negative, -1.0, numbers.nonzero)
    return signs, at, numbers


def signs_by_doubles(
    cost: Floats, columns: Ints, values: Floats, factors: Floats
) -> tuple[Floats, Bools]:
    """Signs of ``cost[j]`` less the products of its entries, and which of them are sure.

    Of n products that are added up in any order and taken from the cost, every one has been rounded
    n + 1 times at most, by a share of ULP / 2, and the sum of the absolute values has, too: so
    (n + 4) ULP times that sum is more than all errors.  A product below 1e-290 may lose more than
    a share, but 2^31 of them less than 1e-290 in all.  What overflows is never sure.  Entries are
    not 0, nor their factors; without any entry a sign is that of the cost, and sure.
    """
    size = len(cost)
    count = np.bincount(columns, minlength=size)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = values * factors
        near = cost - np.bincount(columns, products, size)
        most = np.abs(cost) + np.bincount(columns, np.abs(products), size)
        sure = (count == 0) | (np.abs(near) > (count + 4) * ULP * most + TINY)
        return np.sign(near), sure


LARGE = 50_000  # entries, from which on numbers are exact only where the bound needs them

Multipliers = Floats | Sequence[float]


@dataclasses.dataclass(frozen=True, slots=True)
class BoundProof:
    """A bound, proved."""

    value: Fraction  #: Lower bound of a minimum, upper bound of a maximum.
    #: Number of columns whose implied bound (one that the program argues for, but does not state as
    #: a constraint) was used.
    implied: int


def prove_bound(form: LinearForm, multipliers: Multipliers) -> BoundProof:
    """Bound that ``multipliers`` prove, with what the proof rests on.

    Valid for integer programs too: it bounds their linear relaxation.

    Parameters
    ----------
    multipliers
        Shape (rows,): derivative of the optimal value with respect to each right-hand side, as
        doubles.  Any finite values are valid; one that pushes against an infinite row side counts
        as 0.

    Raises
    ------
    NotACertificate
        When a reduced cost meets an infinite column bound; names the column.
    """
    check_data(form)
    y = _doubles(form, multipliers)
    if y.shape != (form.num_rows,):
        raise NotACertificate(
            f"{form.name}: multipliers have shape {y.shape}, needed ({form.num_rows},)"
        )
    if not np.isfinite(y).all():
        i = int(np.flatnonzero(~np.isfinite(y))[0])
        raise NotACertificate(f"{form.row_name(i)}: multiplier {y[i]} is not a finite number")
    projected = project(form, y)
    cheap, dear = cheap_and_dear(form)
    if form.num_entries < LARGE:
        reduced = reduced_costs(form.cost, form.matrix, projected)
        signs, at = np.where(reduced.negative, -1.0, reduced.nonzero), np.arange(form.num_columns)
    else:
        signs, at, reduced = decided_costs(form.cost, form.matrix, projected, cheap, dear)
    ends = np.where(signs == 0, 0.0, np.where(signs < 0, dear, cheap))
    bad = np.flatnonzero(~np.isfinite(ends))
    if len(bad):
        first = reduced.exact(int(np.searchsorted(at, bad[0])))
        raise NotACertificate(no_finite_bound(form, int(bad[0]), first, len(bad) - 1))
    rows = exact_dot(projected, np.where(projected != 0, _row_ends(form, projected), 0.0))
    value = rows + dot(reduced, ends[at]) + Fraction(form.offset)
    return BoundProof(value, _implied_count(form, signs))


def _doubles(form: LinearForm, multipliers: Multipliers) -> Floats:
    """Multipliers as doubles; whole numbers and fractions are rounded: any multipliers prove."""
    given = np.asarray(multipliers)
    if given.dtype == np.float64:
        return given
    try:
        if given.dtype.kind not in "fiuO":
            raise TypeError
        return given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise NotACertificate(f"{form.name}: a multiplier is no number, or no double") from None


def project(form: LinearForm, multipliers: Floats) -> Floats:
    """Set multipliers that push against an infinite row side to 0; shape (rows,)."""
    return np.where(np.isfinite(_row_ends(form, multipliers)), multipliers, 0.0)


def cheap_and_dear(form: LinearForm) -> tuple[Floats, Floats]:
    """Column ends that a positive and a negative reduced cost meet; shape (columns,) each."""
    low, high = form.safe_lower, form.safe_upper
    return (low, high) if form.sense == "min" else (high, low)


def _row_ends(form: LinearForm, multipliers: Floats) -> Floats:
    rising = multipliers > 0 if form.sense == "min" else multipliers < 0
    return np.where(rising, form.row_lower, form.row_upper)


def _implied_count(form: LinearForm, signs: Floats) -> int:
    """Columns whose implied bound counts."""
    lower, upper = form.safe_lower != form.lower, form.safe_upper != form.upper
    meets_upper = signs < 0 if form.sense == "min" else signs > 0
    return int(np.count_nonzero((signs != 0) & np.where(meets_upper, upper, lower)))


def check_data(form: LinearForm) -> None:
    """Raise `NotACertificate` unless numbers are finite, and sides and bounds are numbers."""
    for what, values in (("cost", form.cost), ("matrix", form.matrix.values)):
        if not np.isfinite(values).all():
            raise NotACertificate(f"{form.name}: the {what} holds infinite numbers")
    ends = form.row_lower, form.row_upper, form.safe_lower, form.safe_upper
    if any(np.isnan(end).any() for end in ends):
        raise NotACertificate(f"{form.name}: a side or bound is not a number")
    if not np.isfinite(form.offset):
        raise NotACertificate(f"{form.name}: the offset is {form.offset}")


def no_finite_bound(form: LinearForm, j: int, reduced: Fraction, more: int = 0) -> str:
    """Message for a reduced cost that pushes column ``j`` to infinity, and so many others."""
    side = "upper" if (reduced < 0) == (form.sense == "min") else "lower"
    return (
        f"{form.column_name(j)}: reduced cost {show(reduced)} has no finite {side} bound to meet;"
        f" give the variable a bound (Var: {side}, or implied_{side} with its reason)"
        f"{f' (and {more} more columns)' if more else ''}"
    )


def show(value: Fraction) -> str:
    """Three digits of ``value``, for messages."""
    try:
        return f"{float(value):.3g}"
    except OverflowError:
        return "beyond 1e308"
