"""Exact bounds from multipliers while the bounds of columns change: what closes leaves of trees.

Everything is a minimum here; a maximum is that of the negated costs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from farkas.exact.whole import ZERO, Matrix, ScaledVector, objects
from farkas.forms.rational import RationalForm, Side
from farkas.numbers import Floats

#: Binary digits of the largest multiplier, beyond those that its row needs; whatever the units.
GRID = 48


Number: TypeAlias = int | Fraction
#: End of a column: an integer where it is whole, since these are far faster than fractions.
ColumnEnd: TypeAlias = Number | None


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Multipliers of rows, evaluated."""

    ray: bool  #: Whether they are to prove that there is no point: costs count as 0 then.
    denominator: int  #: > 0; the multiplier of row i is ``factors[i] / denominator``.
    factors: dict[int, int]  #: Whole factors by row, zeros left out.
    #: Sum of the multipliers times the sides they meet, and the offset; None where such a side is
    #: infinite.
    rows: Side
    #: Column and its reduced cost times ``scale`` where that is not 0.
    pulls: list[tuple[int, int]]
    scale: int  #: > 0.

    def value(self, lower: Sequence[ColumnEnd], upper: Sequence[ColumnEnd]) -> Side:
        """Bound within a box; None where it is infinite."""
        if self.rows is None:
            return None
        whole, rest = 0, ZERO
        for j, pull in self.pulls:
            end = lower[j] if pull > 0 else upper[j]
            if end is None:
                return None
            if type(end) is int:
                whole += pull * end
            else:
                rest += pull * end
        return self.rows + (whole + rest) / self.scale


def shortened(ends: Sequence[Side]) -> list[ColumnEnd]:
    """Write whole ends of columns as integers."""
    return [e.numerator if e is not None and e.denominator == 1 else e for e in ends]


class Bounding:
    """A program as a minimum of whole rows, to which cuts are added.

    Parameters
    ----------
    form
        The program.
    """

    def __init__(self, form: RationalForm) -> None:
        self.form = form
        sign = 1 if form.sense == "min" else -1
        self.cost = [sign * c for c in form.cost]
        self.offset = sign * form.offset
        self.row_lower, self.row_upper = list(form.row_lower), list(form.row_upper)
        self.factors = list(form.factors)
        self.matrix = Matrix.of(form)
        self.gain = gain_of(self.cost, form.integer.tolist())
        self._costs = ScaledVector.of(self.cost)
        self._factor_parts = [f.as_integer_ratio() for f in self.factors]
        sizes = [(f.numerator // f.denominator).bit_length() for f in self.factors]
        self._digits = GRID + max(sizes, default=0)

    @property
    def num_rows(self) -> int:
        return len(self.row_lower)

    def value(self, point: Sequence[Fraction]) -> Fraction:
        """Exact cost of a point, as a minimum."""
        terms = (c * x for c, x in zip(self.cost, point, strict=True) if c and x)
        return sum(terms, self.offset)

    def add_rows(self, rows: Sequence[dict[int, int]], upper: Sequence[Fraction]) -> None:
        """Append rows ``terms x <= upper``."""
        old, first = self.matrix, self.num_rows
        places = [first + k for k, terms in enumerate(rows) for _ in terms]
        columns = [j for terms in rows for j in terms]
        values = [v for terms in rows for v in terms.values()]
        self.row_lower += [None] * len(rows)
        self.row_upper += upper
        self.factors += [Fraction(1)] * len(rows)
        self._factor_parts += [(1, 1)] * len(rows)
        self.matrix = Matrix(
            np.concatenate([old.rows, np.array(places, dtype=np.int64)]),
            np.concatenate([old.columns, np.array(columns, dtype=np.int64)]),
            np.concatenate([old.values.astype(object), objects(values)]),
            (self.num_rows, old.shape[1]),
        )

    def rounded(self, multipliers: Floats, *, ray: bool = False) -> Weights | None:
        """Evaluate a solver's multipliers, rounded; those against infinite sides count as 0.

        Parameters
        ----------
        multipliers
            Shape (rows,), of the rows as the source has them, in the sense of a minimum.

        Returns
        -------
        None when they are not finite.
        """
        if not np.isfinite(multipliers).all():
            return None
        top = float(np.abs(multipliers).max(initial=0.0))
        if ray and top:
            multipliers, top = multipliers / top, 1.0
        digits = max(0, self._digits - math.frexp(top)[1])
        factors: dict[int, int] = {}
        used = np.flatnonzero(multipliers)
        for i, y in zip(used.tolist(), multipliers[used].tolist(), strict=True):
            if (self.row_lower[i] if y > 0 else self.row_upper[i]) is None:
                continue
            top, bottom = y.as_integer_ratio()
            over, under = self._factor_parts[i]
            whole, rest = divmod((top * under) << digits, bottom * over)
            whole += 2 * rest >= bottom * over
            if whole:
                factors[i] = whole
        return self.weighted(factors, 1 << digits, ray=ray)

    def exact(self, multipliers: Sequence[Fraction], *, ray: bool = False) -> Weights:
        """Evaluate exact multipliers of the whole rows, in the sense of a minimum."""
        below = math.lcm(*{y.denominator for y in multipliers}) if multipliers else 1
        factors = {i: int(y * below) for i, y in enumerate(multipliers) if y}
        return self.weighted(factors, below, ray=ray)

    def weighted(self, factors: dict[int, int], denominator: int, *, ray: bool) -> Weights:
        """Evaluate whole factors over a denominator."""
        whole, rest, endless = 0, ZERO, False
        vector = objects([0] * self.num_rows)
        for i, y in factors.items():
            vector[i] = y
            side = self.row_lower[i] if y > 0 else self.row_upper[i]
            if side is None:
                endless = True
            elif side.denominator == 1:
                whole += y * side.numerator
            else:
                rest += y * side
        rows = (whole + rest) / denominator + (ZERO if ray else self.offset)
        moved = self.matrix.transposed_times(vector)
        if ray:
            pulls, scale = -moved, denominator
        else:
            scale = denominator * self._costs.denominator
            pulls = self._costs.numerators * denominator - moved * self._costs.denominator
        used = [(j, x) for j, x in enumerate(pulls.tolist()) if x]
        return Weights(ray, denominator, factors, None if endless else rows, used, scale)


def gain_of(cost: Sequence[Fraction], whole: Sequence[bool]) -> Fraction:
    """Largest number that divides all costs where every column with a cost is whole; else 0."""
    if any(c and not w for c, w in zip(cost, whole, strict=True)):
        return ZERO
    used = [c for c in cost if c]
    if not used:
        return ZERO
    below = math.lcm(*(c.denominator for c in used))
    return Fraction(math.gcd(*(int(c * below) for c in used)), below)


def rounded_up(bound: Fraction, gain: Fraction, offset: Fraction) -> Fraction:
    """Least value ``>= bound`` among ``offset`` plus multiples of ``gain``; ``bound`` without."""
    if not gain:
        return bound
    steps = (bound - offset) / gain
    return offset + gain * (-(-steps.numerator // steps.denominator))
