"""Units of columns that have neither bound nor side, from the columns beside them."""

import numpy as np

from farkas.forms.form import LinearForm
from farkas.forms.scale import NONE, exponents
from farkas.numbers import Bools, Ints


def measure_beside(
    form: LinearForm, unit: Ints, terms: tuple[Ints, Ints, Ints], counts: Bools
) -> None:
    """Measure columns by the largest terms beside them, in rows or else in the objective.

    Parameters
    ----------
    unit
        Shape (columns,), exponents; those that are `NONE` are replaced where terms beside say one.
    terms
        Rows, columns and exponents of the coefficients that are not 0, shape (entries,) each.
    counts
        See `farkas.forms.scale.counting`.
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
