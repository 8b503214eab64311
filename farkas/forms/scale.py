"""The units in which a form's own numbers are about 1: powers of two read off the form."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from farkas.forms.form import LinearForm
from farkas.numbers import Bools, Floats, Ints, bools

if TYPE_CHECKING:
    from farkas.forms.form import LinearForm, SparseRows


#: Binary orders by which a term may exceed the unit of its row: rounding of the term must stay well
#: below the share of the unit that solvers leave, 1e-9.
ROW_SPREAD = 16

#: Binary orders by which a term may exceed the unit of the objective: what is small beside the
#: largest term hardly changes an optimum, and a large cost beside an absolute tolerance is an
#: error.
COST_SPREAD = 10

#: Largest exponent of a row's or column's unit: a share of a power beyond it is hardly a double.
#:
#: Nearer to 0, an instance in units of 1e-290 would have rows that no answer can miss by a share.
FARTHEST = 1000

#: Exponent that stands for no number; above every sum of exponents of doubles.
NONE = np.int64(1) << 40


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Exponents of the powers of two in which a form measures itself."""

    rows: Ints  #: Shape (rows,): row i is measured in ``2 ** rows[i]``.
    #: Shape (columns,): column j is measured in ``2 ** columns[j]``, an integer one in 1.
    columns: Ints
    cost: int  #: The objective is measured in ``2 ** cost``.

    @property
    def row(self) -> Floats:
        """Unit of every row, shape (rows,)."""
        return np.ldexp(1.0, self.rows)

    @property
    def column(self) -> Floats:
        """Unit of every column, shape (columns,)."""
        return np.ldexp(1.0, self.columns)


def units_of(form: LinearForm) -> Units:
    """Return the units of a form, by its numbers alone.

    A continuous column is measured by the smallest of its finite bounds and of the quotients of
    sides and coefficients in its rows; one without any, by the largest terms beside it; what no row
    measures, by the largest terms of the objective beside it.  A row is measured by the geometric
    mean of its side and its terms, each with its column's unit as value; the objective by that of
    its terms.  Zeros and infinities measure nothing, nor do terms of columns fixed at 0 beside
    others; what nothing measures has unit 1.  So multiplying a row, a continuous column or the
    objective by a power of two multiplies its unit by the same power, exactly, since only whole
    exponents are added.
    """
    rows, columns = form.matrix.rows, form.matrix.columns.astype(np.int64)
    entry = exponents(form.matrix.values)
    if (entry == NONE).any():  # zeros: fractions may be too small for doubles
        there = entry < NONE
        rows, columns, entry = rows[there], columns[there], entry[there]
    counts = counting(form.lower, form.upper)
    side = np.minimum(exponents(form.row_lower), exponents(form.row_upper))
    unit = np.minimum(exponents(form.lower), exponents(form.upper))
    sided = side[rows] < NONE
    np.minimum.at(unit, columns[sided], side[rows[sided]] - entry[sided])
    unit[form.integer] = 0
    if (unit == NONE).any():
        measure_beside(form, unit, (rows, columns, entry), counts)
    unit = clipped(unit)
    kept = counts[columns]
    bare = np.ones(form.num_rows, bool)
    bare[rows[kept]] = False
    kept |= bare[rows]  # a row of such terms alone is measured by them
    terms = (entry + unit[columns])[kept]
    return Units(row_units(side, rows[kept], terms), unit, cost_unit(form.cost, unit, counts))


def counting(lower: Floats, upper: Floats) -> Bools:
    """Whether the terms of a column count in rows, shape (columns,): not when it is fixed at 0."""
    return bools((lower != 0) | (upper != 0))


def cost_unit(cost: Floats, columns: Ints, counts: Bools) -> int:
    """Exponent of the unit of an objective, from costs, units and `counting`, shape (columns,)."""
    terms = exponents(cost[counts]) + columns[counts]
    return int(_middle(np.zeros(len(terms), np.int64), terms, 1, COST_SPREAD)[0])


def exponents(values: Floats) -> Ints:
    """Rounded-down binary logarithms; NONE for 0 and what is not finite."""
    exponent = np.frexp(values)[1].astype(np.int64) - 1
    return np.where(np.isfinite(values) & (values != 0), exponent, NONE)


