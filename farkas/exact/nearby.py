"""The program around a vertex, enlarged until a solver sees what the vertex misses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from farkas.exact.deadline import Deadline
from farkas.exact.refined import Singular
from farkas.exact.vertex import Vertex
from farkas.exact.whole import divided, moved
from farkas.forms import LinearForm, SparseRows
from farkas.forms.rational import RationalForm
from farkas.forms.scale import Units
from farkas.solvers.simplex import BASIC, LOWER, Basis, End, Simplex

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
