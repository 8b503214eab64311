"""Finite ends for columns, derived row by row in steps that a checker repeats.

A step says: in row i every other column is within its ends, so column j is within this one.  Row -1
is ``cost <= value of the known point``, since only better points matter.  Ends of whole columns are
rounded inwards; ends of others outwards to a few digits, so that they stay short.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.sums import scaled
from farkas.exact.node_bounds import (
    ZERO,
    BoundProblem,
    Deadline,
    Matrix,
    ScaledVector,
    divided,
    moved,
    objects,
)
from farkas.exact.refinement import Singular, Square
from farkas.forms import LinearForm, SparseRows
from farkas.forms.rational import RationalForm, Side
from farkas.forms.scale import Units
from farkas.numbers import Array, Ints
from farkas.solvers.simplex import BASIC, LOWER, UPPER, Basis, End, Simplex

# The vertex of a basis over the rationals, primal and dual, and how far it is from optimal.
#
# Only the square system of nonbasic rows and basic columns is solved; everything else follows from
# it.  What makes the result a proof is the exact check of all rows, bounds, reduced costs and of
# primal against dual value, which trusts nothing that came before.


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


class VertexFinder:
    """Vertices of one form for many bases.

    ``clock``: checked now and then.
    """

    def __init__(self, form: RationalForm, clock: Deadline | None = None) -> None:
        self.form, self._clock = form, clock
        self.matrix = Matrix.of(form)
        self._cost = ScaledVector.of(form.cost)
        self._units = form.linear.units
        self._column_units = [scaled(1, e) for e in self._units.columns.tolist()]
        # rows of the form are multiples of the source's, which the units are about
        orders = zip(self._units.rows.tolist(), form.factors, strict=True)
        self._row_units = [scaled(1, e) * f for e, f in orders]

    def vertex(self, basis: Basis) -> Vertex:
        """Return the vertex of a basis.

        Raises `Singular`: the basis is singular, or refinement finds no fractions.
        """
        rows = np.flatnonzero(basis.rows != BASIC)
        columns = np.flatnonzero(basis.columns == BASIC)
        square = self._square(rows, columns)
        point, activity = self._primal(basis, square, rows, columns)
        multipliers, reduced = self._dual(square, rows, columns)
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
        dual /= scaled(1, self._units.cost)
        return Vertex(point, activity, multipliers, reduced, primal, dual)

    def _square(self, rows: Ints, columns: Ints) -> Square | None:
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

    def _primal(
        self, basis: Basis, square: Square | None, rows: Ints, columns: Ints
    ) -> tuple[list[Fraction], list[Fraction]]:
        form = self.form
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

    def _dual(
        self, square: Square | None, rows: Ints, columns: Ints
    ) -> tuple[list[Fraction], list[Fraction]]:
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


MOST_PASSES = 8
MOST_STEPS = 20_000  #: Steps after which no further pass begins.
#: Ends of whole columns beyond this give useless bounds and are not derived; a pure number.
LARGEST = Fraction(10**12)
END_BITS = 24  #: Binary digits of an end of a column that is not whole, whatever its unit.


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """Column ``column`` is at most (``upper``) or at least ``value``, by row ``row``."""

    row: int
    column: int
    upper: bool
    value: Fraction


def derived(
    program: BoundProblem,
    cutoff: Fraction | None,
    *,
    everything: bool = False,
    deadline: Deadline | None = None,
) -> tuple[list[Side], list[Side], list[Step]]:
    """Derive ends.

    ``cutoff``: Value that better points stay below, in the sense of a minimum; None without.
    ``everything``: Also tighten ends that are finite.  ``deadline``: Ends that are found by then
    are returned.  Returns: lower ends, upper ends, and the steps that lead there from the stated
    bounds.
    """
    form = program.form
    lower, upper = list(form.lower), list(form.upper)
    whole = form.integer.tolist()
    steps: list[Step] = []
    if not everything and all(
        a is not None and b is not None for a, b in zip(lower, upper, strict=True)
    ):
        return lower, upper, steps
    rows: list[tuple[int, Sequence[tuple[int, Fraction | int]], Side, Side]] = [
        (i, form.row(i), form.row_lower[i], form.row_upper[i]) for i in range(form.num_rows)
    ]
    if cutoff is not None:
        goal = [(j, c) for j, c in enumerate(program.cost) if c]
        rows.append((-1, goal, None, cutoff - program.offset))
    for _ in range(MOST_PASSES):
        before = len(steps)
        for i, terms, low, high in rows:
            if deadline is not None and not deadline.left:
                return lower, upper, steps
            for side, sign in ((high, 1), (low, -1)):
                if side is None:
                    continue
                signed = [(j, sign * v) for j, v in terms]
                for step in _in_row(i, signed, sign * side, lower, upper, whole, everything):
                    steps.append(step)
                    (upper if step.upper else lower)[step.column] = step.value
                    a, b = lower[step.column], upper[step.column]
                    if a is not None and b is not None and a > b:
                        return lower, upper, steps  # nothing is left: there is no point
        if len(steps) == before or len(steps) > MOST_STEPS:
            break
    return lower, upper, steps


def _in_row(
    row: int,
    terms: Sequence[tuple[int, Fraction | int]],
    side: Fraction,
    lower: list[Side],
    upper: list[Side],
    whole: list[bool],
    everything: bool,
) -> list[Step]:
    """Return the ends that follow from ``terms x <= side``."""
    endless, total = [], ZERO
    for j, v in terms:
        end = lower[j] if v > 0 else upper[j]
        if end is None:
            endless.append(j)
            if len(endless) > 1:
                return []
        else:
            total += v * end
    found = []
    for j, v in terms:
        if endless and endless[0] != j:
            continue
        known = upper[j] if v > 0 else lower[j]
        if known is not None and not everything:
            continue
        own = lower[j] if v > 0 else upper[j]
        rest = side - (total if own is None else total - v * own)
        value = rounded_end(rest / v, upper=v > 0, whole=whole[j])
        better = known is None or (value < known if v > 0 else value > known)
        if better and (abs(value) <= LARGEST or not whole[j]):
            found.append(Step(row, j, v > 0, value))
    return found


def rounded_end(value: Fraction, *, upper: bool, whole: bool) -> Fraction:
    """Round an end: inwards for a whole column, outwards to :data:`END_BITS` for another."""
    unit = Fraction(1)
    if not whole and value:
        order = abs(value).numerator.bit_length() - value.denominator.bit_length() - END_BITS
        unit = scaled(1, order)
    steps = value / unit
    return unit * (math.floor(steps) if upper == whole else math.ceil(steps))


#: Binary order that the largest violation of a vertex is brought to; solvers stop at 2**-30.
ENLARGED = -10


class Nearby:
    """The program around a vertex: columns ``(x, r)``, rows ``A x - r = 0``, enlarged.

    Rows become columns so that the multipliers of inequalities have costs of their own; without
    them the enlarged program loses what the vertex already pays.
    """

    def __init__(self, form: RationalForm) -> None:
        self.form = form
        linear, m, n = form.linear, form.num_rows, form.num_columns
        rows = np.concatenate([linear.matrix.rows, np.arange(m)])
        columns = np.concatenate([linear.matrix.columns, n + np.arange(m)])
        values = np.concatenate([linear.matrix.values, -np.ones(m)])
        order = np.lexsort((columns, rows))
        counts = np.bincount(rows, minlength=m)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._matrix = SparseRows(starts, columns[order].astype(np.int32), values[order], n + m)
        own = linear.units
        self._units = Units(own.rows, np.concatenate([own.columns, own.rows]), own.cost)

    def solve(self, vertex: Vertex, basis: Basis, clock: Deadline) -> tuple[End, Basis]:
        """Solve around a vertex from its basis; returns how that ended and the basis it found."""
        form, n = self.form, self.form.num_columns
        solver = Simplex(self._enlarged(vertex), self._units)
        fixed = np.full(form.num_rows, LOWER, dtype=np.int8)
        solver.start(Basis(np.concatenate([basis.columns, basis.rows]), fixed))
        only_dual = not vertex.primal
        end = solver.run(seconds=clock.left, primal=only_dual)
        if end in (End.UNKNOWN, End.STOPPED):
            clock.check()
            end = solver.run(seconds=clock.left, primal=not only_dual)
        found = solver.basis
        if end not in (End.OPTIMAL, End.INFEASIBLE, End.UNBOUNDED) or found is None:
            raise Singular(f"around a vertex the solver says {end.value}")
        if (found.rows == BASIC).any():
            found = _without_slacks(found, n)
        return end, Basis(found.columns[:n], found.columns[n:])

    def _enlarged(self, vertex: Vertex) -> LinearForm:
        form = self.form
        a, b = _enlargement(vertex.primal), _enlargement(vertex.dual)
        factors = form.factors
        low = [*form.lower, *(divided(x, f) for x, f in zip(form.row_lower, factors, strict=True))]
        high = [*form.upper, *(divided(x, f) for x, f in zip(form.row_upper, factors, strict=True))]
        here = [*vertex.point, *(x / f for x, f in zip(vertex.activity, factors, strict=True))]
        cost = [*vertex.reduced, *(y * f for y, f in zip(vertex.multipliers, factors, strict=True))]
        zero = np.zeros(form.num_rows)
        return LinearForm(
            name=form.name,
            sense=form.sense,
            cost=np.array([moved(c, b) for c in cost]),
            matrix=self._matrix,
            row_lower=zero,
            row_upper=zero,
            lower=np.array(
                [-np.inf if e is None else moved(e - x, a) for e, x in zip(low, here, strict=True)]
            ),
            upper=np.array(
                [np.inf if e is None else moved(e - x, a) for e, x in zip(high, here, strict=True)]
            ),
            integer=np.zeros(len(cost), dtype=bool),
        )


def _without_slacks(basis: Basis, n: int) -> Basis:
    """Trade a basic slack of a row ``A x - r = 0`` for its column r, which then is basic."""
    columns, rows = basis.columns.copy(), basis.rows.copy()
    for i in np.flatnonzero(rows == BASIC).tolist():
        if columns[n + i] != BASIC:
            columns[n + i], rows[i] = BASIC, LOWER
    return Basis(columns, rows)


def _enlargement(violation: Fraction) -> int:
    """Power of two that brings a violation to about :data:`ENLARGED`; 0 without one."""
    if not violation:
        return 0
    order = violation.numerator.bit_length() - violation.denominator.bit_length()
    return ENLARGED - order
