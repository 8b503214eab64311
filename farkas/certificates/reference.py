"""Bounds by weak duality in plain fractions: slow, short, and easy to believe.

``min c x + offset`` over ``row_lower <= A x <= row_upper``, ``lower <= x <= upper``.  For *any*
multipliers y, ``c x = y'(A x) + (c - A'y)' x``.  Each term on the right is at least its value at
the cheaper end of its range, so their sum is a lower bound.  For ``max`` the dearer ends give an
upper bound.  The fast version in :mod:`farkas.certificates.bound` is tested against this one.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from farkas.certificates.bound import Multipliers
from farkas.errors import NotACertificate
from farkas.forms import LinearForm


def reference_bound(form: LinearForm, multipliers: Multipliers) -> Fraction:
    """Lower bound of a minimum, upper bound of a maximum, proved by ``multipliers``.

    Parameters
    ----------
    multipliers
        Shape (rows,), floats or fractions: derivative of the optimal value with respect to each
        right-hand side.  A multiplier that pushes against an infinite row side counts as 0.

    Raises
    ------
    NotACertificate
        When a reduced cost meets an infinite column bound; names the column.
    """
    return reference_proof(form, multipliers)[0]


def reference_proof(form: LinearForm, multipliers: Multipliers) -> tuple[Fraction, int]:
    """As :func:`reference_bound`, with the number of columns whose implied bound was used."""
    if len(multipliers) != form.num_rows:
        raise NotACertificate(
            f"{form.name}: {len(multipliers)} multipliers for {form.num_rows} rows"
        )
    y = [_exact(value, form.row_name, i) for i, value in enumerate(multipliers)]
    cheap_rows, dear_rows = form.row_lower, form.row_upper
    cheap, dear = form.safe_lower, form.safe_upper
    stated = form.lower, form.upper
    if form.sense == "max":
        cheap_rows, dear_rows, cheap, dear = dear_rows, cheap_rows, dear, cheap
        stated = form.upper, form.lower

    total = Fraction(form.offset)
    reduced = [_exact(float(c), form.column_name, j) for j, c in enumerate(form.cost)]
    for i in range(form.num_rows):
        end = float(cheap_rows[i] if y[i] > 0 else dear_rows[i])
        if y[i] == 0 or not np.isfinite(end):
            continue
        total += y[i] * Fraction(end)
        for j, value in zip(*form.matrix.row(i), strict=True):
            reduced[j] -= y[i] * _exact(float(value), form.row_name, i)
    implied = 0
    for j, d in enumerate(reduced):
        if d == 0:
            continue
        end = float(cheap[j] if d > 0 else dear[j])
        if not np.isfinite(end):
            raise NotACertificate(no_finite_bound(form, j, d))
        total += d * Fraction(end)
        implied += end != float(stated[0 if d > 0 else 1][j])
    return total, implied


def reference_violation(form: LinearForm, ray: Multipliers) -> Fraction:
    """How far every point of the column box misses ``ray' A x``; positive proves infeasibility."""
    zero = np.zeros(form.num_columns)
    return reference_bound(form.replace(cost=zero, offset=0.0, sense="min"), ray)


def _exact(value: float | Fraction, name: Callable[[int], str], at: int) -> Fraction:
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        raise NotACertificate(f"{name(at)}: {value} is not a finite number") from None


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
