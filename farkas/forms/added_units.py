"""Units of rows and columns that are added to others whose units are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from farkas.forms.scale import clipped, exponents, row_units
from farkas.numbers import Bools, Floats, Ints

if TYPE_CHECKING:
    from farkas.forms.form import SparseRows


def units_of_rows(lines: SparseRows, low: Floats, high: Floats, columns: Ints) -> Ints:
    """Units of rows that join columns with known units; sides of shape (rows,)."""
    side = np.minimum(exponents(low), exponents(high))
    return row_units(side, lines.rows, exponents(lines.values) + columns[lines.columns])


def units_of_columns(
    lines: SparseRows, low: Floats, high: Floats, integer: Bools, rows: Ints
) -> Ints:
    """Units of columns, one a line over the rows, that join rows with known units."""
    unit = np.minimum(exponents(low), exponents(high))
    np.minimum.at(unit, lines.rows, rows[lines.columns] - exponents(lines.values))
    unit[integer] = 0
    return clipped(unit)
