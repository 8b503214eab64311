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

from farkas.exact.bounding import Bounding, Deadline
from farkas.exact.refined import Singular
from farkas.exact.vertex import Vertex
from farkas.exact.whole import ZERO, divided, moved
from farkas.forms import LinearForm, SparseRows
from farkas.forms.rational import RationalForm, Side
from farkas.forms.scale import Units
from farkas.solvers.simplex import BASIC, LOWER, Basis, End, Simplex

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
    program: Bounding,
    cutoff: Fraction | None,
    *,
    everything: bool = False,
    deadline: Deadline | None = None,
) -> tuple[list[Side], list[Side], list[Step]]:
    """Derive ends.

    Parameters
    ----------
    cutoff
        Value that better points stay below, in the sense of a minimum; None without.
    everything
        Also tighten ends that are finite.
    deadline
        Ends that are found by then are returned.

    Returns
    -------
    Lower ends, upper ends, and the steps that lead there from the stated bounds.
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
        unit = Fraction(1 << order) if order >= 0 else Fraction(1, 1 << -order)
    steps = value / unit
    return unit * (math.floor(steps) if upper == whole else math.ceil(steps))


#: Binary order that the largest violation of a vertex is brought to; solvers stop at 2**-30.
ENLARGED = -10


class Nearby:
    """The program around a vertex: columns ``(x, r)``, rows ``A x - r = 0``, enlarged.

    Rows become columns so that the multipliers of inequalities have costs of their own; without
    them the enlarged program loses what the vertex already pays.

    Parameters
    ----------
    form
        The program.
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
