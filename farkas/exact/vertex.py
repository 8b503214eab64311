"""The vertex of a basis over the rationals, primal and dual, and how far it is from optimal.

Only the square system of nonbasic rows and basic columns is solved; everything else follows from
it.  What makes the result a proof is the exact check of all rows, bounds, reduced costs and of
primal against dual value, which trusts nothing that came before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.exact.bounding import Deadline
from farkas.exact.refined import Singular, Square
from farkas.exact.whole import ZERO, Matrix, ScaledVector, objects
from farkas.forms.rational import RationalForm, Side
from farkas.numbers import Array, Ints
from farkas.solvers.simplex import BASIC, UPPER, Basis


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Vertex:
    """Exact primal and dual vertex of a basis, and by how much each misses its requirements."""

    #: point, activity: values of the columns, shape (columns,), and of the rows, shape (rows,).
    point: list[Fraction]
    activity: list[Fraction]
    #: multipliers, reduced: shape (rows,) and (columns,); derivatives of the optimal value,
    #: whatever the sense.
    multipliers: list[Fraction]
    reduced: list[Fraction]
    #: primal, dual: largest violation of a side or bound, of a sign of a multiplier or reduced
    #: cost; in the units in which the program's numbers are about 1.
    primal: Fraction
    dual: Fraction

    @property
    def bits(self) -> int:
        """Bits of the longest denominator."""
        return max(x.denominator.bit_length() for x in [*self.point, *self.multipliers, ZERO])


class VertexFinder:
    """Vertices of one form for many bases.

    Parameters
    ----------
    form
        The program.
    clock
        Checked now and then.
    """

    def __init__(self, form: RationalForm, clock: Deadline | None = None) -> None:
        self.form, self._clock = form, clock
        self.matrix = Matrix.of(form)
        self._cost = ScaledVector.of(form.cost)
        self._units = form.linear.units
        self._column_units = [power_of_two(e) for e in self._units.columns.tolist()]
        # rows of the form are multiples of the source's, which the units are about
        orders = zip(self._units.rows.tolist(), form.factors, strict=True)
        self._row_units = [power_of_two(e) * f for e, f in orders]

    def vertex(self, basis: Basis) -> Vertex:
        """Return the vertex of a basis.

        Raises
        ------
        Singular
            The basis is singular, or refinement finds no fractions.
        """
        square = self._square(basis)
        point, activity = self._primal(basis, square)
        multipliers, reduced = self._dual(basis, square)
        form = self.form
        primal = max(
            _outside(point, form.lower, form.upper, self._column_units),
            _outside(activity, form.row_lower, form.row_upper, self._row_units),
        )
        dual = max(
            _wrong_sign(
                reduced, basis.columns, form.lower, form.upper, form.sense, self._column_units
            ),
            _wrong_sign(
                multipliers, basis.rows, form.row_lower, form.row_upper, form.sense, self._row_units
            ),
        )
        dual /= power_of_two(self._units.cost)
        return Vertex(point, activity, multipliers, reduced, primal, dual)

    def _square(self, basis: Basis) -> Square | None:
        rows = np.flatnonzero(basis.rows != BASIC)
        columns = np.flatnonzero(basis.columns == BASIC)
        if len(rows) != len(columns):
            raise Singular("a basis has not as many columns as rows")
        if not len(rows):
            return None
        matrix = self.matrix
        row_place = _places(rows, matrix.shape[0])
        column_place = _places(columns, matrix.shape[1])
        kept = (row_place[matrix.rows] >= 0) & (column_place[matrix.columns] >= 0)
        return Square(
            Matrix(
                row_place[matrix.rows[kept]],
                column_place[matrix.columns[kept]],
                matrix.values[kept],
                (len(rows), len(rows)),
            ),
            self._clock,
        )

    def _primal(self, basis: Basis, square: Square | None) -> tuple[list[Fraction], list[Fraction]]:
        form = self.form
        rows = np.flatnonzero(basis.rows != BASIC)
        columns = np.flatnonzero(basis.columns == BASIC)
        resting = _resting(basis.columns, form.lower, form.upper)
        outer = ScaledVector.of(resting)
        sides = _resting(basis.rows, form.row_lower, form.row_upper)
        point = resting
        if square is not None:
            moved = self.matrix.times(outer.numerators)
            below = outer.denominator
            known = [sides[i] - Fraction(moved[i], below) for i in rows.tolist()]
            side = ScaledVector.of(known)
            found = square.solve(side.numerators)
            inner = ScaledVector(found.numerators, found.denominator * side.denominator).fractions()
            for j, value in zip(columns.tolist(), inner, strict=True):
                point[j] = value
        whole = ScaledVector.of(point)
        activity = ScaledVector(self.matrix.times(whole.numerators), whole.denominator).fractions()
        return point, activity

    def _dual(self, basis: Basis, square: Square | None) -> tuple[list[Fraction], list[Fraction]]:
        rows = np.flatnonzero(basis.rows != BASIC)
        columns = np.flatnonzero(basis.columns == BASIC)
        multipliers = ScaledVector(objects([0] * self.form.num_rows), 1)
        if square is not None:
            found = square.solve(self._cost.numerators[columns], transposed=True)
            multipliers.numerators[rows] = found.numerators
            below = found.denominator * self._cost.denominator
            multipliers = ScaledVector(multipliers.numerators, below)
        return multipliers.fractions(), reduced_costs(self.form.cost, self.matrix, multipliers)


def reduced_costs(
    cost: Sequence[Fraction], matrix: Matrix, multipliers: ScaledVector
) -> list[Fraction]:
    """``cost - A' multipliers``, exactly; shape (columns,)."""
    below = multipliers.denominator
    moved = matrix.transposed_times(multipliers.numerators).tolist()
    return [c - Fraction(x, below) if x else c for c, x in zip(cost, moved, strict=True)]


