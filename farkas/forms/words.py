"""Rows and bounds as a reader would write them."""

import math

from farkas.forms.form import LinearForm
from farkas.forms.naming import find_block, short_name
from farkas.messages import number_of


def relation(form: LinearForm, i: int, *, most: int = 8) -> str:
    """Row ``i`` written out, for example ``moved[0,1] - 2 workers[0] <= 0``.

    Parameters
    ----------
    most
        Terms that are shown; the number of the others is said.
    """
    columns, values = form.matrix.row(i)
    pairs = list(zip(values.tolist(), columns.tolist(), strict=True))
    terms = [
        f"{_factor(value, first=place == 0)}{short(form, j)}"
        for place, (value, j) in enumerate(pairs[:most])
    ]
    if len(pairs) > most:
        terms.append(f"+ ... ({len(pairs) - most} more terms)")
    return _between(form.row_lower[i], " ".join(terms) or "0", form.row_upper[i])


def size_words(rows: int, columns: int, integers: int = 0) -> str:
    """Size of a program in words.

    >>> size_words(1, 2), size_words(0, 1, integers=1)
    ('1 row, 2 columns', '0 rows, 1 column (1 integer)')
    """
    whole = f" ({integers} integer)" if integers else ""
    return f"{number_of(rows, 'rows')}, {number_of(columns, 'columns')}{whole}"


def box(form: LinearForm, j: int, side: str) -> str:
    """One bound of column ``j``, for example ``workers[0] <= 3``; ``side`` is lower or upper."""
    value = (form.safe_lower if side == "lower" else form.safe_upper)[j]
    return f"{short(form, j)} {'>=' if side == 'lower' else '<='} {value:g}"


def short(form: LinearForm, j: int) -> str:
    """Name of column ``j`` with bare indices."""
    return short_name(find_block(form.columns, j), j) if form.columns else f"x[{j}]"


def _factor(value: float, *, first: bool) -> str:
    sign = "- " if value < 0 else "" if first else "+ "
    return sign if abs(value) == 1 else f"{sign}{abs(value):g} "


def _between(low: float, body: str, high: float) -> str:
    if low == high:
        return f"{body} = {low:g}"
    if math.isinf(low) and math.isinf(high):
        return f"{body} free"
    if math.isinf(low):
        return f"{body} <= {high:g}"
    if math.isinf(high):
        return f"{body} >= {low:g}"
    return f"{low:g} <= {body} <= {high:g}"
