"""Points that keep every row exactly, from ones that nearly do.

A solver's point misses rows by the rounding of its last operations: 1/3 + 2/3 is more than 1 by
half a unit in the last place.  Moving a few columns by as much often mends that, and what is
claimed is then a point, not nearly one.  Nothing here has to be believed: the last word is
:func:`farkas.certificates.points.exact_feasibility`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from farkas.certificates.points import activity, below, exact_feasibility
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Bools, Floats, Ints

ROUNDS = 20  #: Readings of all rows; each mends those that the one before broke.
MOST = 2000  #: Rows that are mended in a reading at most: fractions are slow.


def settled(form: LinearForm, point: Floats) -> Floats | None:
    """Find a point beside ``point`` that keeps all rows and bounds exactly; None if none is found.

    Every missed row moves one continuous column by what it is missed by: that which puts the fewest
    rows at risk, and of these the smallest, since a sum of doubles less all but the smallest is a
    double again.  ``point``: shape (columns,), finite, feasible within a tolerance.
    """
    x = np.clip(np.where(form.integer, np.rint(point), point), form.lower, form.upper)
    risks = _risks(form)
    try:
        for _ in range(ROUNDS):
            missed = _missed(form, x)
            if not missed.any():
                exact_feasibility(form, x)
                return x
            rows = np.flatnonzero(missed).tolist()
            if len(rows) > MOST or not all(_mended(form, x, i, risks) for i in rows):
                return None
    except NotACertificate:
        pass
    return None


def _missed(form: LinearForm, x: Floats) -> Bools:
    return below(form, x, form.row_lower, 1.0) | below(form, x, form.row_upper, -1.0)


def _risks(form: LinearForm) -> tuple[Ints, Ints]:
    """Sides that a column may break when it falls, and when it rises; shape (columns,) each."""
    rows, values = form.matrix.rows, form.matrix.values
    floor, ceiling = np.isfinite(form.row_lower)[rows], np.isfinite(form.row_upper)[rows]
    up, down = values > 0, values < 0
    falls, rises = up & floor | down & ceiling, up & ceiling | down & floor

    def count(some: Bools) -> Ints:
        return np.bincount(form.matrix.columns[some], minlength=form.num_columns)

    return count(falls), count(rises)


def _mended(form: LinearForm, x: Floats, i: int, risks: tuple[Ints, Ints]) -> bool:
    """Move one column so that row ``i`` is kept; tell whether one could."""
    low, high = float(form.row_lower[i]), float(form.row_upper[i])
    total = activity(form, x, i)
    if low <= total <= high:  # another row's column mended it
        return True
    gap = Fraction(low if total < low else high) - total
    columns, values = form.matrix.row(i)
    pairs = zip(columns.tolist(), values.tolist(), strict=True)
    moves = [(j, gap / Fraction(a)) for j, a in pairs if not form.integer[j]]
    moves.sort(key=lambda move: (risks[move[1] > 0][move[0]], abs(x[move[0]])))
    for j, step in moves:
        wanted = Fraction(float(x[j])) + step
        value = float(wanted)
        if value != wanted and low == high:
            continue
        if (value < wanted) if step > 0 else (value > wanted):
            value = math.nextafter(value, math.copysign(math.inf, step))
        if form.lower[j] <= value <= form.upper[j] and math.isfinite(value):
            x[j] = value
            return True
    return False