def dual_value(form: RationalForm, multipliers: list[Fraction], reduced: list[Fraction]) -> Side:
    """Bound that multipliers prove by weak duality; None where an end is infinite."""
    rows = _at_ends(multipliers, form.row_lower, form.row_upper, form.sense)
    columns = _at_ends(reduced, form.lower, form.upper, form.sense)
    return None if rows is None or columns is None else rows + columns + form.offset


def _at_ends(
    factors: list[Fraction], low: Sequence[Side], high: Sequence[Side], sense: str
) -> Side:
    total = ZERO
    for factor, a, b in zip(factors, low, high, strict=True):
        if factor:
            end = a if (factor > 0) == (sense == "min") else b
            if end is None:
                return None
            total += factor * end
    return total


def _places(kept: Ints, size: int) -> Ints:
    places = np.full(size, -1, dtype=np.int64)
    places[kept] = np.arange(len(kept))
    return places


def _resting(status: Array, low: Sequence[Side], high: Sequence[Side]) -> list[Fraction]:
    """Where nonbasic ones rest: at their end; basic ones and those without ends at 0."""
    found = []
    for kind, a, b in zip(status.tolist(), low, high, strict=True):
        if kind == BASIC:
            found.append(ZERO)
        elif kind == UPPER and b is not None:
            found.append(b)
        else:
            found.append(a if a is not None else b if b is not None else ZERO)
    return found


def _outside(
    values: list[Fraction], low: Sequence[Side], high: Sequence[Side], units: Sequence[Fraction]
) -> Fraction:
    """Largest distance from the sides, in units."""
    worst = ZERO
    for x, a, b, unit in zip(values, low, high, units, strict=True):
        off = a - x if a is not None and x < a else x - b if b is not None and x > b else ZERO
        if off:
            worst = max(worst, off / unit)
    return worst


def power_of_two(order: int) -> Fraction:
    """Return 2 to the power of ``order``."""
    return Fraction(1 << order) if order >= 0 else Fraction(1, 1 << -order)


def _wrong_sign(
    factors: list[Fraction],
    status: Array,
    low: Sequence[Side],
    high: Sequence[Side],
    sense: str,
    units: Sequence[Fraction],
) -> Fraction:
    """Largest factor that pulls away from the end where its row or column rests, times its unit."""
    worst = ZERO
    for factor, kind, a, b, unit in zip(factors, status.tolist(), low, high, units, strict=True):
        if not factor or (a is not None and a == b):
            continue
        rising = (factor > 0) == (sense == "min")
        upper = b is not None and (kind == UPPER or a is None)
        rests = (a is not None or b is not None) and kind != BASIC
        if not rests or rising == upper:
            worst = max(worst, abs(factor) * unit)
    return worst
