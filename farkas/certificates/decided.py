"""Reduced costs of large programs: exact where they count, else their signs by doubles.

A bound needs the sign of every reduced cost, and its value only where the column end that it meets
is not 0: few columns of a large program.  A double decides a sign where it is farther from 0 than
all its roundings together can be.
"""

from __future__ import annotations

import numpy as np

from farkas.certificates.sums import ExactNumbers, inside, residual
from farkas.forms import SparseRows
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import TINY, ULP


def decided_costs(
    cost: Floats, matrix: SparseRows, multipliers: Floats, cheap: Floats, dear: Floats
) -> tuple[Floats, Ints, ExactNumbers]:
    """Signs of ``cost - A' multipliers``, and the numbers where a bound may need them.

    Parameters
    ----------
    cost, multipliers
        Shapes (columns,) and (rows,), finite.
    cheap, dear
        Shape (columns,): ends that a positive and a negative reduced cost meet.

    Returns
    -------
    Signs of all, exact: -1, 0 or 1, shape (columns,); the columns that count, ascending; and the
    reduced costs of these, exactly.
    """
    inside(matrix.columns, len(cost), "exact arithmetic")
    rows = matrix.rows
    used = (multipliers != 0)[rows]
    rows, columns, values = rows[used], matrix.columns[used], matrix.values[used]
    signs, sure = signs_by_doubles(cost, columns, values, multipliers[rows])
    asked = ~sure | (np.where(signs < 0, dear, cheap) != 0)
    at, place = np.flatnonzero(asked), np.cumsum(asked) - 1
    of = asked[columns]
    numbers = residual(cost[at], place[columns[of]], rows[of], values[of], multipliers)
    signs[at] = np.where(numbers.negative, -1.0, numbers.nonzero)
    return signs, at, numbers


def signs_by_doubles(
    cost: Floats, columns: Ints, values: Floats, factors: Floats
) -> tuple[Floats, Bools]:
    """Signs of ``cost[j]`` less the products of its entries, and which of them are sure.

    Of n products that are added up in any order and taken from the cost, every one has been rounded
    n + 1 times at most, by a share of ULP / 2, and the sum of the absolute values has, too: so
    (n + 4) ULP times that sum is more than all errors.  A product below 1e-290 may lose more than
    a share, but 2^31 of them less than 1e-290 in all.  What overflows is never sure.

    Parameters
    ----------
    cost
        Shape (columns,).
    columns, values, factors
        Shape (entries,): the column of each, what stands there, and by what it is multiplied, both
        not 0.

    Returns
    -------
    Shape (columns,), twice; without any entry a sign is that of the cost, and sure.
    """
    size = len(cost)
    count = np.bincount(columns, minlength=size)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = values * factors
        near = cost - np.bincount(columns, products, size)
        most = np.abs(cost) + np.bincount(columns, np.abs(products), size)
        sure = (count == 0) | (np.abs(near) > (count + 4) * ULP * most + TINY)
        return np.sign(near), sure
