"""Exact feasibility of a point: what a claimed value is worth."""

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
        from farkas.certificates.nearly import columns_beyond  # here: many points are exact

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
            from farkas.certificates.nearly import rows_beyond

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
