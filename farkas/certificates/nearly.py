"""Which requirements a point misses by more than a tolerance, in exact arithmetic."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from farkas.certificates.points import below
from farkas.forms import LinearForm
from farkas.numbers import Bools, Floats


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
