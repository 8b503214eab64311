"""Whole vectors with one denominator, and products of whole sparse matrices with them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from farkas.forms.rational import RationalForm, Side
from farkas.numbers import Array, Floats, Ints

ZERO = Fraction(0)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ScaledVector:
    """The vector ``numerators / denominator``."""

    numerators: Array  #: Python integers, dtype object.
    denominator: int  #: > 0.

    def fractions(self) -> list[Fraction]:
        """Return the entries, reduced."""
        below = self.denominator
        return [Fraction(x, below) if x else ZERO for x in self.numerators.tolist()]

    @classmethod
    def of(cls, values: Sequence[Fraction | int]) -> ScaledVector:
        """Bring fractions to their least common denominator."""
        below = math.lcm(*{x.denominator for x in values}) if len(values) else 1
        return cls(objects([x.numerator * (below // x.denominator) for x in values]), below)


def objects(values: Sequence[int]) -> Array:
    """Python integers as an array that keeps them."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


class Matrix:
    """A whole sparse matrix that multiplies vectors of Python integers from both sides.

    Parameters
    ----------
    rows, columns, values
        Entries by rows, in order.
    shape
        Number of rows and columns.
    """

    def __init__(self, rows: Ints, columns: Ints, values: Array, shape: tuple[int, int]) -> None:
        self.rows, self.columns, self.values, self.shape = rows, columns, values, shape
        self._exact = values.astype(object)
        self._by_column = np.argsort(columns, kind="stable")

    @classmethod
    def of(cls, form: RationalForm) -> Matrix:
        """Return the matrix of a form."""
        return cls(form.entry_rows, form.columns, form.values, (form.num_rows, form.num_columns))

    def times(self, x: Array) -> Array:
        """Return ``A x``."""
        return _summed(self._exact * x[self.columns], self.rows, self.shape[0])

    def transposed_times(self, y: Array) -> Array:
        """Return ``A' y``."""
        order = self._by_column
        products = self._exact[order] * y[self.rows[order]]
        return _summed(products, self.columns[order], self.shape[1])


def _summed(products: Array, where: Ints, size: int) -> Array:
    """Sum the products at each place; ``where`` ascends."""
    found = objects([0] * size)
    if len(where):
        first = np.flatnonzero(np.diff(where, prepend=-1))
        found[where[first]] = np.add.reduceat(products, first)
    return found


def weighted_sum(
    weights: Mapping[int, Fraction], row: Callable[[int], Iterable[tuple[int, int]]]
) -> dict[int, Fraction]:
    """Add rows up by weights; returns coefficients that are not 0 by column."""
    found: dict[int, Fraction] = {}
    for i, weight in weights.items():
        for j, v in row(i):
            found[j] = found.get(j, ZERO) + weight * v
    return {j: v for j, v in found.items() if v}


def divided(side: Side, factor: Fraction) -> Side:
    """Return a side divided by a factor; None where there is none."""
    return None if side is None else side / factor


def moved(value: Fraction | int, power: int) -> float:
    """``value * 2**power`` as a double; infinite where it is beyond all."""
    top, below = value.numerator, value.denominator
    if power >= 0:
        top <<= power
    else:
        below <<= -power
    try:
        return top / below
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def floats(
    ends: Sequence[Fraction | int | None], absent: float, units: Sequence[int] | None = None
) -> Floats:
    """Doubles nearest to ends, measured in units of powers of two; ``absent`` where there is none.

    Parameters
    ----------
    units
        Exponents, shape of ``ends``; 0 if left out.
    """
    powers = [0] * len(ends) if units is None else units
    found = [absent if e is None else moved(e, -u) for e, u in zip(ends, powers, strict=True)]
    return np.array(found, dtype=np.float64)
