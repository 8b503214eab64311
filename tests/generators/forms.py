"""Random linear programs of every shape, for tests of the kernel and of duals."""

from __future__ import annotations

import numpy as np

from farkas.forms import Axis, Block, LinearForm
from farkas.forms.matrices import rows_of_dense

INF = np.inf


def named(name: str, start: int, size: int) -> Block:
    return Block(name, "", start, (Axis(("i",), np.arange(size, dtype=np.int64)[:, None]),))


def small(
    matrix,
    *,
    cost,
    row_lower=None,
    row_upper=None,
    lower=None,
    upper=None,
    sense="min",
    offset=0.0,
    integer=None,
    **more,
):
    """A form from lists; absent sides are infinite, absent column bounds 0 and infinity."""
    rows = rows_of_dense(matrix)
    m, n = rows.shape

    def side(values, size, default):
        return np.full(size, default) if values is None else np.array(values, float)

    return LinearForm(
        name="small",
        cost=np.array(cost, float),
        matrix=rows,
        row_lower=side(row_lower, m, -INF),
        row_upper=side(row_upper, m, INF),
        lower=side(lower, n, 0.0),
        upper=side(upper, n, INF),
        integer=np.zeros(n, bool) if integer is None else np.array(integer, bool),
        sense=sense,
        offset=offset,
        rows=(named("row", 0, m),),
        columns=(named("column", 0, n),),
        **more,
    )


def random_form(rng, *, most_rows=5, most_columns=5, number=None):
    """All row kinds, all column kinds, both senses, an offset; may be infeasible or unbounded."""
    number = number or (lambda size: rng.integers(-4, 5, size).astype(float))
    m, n = int(rng.integers(0, most_rows + 1)), int(rng.integers(1, most_columns + 1))
    matrix = number((m, n)) * (rng.random((m, n)) < 0.7)
    row_lower, row_upper = sides(rng, number, m)
    lower, upper = sides(rng, number, n)
    return small(
        matrix,
        cost=number(n),
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
        sense=("min", "max")[int(rng.integers(2))],
        offset=float(number(1)[0]),
    )


def sides(rng, number, size):
    """Pairs of ends: both, lower, upper, none, equal."""
    low, width = number(size), np.abs(number(size))
    high = low + width
    kind = rng.integers(0, 5, size)
    low = np.where((kind == 2) | (kind == 3), -INF, low)
    high = np.where((kind == 1) | (kind == 3), INF, high)
    high = np.where(kind == 4, low, high)
    return low, high
