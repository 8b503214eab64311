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

from farkas.certificates.sums import dot, exact_dot, reduced_costs
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Floats

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

    ``multipliers``: shape (rows,): derivative of the optimal value with respect to each right-hand
    side, as doubles.  Any finite values are valid; one that pushes against an infinite row side
    counts as 0.  Raises `NotACertificate` when a reduced cost meets an infinite column bound; names
    the column.
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
    reduced = reduced_costs(form.cost, form.matrix, projected)
    signs = np.where(reduced.negative, -1.0, reduced.nonzero)
    ends = np.where(signs == 0, 0.0, np.where(signs < 0, dear, cheap))
    bad = np.flatnonzero(~np.isfinite(ends))
    if len(bad):
        first = int(bad[0])
        raise NotACertificate(no_finite_bound(form, first, reduced.exact(first), len(bad) - 1))
    rows = exact_dot(projected, np.where(projected != 0, _row_ends(form, projected), 0.0))
    value = rows + dot(reduced, ends) + Fraction(form.offset)
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