def clipped(unit: Ints) -> Ints:
    """Exponents no farther from 0 than `FARTHEST`; 0 for `NONE`."""
    return np.where(unit == NONE, 0, np.clip(unit, -FARTHEST, FARTHEST))


def row_units(side: Ints, rows: Ints, terms: Ints) -> Ints:
    """Units of rows by the exponents of their sides and of their terms, with the row of each."""
    where = np.concatenate([rows, np.arange(len(side))])
    unit = _middle(where, np.concatenate([terms, side]), len(side), ROW_SPREAD)
    return np.clip(unit, -FARTHEST, FARTHEST)


def _middle(where: Ints, exponents: Ints, size: int, spread: int) -> Ints:
    """Mean exponent per place, rounded down, at most ``spread`` below the largest; 0 for none."""
    known = exponents < NONE // 2
    where, exponents = where[known], exponents[known]
    count = np.bincount(where, minlength=size)
    largest, total = np.full(size, -NONE), np.zeros(size, np.int64)
    np.maximum.at(largest, where, exponents)
    np.add.at(total, where, exponents)
    mean = np.maximum(total // np.maximum(count, 1), largest - spread)
    return np.where(count > 0, mean, 0)


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


def units_of_rows(lines: SparseRows, low: Floats, high: Floats, columns: Ints) -> Ints:
    """Units of rows that join columns with known units; sides of shape (rows,)."""
    side = np.minimum(exponents(low), exponents(high))
    return row_units(side, lines.rows, exponents(lines.values) + columns[lines.columns])


def measure_beside(
    form: LinearForm, unit: Ints, terms: tuple[Ints, Ints, Ints], counts: Bools
) -> None:
    """Measure columns by the largest terms beside them, in rows or else in the objective.

    ``unit``: Shape (columns,), exponents; those that are `NONE` are replaced where terms beside say
    one.  ``terms``: Rows, columns and exponents of the coefficients that are not 0, shape
    (entries,) each.  ``counts``: See `farkas.forms.scale.counting`.
    """
    rows, columns, entry = terms
    spread(unit, rows, columns, entry, form.num_rows, counts)
    if (unit == NONE).any():
        priced = np.flatnonzero(form.cost)
        spread(
            unit,
            np.concatenate([rows, np.full(len(priced), form.num_rows)]),
            np.concatenate([columns, priced]),
            np.concatenate([entry, exponents(form.cost[priced])]),
            form.num_rows + 1,
            counts,
        )


def spread(
    unit: Ints, rows: Ints, columns: Ints, entry: Ints, num_rows: int, counts: Bools
) -> None:
    """Measure columns that have neither bound nor side by the columns beside them.

    A row can tell something new only when one of its columns became known in the round before, and
    then all of them are: all rounds together read every row a few times, however many they are.
    """
    if not (unit[columns] == NONE).any():
        return
    starts = np.searchsorted(rows, np.arange(num_rows + 1))
    by_column = np.argsort(columns, kind="stable")
    firsts = np.searchsorted(columns[by_column], np.arange(len(unit) + 1))
    term = np.full(num_rows, -NONE)
    due = np.arange(len(rows))
    while len(due):
        new = _one_round(unit, term, rows[due], columns[due], entry[due], counts)
        beside = by_column[_each(firsts, new[counts[new]])]
        due = _each(starts, np.unique(rows[beside]))


def _one_round(
    unit: Ints, term: Ints, rows: Ints, columns: Ints, entry: Ints, counts: Bools
) -> Ints:
    """Measure what these entries of whole rows can; return the columns that became known."""
    blank: Bools = unit[columns] == NONE
    known = ~blank & counts[columns]
    np.maximum.at(term, rows[known], entry[known] + unit[columns[known]])
    found = blank & (term[rows] > -NONE)
    np.minimum.at(unit, columns[found], term[rows[found]] - entry[found])
    term[rows] = -NONE
    return np.unique(columns[found])


def _each(starts: Ints, which: Ints) -> Ints:
    """Places ``starts[k]`` to ``starts[k + 1]`` of every k in ``which``, one after the other."""
    sizes = starts[which + 1] - starts[which]
    return np.repeat(starts[which] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
