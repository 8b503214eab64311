"""Square whole systems solved over the rationals from one factorisation in doubles.

The residual is kept in whole numbers: with ``y`` the solution in doubles for residual ``r``, and
``Y = round(2**s y)``, the next residual ``2**s r - M Y`` is known exactly, and the solution so far,
``X = 2**s X + Y``, has ``s`` more bits.  Fractions follow from enough bits.  Nothing here has to be
believed: what comes out is checked by :mod:`farkas.exact.bound_propagation` with the whole program.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import SuperLU, splu

from farkas.errors import FarkasError
from farkas.exact.node_bounds import Deadline, Matrix, ScaledVector, objects
from farkas.numbers import Array, Floats, Ints

MOST_BITS_A_STEP = 44
LEAST_BITS_A_STEP = 4
SPARE_BITS = 10  #: Bits beyond what fractions need, so that chance does not make fractions.

MOST_BITS = 2**18  #: Bits of a solution at which the search for fractions ends.


class Singular(FarkasError):
    """A square system has no solution that doubles find."""


class Square:
    """A square whole matrix with its factors in doubles.

    Raises `Singular`: in doubles.

    ``matrix``: Shape (k, k).  ``clock``: Checked at every step; None to take what time it takes.
    """

    def __init__(self, matrix: Matrix, clock: Deadline | None = None) -> None:
        self.matrix, self._clock = matrix, clock or Deadline()
        rows, columns, size = matrix.rows, matrix.columns, matrix.shape[0]
        odd, orders = _parts(matrix.values)
        self._row_order, self._column_order = _balanced(rows, columns, odd, orders, size)
        scaled = np.ldexp(odd, orders - self._row_order[rows] - self._column_order[columns])
        self._floats = sp.csc_array((scaled, (rows, columns)), shape=(size, size))
        self._lu = _factors(self._floats)
        # no sum of sizes of entries of a row or column is larger
        most = max(np.bincount(places).max() for places in (rows, columns))
        self._widest = int(most) * max(map(abs, matrix.values.tolist()))

    def solve(self, side: Array, *, transposed: bool = False) -> ScaledVector:
        """Return the exact solution of ``M x = side``, or of ``M' x = side``.

        Raises `Singular` when refinement does not converge, or no fractions of reasonable size
        appear.
        """
        if not len(side) or not side.any():
            return ScaledVector(objects([0] * len(side)), 1)
        for solution, bits, radius in self._refined(side, transposed):
            found = fractions_near(solution, bits, radius)
            # small numbers are near 0 before their bits are known: only the system itself can tell
            if found is not None and self._solves(found, side, transposed):
                return found
        raise Singular("a vertex has no fractions of reasonable size")

    def _solves(self, found: ScaledVector, side: Array, transposed: bool) -> bool:
        matrix, x = self.matrix, found.numerators
        product = matrix.transposed_times(x) if transposed else matrix.times(x)
        return bool((product == side * found.denominator).all())

    def _refined(self, side: Array, transposed: bool) -> Iterator[tuple[Array, int, int]]:
        """Yield ``(X, bits, radius)``: the solution is near ``X * 2**-bits``, off by the radius."""
        above = max(0, max(abs(int(b)).bit_length() for b in side.tolist()) - 40)
        given = _Digits(side, above)
        residual, done, step, due = given.first, 0, 0, 2
        solution, shift = objects([0] * len(side)), MOST_BITS_A_STEP
        pending: list[tuple[int, Array]] = []
        while done - above < MOST_BITS:
            self._clock.check()
            estimate, orders = self._leading(residual, transposed)
            while True:
                digits = self._digits(estimate, orders + shift)
                found = self._residual(residual, digits, shift, given.next(done, shift), transposed)
                if found is not None:
                    break
                shift //= 2
                if shift < LEAST_BITS_A_STEP:
                    raise Singular("refinement of a vertex does not converge")
            residual, done, step = found, done + shift, step + 1
            pending.append((shift, digits))
            if step >= due and done > above:
                for bits, part in pending:
                    solution = solution * (1 << bits) + part
                pending = []
                due = step + max(1, step // 2)
                rest, orders = self._leading(residual, transposed)
                if np.isfinite(rest).all():
                    # below 2**order in each entry
                    off = int((np.frexp(rest)[1] + orders)[rest != 0].max(initial=0))
                    yield solution, done - above, 2 + (1 << max(0, off))

    def _leading(self, residual: Array, transposed: bool) -> tuple[Floats, Ints]:
        """Solution in doubles for a residual, and the powers of two to multiply it with."""
        before, after = self._row_order, self._column_order
        if transposed:
            before, after = after, before
        odd, orders = _parts(residual)
        orders = orders - before
        # units of rows may lie farther apart than doubles reach
        top = int(orders[odd != 0].max()) if odd.any() else 0
        found = self._lu.solve(np.ldexp(odd, orders - top), "T" if transposed else "N")
        return found, top - after

    def _digits(self, estimate: Floats, orders: Ints) -> Array:
        """Round ``estimate * 2**orders`` to whole numbers."""
        if not np.isfinite(estimate).all():
            raise Singular("a basis is singular in doubles")
        odd, powers = np.frexp(estimate)
        parts = zip(np.ldexp(odd, 53).tolist(), (powers + orders - 53).tolist(), strict=True)
        return objects([_moved(int(m), e) for m, e in parts])

    def _residual(
        self, residual: Array, digits: Array, shift: int, low: Array | None, transposed: bool
    ) -> Array | None:
        """Next residual, or None where it grows."""
        limit = 2 * max(_largest(residual), 2**20, 2 * self._widest)
        matrix = self.matrix
        product = matrix.transposed_times(digits) if transposed else matrix.times(digits)
        found = residual * (1 << shift) - product
        if low is not None:
            found = found + low
        return found if _largest(found) <= limit else None


class _Digits:
    """A whole right-hand side, its leading bits first."""

    def __init__(self, side: Array, above: int) -> None:
        self._side, self._above = [int(b) for b in side.tolist()], above
        self.first = objects([b >> above for b in self._side])

    def next(self, done: int, shift: int) -> Array | None:
        """Bits that follow the first ``done`` ones; None after the last."""
        above = self._above
        if done >= above:
            return None
        rest, left = above - done, above - done - shift
        return objects([_moved(b, -left) - ((b >> rest) << shift) for b in self._side])


def fractions_near(solution: Array, bits: int, radius: int) -> ScaledVector | None:
    """Fractions with one denominator within ``radius * 2**-bits`` of ``solution * 2**-bits``.

    ``solution``: Python integers.

    Returns: None where the bits do not tell the fractions from others, with :data:`SPARE_BITS` to
    spare.
    """
    below, one = 1, 1 << bits
    values = solution.tolist()
    for x in values:
        off = (x * below) & (one - 1)
        if off > one >> 1:
            off -= one
        if abs(off) > radius * below:
            more = _denominator(abs(off), one, radius * below)
            # any number is as near to some fraction with q**2 = 2**bits / (radius below)
            if (radius * below * more * more).bit_length() + SPARE_BITS > bits:
                return None
            below *= more
    if (radius * below).bit_length() + SPARE_BITS > bits:
        return None
    half = one >> 1
    return ScaledVector(objects([(x * below + half) >> bits for x in values]), below)


def _denominator(part: int, one: int, radius: int) -> int:
    """Least denominator q of a convergent of ``part / one``, ``|q part| <= q radius`` mod one."""
    high, low = one, part
    before, now = 0, 1
    while low:
        # the convergent with denominator `now` leaves the remainder `low`
        if low <= now * radius:
            return now
        quotient, rest = divmod(high, low)
        before, now = now, before + quotient * now
        high, low = low, rest
    return now


def _factors(matrix: sp.csc_array) -> SuperLU:
    try:
        return splu(matrix)
    except RuntimeError as error:
        raise Singular(f"a basis cannot be factored in doubles: {error}") from None


def _parts(values: Array) -> tuple[Floats, Ints]:
    """Doubles in [1/2, 1) and orders with ``values = doubles * 2**orders``, leading bits only."""
    sizes = [max(0, abs(v).bit_length() - 53) for v in values.tolist()]
    near = np.array([float(v >> e) for v, e in zip(values.tolist(), sizes, strict=True)])
    odd, orders = np.frexp(near)
    return odd, orders + np.array(sizes, dtype=np.int64)


def _balanced(rows: Ints, columns: Ints, odd: Floats, orders: Ints, size: int) -> tuple[Ints, Ints]:
    """Binary orders of rows and columns that bring entries near 1."""
    row, column = np.zeros(size), np.zeros(size)
    in_row = np.maximum(np.bincount(rows, minlength=size), 1)
    in_column = np.maximum(np.bincount(columns, minlength=size), 1)
    for _ in range(3):
        row = np.bincount(rows, orders - column[columns], minlength=size) / in_row
        column = np.bincount(columns, orders - row[rows], minlength=size) / in_column
    return np.rint(row).astype(np.int64), np.rint(column).astype(np.int64)


def _largest(values: Array) -> int:
    return max((abs(x) for x in values.tolist()), default=0)


def _moved(value: int, by: int) -> int:
    return value << by if by >= 0 else value >> -by
