"""A form written in its own units, for solvers."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from farkas.forms.scale import Units
from farkas.numbers import Floats, Ints

if TYPE_CHECKING:
    from farkas.forms.form import LinearForm


def in_units(form: LinearForm, units: Units) -> LinearForm | None:
    """Return the same program in its own units, where its numbers are about 1, without constant.

    A point ``x`` of the result is the point ``x * units.column`` of the form, whose objective is
    ``2 ** units.cost`` times that of the result, plus the constant.  Every number is exact; None
    when one would leave the range in which powers of two multiply exactly.
    """
    matrix = form.matrix
    columns, rows = units.columns, units.rows
    moved = {
        "cost": columns - units.cost,
        "row_lower": -rows,
        "row_upper": -rows,
        "lower": -columns,
        "upper": -columns,
    }
    new = {name: shifted(getattr(form, name), shift) for name, shift in moved.items()}
    values = shifted(matrix.values, columns[matrix.columns] - rows[matrix.rows])
    if values is None or any(array is None for array in new.values()):
        return None
    return form.replace(
        matrix=dataclasses.replace(matrix, values=values),
        offset=0.0,
        implied_lower=None,
        implied_upper=None,
        **new,
    )


def shifted(values: Floats, exponents: Ints | np.int64) -> Floats | None:
    """Return ``values`` times powers of two; None where a product is no double."""
    with np.errstate(over="ignore", under="ignore"):
        new = np.ldexp(values, exponents)
        exact = np.array_equal(np.ldexp(new, -exponents), values)
    return new if exact else None
