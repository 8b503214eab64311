"""Exact sums of products of doubles: whole numbers of Python and, for a vector, one power of two.

A finite double is a whole number below ``2**53`` times a power of two.  So vectors of doubles,
their products and sums are whole numbers times a power of two, however far apart they lie.

Every function refuses what is not finite, not a double or out of its range by itself.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from farkas.errors import NotACertificate
from farkas.numbers import Bools, Floats, Ints, bools

if TYPE_CHECKING:
    from farkas.forms import SparseRows


# numpy turns a double that is not finite, or too large, into some integer without an error.  So the
# functions of this package send every cast through here, whoever calls them.

EXACT = 1 << 53  #: Integers up to here are doubles.


def finite(values: Floats | Ints | Bools, what: str) -> Floats:
    """Return ``values`` as doubles; they must be finite, and integers must fit without rounding.

    Raises `NotACertificate`: names ``what`` and the first offender.
    """
    if values.dtype.kind in "iub":
        if (values > EXACT).any() or (values < -EXACT).any():
            raise NotACertificate(f"{what}: an integer is too large for a double")
        return values.astype(np.float64)
    if values.dtype != np.float64:
        raise NotACertificate(f"{what}: numbers of type {values.dtype} instead of doubles")
    fine = np.isfinite(values)
    if not fine.all():
        raise NotACertificate(f"{what}: {values[~fine].flat[0]} is not a finite number")
    return np.asarray(values, dtype=np.float64)


def inside(indices: npt.NDArray[np.integer], size: int, what: str) -> None:
    """Raise `NotACertificate` unless all indices are from 0 to ``size - 1``."""
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= size):
        raise NotACertificate(f"{what}: an index lies outside 0..{size - 1}")


#: Casts stay below ``2**WIDEST``, so that a sum of two results still fits into 64 bits.
WIDEST = 62
MOST_CELLS = 1 << 26  #: Numbers of a table that a proof fills.
LONGEST_SEARCH = 1 << 32  #: Steps of searches and sums that a proof asks for.


def whole(values: Floats, what: str, *, bits: int = WIDEST) -> Ints:
    """Cast whole numbers below ``2**bits`` in absolute value, exactly.

    Raises `NotACertificate`: a number is not finite, not whole or too large.
    """
    values = finite(values, what)
    if (np.abs(values) >= 2.0 ** min(bits, WIDEST)).any():
        raise NotACertificate(f"{what}: {values.flat[np.abs(values).argmax()]:g} is out of range")
    if (values != np.rint(values)).any():
        raise NotACertificate(f"{what}: a number is not whole")
    return values.astype(np.int64)


def affordable(size: float, what: str, most: int = MOST_CELLS) -> None:
    """Raise `NotACertificate`, which names ``what``, if ``size`` is above ``most``.

    What an instance counts, as chunks or workers, takes a few digits and may ask for any size.
    """
    if size > most:
        steps = f"{size:.3g}" if size < EXACT else "more than 2^53"
        raise NotACertificate(f"{what}: a proof would take {steps} steps; {most:.3g} are the most")


BLOCK = 1 << 14  #: Products held at a time: whole numbers of Python take more memory than doubles.

_WHAT = "exact arithmetic"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ExactNumbers:
    """``values[j] == numbers[j] * 2**exponent``, exactly."""

    #: Shape (entries,), integers of Python, positive, negative or 0.
    numbers: npt.NDArray[np.object_]
    exponent: int  #: Power of two that they count.

    @property
    def negative(self) -> Bools:
        """Entries below zero."""
        return bools(self.numbers < 0)

    @property
    def nonzero(self) -> Bools:
        return bools(self.numbers != 0)

    def exact(self, j: int) -> Fraction:
        """Entry ``j``."""
        return scaled(self.numbers[j], self.exponent)


def scaled(number: int, exponent: int) -> Fraction:
    """Return ``number * 2**exponent``."""
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def exactly(values: Floats) -> ExactNumbers:
    """Write doubles, shape (entries,), as whole numbers; refuses what is not finite."""
    mantissa, power = np.frexp(finite(values, _WHAT))
    # 53 bits behind the point, below 1: times 2**53 they are an integer, and the cast is exact
    numbers = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    lowest = _lowest(values)
    places: Any = np.where(mantissa != 0, power - 53 - lowest, 0).astype(object)
    return ExactNumbers(numbers << places, lowest)


def _lowest(values: Floats) -> int:
    """Largest exponent that every number is a whole multiple of, each having 53 bits."""
    mantissa, power = np.frexp(values)
    return int(power[mantissa != 0].min(initial=1024)) - 53


def reduced_costs(cost: Floats, matrix: SparseRows, multipliers: Floats) -> ExactNumbers:
    """``cost - A' multipliers``, exactly.

    ``cost``, ``multipliers``: shapes (columns,) and (rows,), finite.
    """
    return residual(cost, matrix.columns, matrix.rows, matrix.values, multipliers)


def slacks(side: Floats, matrix: SparseRows, point: Floats) -> ExactNumbers:
    """``side - A point``, exactly; shape (rows,).

    ``side``, ``point``: shapes (rows,) and (columns,), finite.
    """
    return residual(side, matrix.rows, matrix.columns, matrix.values, point)


def residual(
    constant: Floats,
    target: npt.NDArray[np.int32] | Ints,
    source: npt.NDArray[np.int32] | Ints,
    values: Floats,
    factors: Floats,
) -> ExactNumbers:
    """``constant[t] - sum of values[k] * factors[source[k]] over k with target[k] == t``.

    Raises `NotACertificate` when a number is not finite, or an index outside its range.
    """
    inside(target, len(constant), _WHAT)
    inside(source, len(factors), _WHAT)
    values = finite(values, _WHAT)
    start, weights = exactly(constant), exactly(factors)
    used = (factors != 0)[source]
    target, source, values = target[used], source[used], values[used]
    exponent = min(start.exponent, _lowest(values) + weights.exponent)
    total: Any = start.numbers << (start.exponent - exponent)
    for first in range(0, len(values), BLOCK):
        block = slice(first, first + BLOCK)
        entries = exactly(values[block])
        products = entries.numbers * weights.numbers[source[block]]
        places = entries.exponent + weights.exponent - exponent
        np.subtract.at(total, target[block], products << places)
    return ExactNumbers(total, exponent)


def dot(left: ExactNumbers, values: Floats) -> Fraction:
    """``sum over j of left[j] * values[j]``, exactly.

    ``values``: shape (entries,), finite.  Raises `NotACertificate` when a number is not finite, or
    the lengths differ.
    """
    if values.shape != left.numbers.shape:
        raise NotACertificate("exact arithmetic: two vectors do not fit each other")
    some = np.flatnonzero(finite(values, _WHAT))
    right = exactly(values[some])
    products = map(operator.mul, left.numbers[some].tolist(), right.numbers.tolist())
    return scaled(sum(products), left.exponent + right.exponent)


def exact_dot(left: Floats, right: Floats) -> Fraction:
    """``left @ right`` without any rounding.

    ``left``, ``right``: shape (entries,), finite.  Raises `NotACertificate` when a number is not
    finite, or the lengths differ.
    """
    if left.ndim != 1 or left.shape != right.shape:
        raise NotACertificate("exact arithmetic: two vectors do not fit each other")
    some = np.flatnonzero((finite(left, _WHAT) != 0) & (finite(right, _WHAT) != 0))
    return dot(exactly(left[some]), right[some])


class ScaledNumbers(Sequence[Fraction]):
    """Whole numbers times one power of two; those that are looked at become fractions."""

    def __init__(self, numbers: list[int], exponent: int) -> None:
        self.numbers, self.exponent = numbers, exponent

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Fraction: ...
    @overload
    def __getitem__(self, place: slice) -> ScaledNumbers: ...
    def __getitem__(self, place: int | slice) -> Fraction | ScaledNumbers:
        if isinstance(place, slice):
            return ScaledNumbers(self.numbers[place], self.exponent)
        return scaled(self.numbers[place], self.exponent)


def total(numbers: Sequence[Fraction]) -> Fraction:
    """Sum of fractions, most of which have few denominators."""
    if isinstance(numbers, ScaledNumbers):
        return scaled(sum(numbers.numbers), numbers.exponent)
    below = math.lcm(*{number.denominator for number in numbers})
    return Fraction(sum(one.numerator * (below // one.denominator) for one in numbers), below)
