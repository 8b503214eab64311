"""Exact feasibility of a point: what a claimed value is worth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from farkas.certificates.bound import check_data
from farkas.certificates.sums import ExactNumbers, exact_dot, slacks
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Bools, Floats, Ints


def exact_value(form: LinearForm, point: Floats) -> Fraction:
    """Objective of ``point``, shape (columns,), without any rounding.

    Raises `NotACertificate`: the point has another shape, or a number is not finite.
    """
    if not np.isfinite(form.offset):
        raise NotACertificate(f"{form.name}: the offset is {form.offset}")
    return exact_dot(form.cost, point) + Fraction(form.offset)


def exact_feasibility(form: LinearForm, point: Floats, tolerance: float = 0.0) -> None:
    """Check every row, bound and integrality requirement in exact arithmetic.

    ``point`` has shape (columns,); ``tolerance`` is a share of the side or bound, or of the unit of
    the row or column where that is larger (see :func:`farkas.forms.scale.units_of`); 0 asks for
    exact feasibility.  Raises `NotACertificate` for the first requirement that is violated by more;
    names it.
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
    share = Fraction(tolerance)

    def gap(ends: Floats) -> Callable[[int], Fraction]:
        return lambda j: Fraction(float(ends[j])) - Fraction(float(point[j]))

    for side, sign in ((form.lower, 1.0), (form.upper, -1.0)):
        bad = sign * point < sign * side
        missed = _nearly(bad, side, form.units.columns, share, gap(side))
        _refuse(form, missed, "column", "bound", tolerance)
    # the difference of a double and its nearest integer is exact
    fraction = np.abs(point - np.rint(point))
    _refuse(form, form.integer & (fraction > tolerance), "column", "integrality", tolerance)
    for side, sign, what in (
        (form.row_lower, 1.0, "lower side"),
        (form.row_upper, -1.0, "upper side"),
    ):
        slack = _slacks(form, point, side)
        missed = _nearly(_missed(slack, side, sign), side, form.units.rows, share, slack.exact)
        _refuse(form, missed, "row", what, tolerance)


def _nearly(
    bad: Bools, side: Floats, units: Ints, share: Fraction, gap: Callable[[int], Fraction]
) -> Bools:
    """Those of ``bad`` that miss their side by more than a share of it or of the unit.

    ``units``: powers of two, by their exponents; ``gap`` is the exact distance from the side.
    """
    for k in np.flatnonzero(bad & np.isfinite(side)).tolist() if share else ():
        most = share * max(Fraction(2) ** int(units[k]), abs(Fraction(side[k])))
        bad[k] = abs(gap(k)) > most
    return bad


def below(form: LinearForm, point: Floats, side: Floats, sign: float) -> Bools:
    """Rows with ``sign * (A point) < sign * side``, exactly."""
    return _missed(_slacks(form, point, side), side, sign)


def _slacks(form: LinearForm, point: Floats, side: Floats) -> ExactNumbers:
    return slacks(np.where(np.isfinite(side), side, 0.0), form.matrix, point)


def _missed(slack: ExactNumbers, side: Floats, sign: float) -> Bools:
    wrong = ~slack.negative & slack.nonzero if sign > 0 else slack.negative
    beyond: Bools = side * sign == np.inf
    return beyond | (np.isfinite(side) & wrong)


def _refuse(form: LinearForm, bad: Bools, role: str, what: str, tolerance: float) -> None:
    if bad.any():
        k = int(np.flatnonzero(bad)[0])
        name = form.row_name(k) if role == "row" else form.column_name(k)
        more = int(bad.sum()) - 1
        also = f" (and {more} more)" if more else ""
        raise NotACertificate(
            f"{name}: the point violates the {what} by more than {tolerance:g}{also}"
        )


def activity(form: LinearForm, point: Floats, i: int) -> Fraction:
    """Row ``i`` of ``A point``, in fractions."""
    where, values = form.matrix.row(i)
    pairs = zip(values.tolist(), point[where].tolist(), strict=True)
    return sum((Fraction(a) * Fraction(x) for a, x in pairs), Fraction(0))
