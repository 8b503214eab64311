"""Programs in whole numbers of 64 bits, which is what CP-SAT takes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.forms import LinearForm
from farkas.solvers.process import Arrays

LARGEST = 2**62
"""No sum of a row, and no sum of costs, may reach this."""
MOST_PASSES = 8
"""Passes over the rows to find ends of columns that have none."""

Terms: TypeAlias = list[tuple[int, int]]
End: TypeAlias = int | None


@dataclasses.dataclass(frozen=True, slots=True)
class WholeProgram:
    """A minimum in whole numbers.

    Parameters
    ----------
    arrays
        What :func:`farkas.solvers.ortools_child.answered` takes.
    unit
        Costs of the form are those here times this.
    empty
        Which column or row leaves no whole number; the arrays are empty then.
    """

    arrays: Arrays
    unit: Fraction
    empty: str = ""


def whole_program(form: LinearForm, solver: str) -> WholeProgram:
    """Write a form of whole columns in whole numbers, exactly.

    Doubles are whole multiples of powers of two, so that every row is one of whole numbers in some
    unit; sides are rounded inwards.  Columns without an end get the one that rows imply.

    Raises
    ------
    UnsupportedForm
        The numbers need more than 64 bits, or no row bounds a column; names it.
    """
    lower = [None if math.isinf(x) else math.ceil(x) for x in form.lower.tolist()]
    upper = [None if math.isinf(x) else math.floor(x) for x in form.upper.tolist()]
    rows: list[tuple[Terms, End, End]] = []
    for i in range(form.num_rows):
        where, values = form.matrix.row(i)
        used = [(j, v) for j, v in zip(where.tolist(), values.tolist(), strict=True) if v]
        whole, unit = _in_whole([v for _, v in used])
        low, high = float(form.row_lower[i]), float(form.row_upper[i])
        least = None if math.isinf(low) else math.ceil(Fraction(low) / unit)
        most = None if math.isinf(high) else math.floor(Fraction(high) / unit)
        if least is not None and most is not None and least > most:
            return _empty(f"{form.row_name(i)}: no whole number between its sides")
        rows.append(([(j, v) for (j, _), v in zip(used, whole, strict=True)], least, most))
    _derive_ends(rows, lower, upper)
    ends: list[tuple[int, int]] = []
    for j, (a, b) in enumerate(zip(lower, upper, strict=True)):
        name = form.column_name(j)
        if a is None or b is None:
            raise UnsupportedForm(
                f"{solver}: {name} has no {'lower' if a is None else 'upper'} bound, and no row "
                "implies one; state one or use another solver"
            )
        if a > b:
            return _empty(f"{name}: no whole number within its bounds")
        ends.append((a, b))
    toward = 1 if form.sense == "min" else -1
    cost, unit = _in_whole([toward * c for c in form.cost.tolist()])
    sums = [(terms, form.row_name(i)) for i, (terms, _, _) in enumerate(rows)]
    sums += [([(j, 1)], form.column_name(j)) for j in range(len(ends))]
    sums.append((list(enumerate(cost)), "the objective"))
    for terms, name in sums:
        if sum(abs(v) * max(abs(ends[j][0]), abs(ends[j][1])) for j, v in terms) >= LARGEST:
            raise UnsupportedForm(
                f"{solver}: {name} needs numbers of more than 64 bits; use another solver, or "
                "numbers with fewer digits"
            )
    arrays = {
        "cost": cost,
        "lower": [a for a, _ in ends],
        "upper": [b for _, b in ends],
        # what no sum reaches is no side
        "row_lower": [-LARGEST if a is None else _within(a) for _, a, _ in rows],
        "row_upper": [LARGEST if b is None else _within(b) for _, _, b in rows],
        "starts": np.cumsum([0, *(len(terms) for terms, _, _ in rows)]).tolist(),
        "columns": [j for terms, _, _ in rows for j, _ in terms],
        "values": [v for terms, _, _ in rows for _, v in terms],
    }
    return WholeProgram({k: np.array(v, dtype=np.int64) for k, v in arrays.items()}, unit)


def _empty(why: str) -> WholeProgram:
    return WholeProgram({}, Fraction(1), why)


def _within(side: int) -> int:
    return max(-LARGEST, min(LARGEST, side))


def _in_whole(values: Sequence[float]) -> tuple[list[int], Fraction]:
    """Numbers as small whole multiples of a unit, exactly."""
    parts = [value.as_integer_ratio() for value in values]
    below = max((d for _, d in parts), default=1)  # all are powers of two
    whole = [n * (below // d) for n, d in parts]
    common = math.gcd(*whole) or 1
    return [n // common for n in whole], Fraction(common, below)


def _derive_ends(
    rows: Sequence[tuple[Terms, End, End]], lower: list[End], upper: list[End]
) -> None:
    """Fill in the ends that follow from one row at a time, where there are none."""
    for _ in range(MOST_PASSES):
        missing = sum(end is None for end in (*lower, *upper))
        if not missing:
            return
        for terms, low, high in rows:
            if high is not None:
                _derive_in_row(terms, high, lower, upper)
            if low is not None:
                _derive_in_row([(j, -v) for j, v in terms], -low, lower, upper)
        if sum(end is None for end in (*lower, *upper)) == missing:
            return


def _derive_in_row(terms: Terms, side: int, lower: list[End], upper: list[End]) -> None:
    """Fill in what follows from ``terms x <= side``."""
    least = [(lower[j] if v > 0 else upper[j], v) for j, v in terms]
    endless = [j for (j, _), (end, _) in zip(terms, least, strict=True) if end is None]
    if len(endless) > 1:
        return
    total = sum(end * v for end, v in least if end is not None)
    for (j, v), (end, _) in zip(terms, least, strict=True):
        if endless and endless[0] != j:
            continue
        room = side - (total if end is None else total - end * v)
        if v > 0 and upper[j] is None:
            upper[j] = room // v
        elif v < 0 and lower[j] is None:
            lower[j] = -(room // -v)
