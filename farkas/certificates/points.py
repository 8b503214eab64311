"""Exact feasibility of a point: what a claimed value is worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from farkas.certificates.bound import check_data
from farkas.certificates.sums import exact_dot, slacks
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Bools, Floats


def exact_value(form: LinearForm, point: Floats) -> Fraction:
    """Objective of ``point``, shape (columns,), without any rounding.

    Raises
    ------
    NotACertificate
        When the point has another shape, or a number is not finite.
    """
    if not np.isfinite(form.offset):
        raise NotACertificate(f"{form.name}: the offset is {form.offset}")
    return exact_dot(form.cost, point) + Fraction(form.offset)


def exact_feasibility(form: LinearForm, point: Floats, tolerance: float = 0.0) -> None:
    """Check every row, bound and integrality requirement in exact arithmetic.

    Parameters
    ----------
    point
        Shape (columns,).
    tolerance
        Share of the side or bound, or of the unit of the row or column where that is larger (see
        :func:`farkas.forms.scale.units_of`); 0 asks for exact feasibility.

    Raises
    ------
    NotACertificate
        For the first requirement that is violated by more than the tolerance; names it.
    """
    if not 0 <= tolerance < 1:
        raise NotACertificate(f"{form.name}: a tolerance of {tolerance} is none")
    check_data(form)
    if point.shape != (form.num_columns,):
        raise NotACertificate(
            f"{form.name}: the point has shape {point.shape}, needed ({form.num_columns},)"
        )
    if not np.isfinite(point).all():
        j = int(np.flatnonzero(~np.isfinite(point))[0])
        raise NotACertificate(f"{form.column_name(j)}: the point holds {point[j]}")
    bad = (point < form.lower) | (point > form.upper)
    if tolerance and bad.any():
        bad = columns_beyond(form, point, tolerance)
    _refuse(form, bad, "column", "bound", tolerance)
    # the difference of a double and its nearest integer is exact
    fraction = np.abs(point - np.rint(point))
    _refuse(form, form.integer & (fraction > tolerance), "column", "integrality", tolerance)
    for side, sign, what in (
        (form.row_lower, 1.0, "lower side"),
        (form.row_upper, -1.0, "upper side"),
    ):
        bad = below(form, point, side, sign)
        if tolerance and bad.any():
            bad = rows_beyond(form, point, sign, tolerance)
        _refuse(form, bad, "row", what, tolerance)


def below(form: LinearForm, point: Floats, side: Floats, sign: float) -> Bools:
    """Rows with ``sign * (A point) < sign * side``, exactly."""
    finite = np.isfinite(side)
    bad: Bools = (side if sign > 0 else -side) == np.inf
    slack = slacks(np.where(finite, side, 0.0), form.matrix, point)
    wrong = ~slack.negative & slack.nonzero if sign > 0 else slack.negative
    return bad | (finite & wrong)


def _refuse(form: LinearForm, bad: Bools, role: str, what: str, tolerance: float) -> None:
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        name = form.row_name(k) if role == "row" else form.column_name(k)
        more = int(bad.sum()) - 1
        also = f" (and {more} more)" if more else ""
        raise NotACertificate(
            f"{name}: the point violates the {what} by more than {tolerance:g}{also}"
        )


def columns_beyond(form: LinearForm, point: Floats, tolerance: float) -> Bools:
    """Columns whose bounds ``point`` misses by more than ``tolerance``, shape (columns,).

    It may hold for some columns behind the first that does; see `exact_feasibility` for the unit.
    """
    low, high = relaxed(form.lower, form.upper, tolerance, form.units.column)
    bad = (point < low) | (point > high)
    share = Fraction(tolerance)
    _clear(bad, lambda j: _within(form, "column", j, Fraction(float(point[j])), share))
    return bad


def rows_beyond(form: LinearForm, point: Floats, sign: float, tolerance: float) -> Bools:
    """Rows whose lower (``sign`` 1) or upper (-1) side is missed by more, shape (rows,)."""
    low, high = relaxed(form.row_lower, form.row_upper, tolerance, form.units.row)
    bad = below(form, point, low if sign > 0 else high, sign)
    share = Fraction(tolerance)
    _clear(bad, lambda i: _within(form, "row", i, activity(form, point, i), share))
    return bad


def activity(form: LinearForm, point: Floats, i: int) -> Fraction:
    """Row ``i`` of ``A point``, in fractions."""
    where, values = form.matrix.row(i)
    pairs = zip(values.tolist(), point[where].tolist(), strict=True)
    return sum((Fraction(a) * Fraction(x) for a, x in pairs), Fraction(0))


def _clear(bad: Bools, fits: Callable[[int], bool]) -> None:
    """Clear the first places of ``bad`` that only the rounding of `relaxed` put outside."""
    for k in np.flatnonzero(bad).tolist():
        if not fits(k):
            return
        bad[k] = False


def _within(form: LinearForm, role: str, k: int, value: Fraction, share: Fraction) -> bool:
    """Whether a row or column holds ``value`` within ``share``, without any rounding."""
    if role == "row":
        low, high, order = form.row_lower[k], form.row_upper[k], form.units.rows[k]
    else:
        low, high, order = form.lower[k], form.upper[k], form.units.columns[k]
    unit = Fraction(2) ** int(order)
    for end, sign in ((float(low), 1), (float(high), -1)):
        if sign * end == math.inf:
            return False
        if math.isfinite(end):
            side = Fraction(end)
            if sign * (side - value) > share * max(unit, abs(side)):
                return False
    return True


def relaxed(low: Floats, high: Floats, tolerance: float, unit: Floats) -> tuple[Floats, Floats]:
    """Sides moved outwards by at most ``tolerance * max(unit, |side|)``, whatever the rounding.

    A product or sum of doubles is rounded to a neighbour of the exact one, so that the double next
    to it on the inner side is not beyond: once for the product, once for the sum.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # infinite sides stay as they are
        wide_low = low - np.nextafter(tolerance * np.maximum(unit, np.abs(low)), 0.0)
        wide_high = high + np.nextafter(tolerance * np.maximum(unit, np.abs(high)), 0.0)
        wide_low = np.minimum(low, np.nextafter(wide_low, np.inf))
        wide_high = np.maximum(high, np.nextafter(wide_high, -np.inf))
    return (
        np.where(np.isfinite(low), wide_low, low),
        np.where(np.isfinite(high), wide_high, high),
    )
