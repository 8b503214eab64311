"""Vectors of exact binary numbers as small integers, so that numpy can add and multiply them.

A vector of floats is written in base ``2**bits``: row k of ``digits`` holds, for every entry, the
digit worth ``2**(exponent + bits * k)``.  Products of digits and sums of many products stay below
``2**53`` (floats) or ``2**63`` (integers) and are therefore exact; carries are resolved once.

Every function refuses what is not finite, not a double or out of its range by itself.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from farkas.certificates.guards import finite, inside
from farkas.errors import NotACertificate
from farkas.numbers import Bools, Floats, Ints

if TYPE_CHECKING:
    from farkas.forms import SparseRows

Digits = Ints
Indices = npt.NDArray[np.int32] | Ints


class RangeTooWide(Exception):
    """The exponents differ so much that digits would need too much memory or time."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Limbs:
    """``values[j] == sum over k of digits[k, j] * 2**(exponent + bits * k)``, exactly.

    Parameters
    ----------
    digits
        Shape (limbs, entries), absolute value below ``2**bits``.
    exponent
        Power of two of the lowest digit.
    bits
        Bits per digit.
    """

    digits: Digits
    exponent: int
    bits: int

    @property
    def negative(self) -> Bools:
        """Entries below zero; needs resolved carries (lower digits >= 0)."""
        below: Bools = self.digits[-1] < 0
        return below

    @property
    def nonzero(self) -> Bools:
        any_digit: Bools = (self.digits != 0).any(axis=0)
        return any_digit

    def take(self, where: Bools | Ints) -> Limbs:
        """Keep the chosen entries."""
        return Limbs(self.digits[:, where], self.exponent, self.bits)

    def exact(self, j: int) -> Fraction:
        """Entry ``j``."""
        number = sum(int(d) << (self.bits * k) for k, d in enumerate(self.digits[:, j]))
        return scaled(number, self.exponent)


def scaled(number: int, exponent: int) -> Fraction:
    """Return ``number * 2**exponent``."""
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def extent(values: Floats) -> tuple[int, int]:
    """Exponents of the lowest set bit and just above the highest one; (0, 0) when all are zero.

    Parameters
    ----------
    values
        Finite.

    Raises
    ------
    NotACertificate
        When a number is not finite.
    """
    values = values[values != 0]
    if not len(values):
        return 0, 0
    whole, exponent = _mantissas(values)
    # a power of two up to 2**52, which a double holds
    lowest_bit = (whole & -whole).astype(np.float64)
    return int((exponent + np.frexp(lowest_bit)[1] - 1).min()), int(exponent.max()) + 53


def split(values: Floats, bits: int, exponent: int, high: int) -> Limbs:
    """Digits of ``values`` above ``2**exponent``, which must not exceed their lowest set bit.

    Parameters
    ----------
    values
        Shape (entries,), finite, absolute values below ``2**high``.

    Raises
    ------
    NotACertificate
        When a number is not finite, or has bits outside the digits.
    """
    whole, powers = _mantissas(values)
    used = whole != 0
    # below 2**53: the absolute value of a mantissa fits into both types of 64 bits
    size = np.abs(whole).astype(np.uint64)
    sign = np.sign(whole)
    mask = np.uint64((1 << bits) - 1)
    if (powers[used] + 53 > high).any():
        raise NotACertificate(f"digits: a number is not below 2**{high}")
    powers = powers - exponent
    lost = _shift(-powers[used])
    if ((size[used] >> lost) << lost != size[used]).any():
        raise NotACertificate(f"digits: a number is no multiple of 2**{exponent}")
    count = max(1, -(-(high - exponent) // bits))
    digits = np.zeros((count, len(values)), np.int64)
    for k in range(count):
        right = _shift(bits * k - powers)
        left = _shift(powers - bits * k)
        digits[k] = (((size >> right) << left) & mask).astype(np.int64) * sign
    return Limbs(digits, exponent, bits)


def _shift(places: Digits) -> npt.NDArray[np.uint64]:
    """Places to shift a number of 64 bits by; none for negative ones.  ``np.clip`` is slower."""
    return np.minimum(np.maximum(places, 0), 63).astype(np.uint64)


def _mantissas(values: Floats) -> tuple[Digits, Digits]:
    """Signed 53-bit integers and exponents, ``values == whole * 2**exponent``.

    Of a finite double `numpy.frexp` gives 53 bits behind the point, below 1: times ``2**53`` they
    are an integer below ``2**53``, and the cast is exact.
    """
    mantissa, exponent = np.frexp(finite(values, "exact arithmetic"))
    return np.ldexp(mantissa, 53).astype(np.int64), exponent.astype(np.int64) - 53


def digit_bits(terms: int) -> int:
    """Most bits per digit so that ``terms`` products of two digits add up exactly in a float."""
    return min(24, (53 - max(1, terms).bit_length()) // 2)


def reduced_costs(cost: Floats, matrix: SparseRows, multipliers: Floats) -> Limbs:
    """``cost - A' multipliers``, exactly, with resolved carries.

    Parameters
    ----------
    cost, multipliers
        Shapes (columns,) and (rows,), finite.

    Raises
    ------
    RangeTooWide
        When the digit-by-digit product would be slower than exact fractions.
    """
    return residual(cost, matrix.columns, matrix.rows, matrix.values, multipliers)


def slacks(side: Floats, matrix: SparseRows, point: Floats) -> Limbs:
    """``side - A point``, exactly, with resolved carries; shape (rows,).

    Parameters
    ----------
    side, point
        Shapes (rows,) and (columns,), finite.
    """
    return residual(side, matrix.rows, matrix.columns, matrix.values, point)


def residual(
    constant: Floats,
    target: Indices,
    source: Indices,
    values: Floats,
    factors: Floats,
) -> Limbs:
    """``constant[t] - sum of values[k] * factors[source[k]] over k with target[k] == t``.

    Parameters
    ----------
    constant
        Shape (targets,).
    target, source, values
        Shape (entries,).
    factors
        Shape (sources,).

    Raises
    ------
    NotACertificate
        When a number is not finite, or an index outside its range.
    RangeTooWide
        When the digit-by-digit product would be slower than exact fractions.
    """
    inside(target, len(constant), "exact arithmetic")
    inside(source, len(factors), "exact arithmetic")
    values = finite(values, "exact arithmetic")
    used = (factors != 0)[source]
    if not used.all():
        target, source, values = target[used], source[used], values[used]
    target = target.astype(np.intp)
    bits = digit_bits(int(np.bincount(target, minlength=1).max()))

    low_a, high_a = extent(values)
    low_y, high_y = extent(factors)
    low_c, high_c = extent(constant)
    pairs = -(-(high_a - low_a) // bits) * -(-(high_y - low_y) // bits)
    # the grid of the sums lies whole digits below that of the products, to hold the constants too
    below = max(0, -(-(low_a + low_y - low_c) // bits))
    base = low_a + low_y - bits * below
    # room for sums of 2**53 and for the sign
    size = -(-(max(high_a + high_y, high_c) - base) // bits) + -(-64 // bits)
    if pairs > 256 or size * len(constant) > 1 << 27:
        raise RangeTooWide

    total = np.zeros((size, len(constant)), np.int64)
    if constant.any():
        own = split(constant, bits, base, high_c).digits
        total[: len(own)] = own
    if len(values):
        _subtract_products(
            total[below:],
            target,
            source,
            split(values, bits, low_a, high_a).digits,
            split(factors, bits, low_y, high_y).digits,
        )
    return Limbs(_carry(total, bits), base, bits)


def _subtract_products(
    total: Digits,
    target: npt.NDArray[np.intp],
    source: Indices,
    entries: Digits,
    factors: Digits,
) -> None:
    """Subtract digit products from ``total`` in place, each from its entry's target.

    `digit_bits` keeps the sum of all products of two digits that meet in a target below 2**53:
    whole numbers that doubles add without rounding and that a cast to integers keeps.  A place of
    ``total`` takes at most 16 of these sums, one for each digit of the entries.
    """
    width = total.shape[1]
    parts = entries.astype(np.float64)
    for q, factor in enumerate(factors):
        if not factor.any():
            continue
        spread = factor.astype(np.float64)[source]
        for p, part in enumerate(parts):
            if not entries[p].any():
                continue
            sums = np.bincount(target, weights=part * spread, minlength=width)
            total[p + q] -= sums.astype(np.int64)


def _carry(total: Digits, bits: int) -> Digits:
    """Bring all digits but the highest into ``[0, 2**bits)``; the highest keeps the sign."""
    mask = (1 << bits) - 1
    for k in range(len(total) - 1):
        total[k + 1] += total[k] >> bits
        total[k] &= mask
    return total


def dot(left: Limbs, values: Floats) -> Fraction:
    """``sum over j of left[j] * values[j]``, exactly.

    Parameters
    ----------
    values
        Shape (entries,), finite.

    Raises
    ------
    NotACertificate
        When a number is not finite, a digit too large, or the lengths differ.
    """
    values = finite(values, "exact arithmetic")
    if values.shape != left.digits.shape[1:] or not 1 <= left.bits <= 24:
        raise NotACertificate("exact arithmetic: two vectors do not fit each other")
    if ((left.digits >= 1 << left.bits) | (left.digits <= -1 << left.bits)).any():
        raise NotACertificate("exact arithmetic: a digit is out of range")
    active = (values != 0) & left.nonzero
    if not active.any():
        return Fraction(0)
    left, values = left.take(active), values[active]
    low, high = extent(values)
    right = split(values, left.bits, low, high)
    # absolute products stay below 2**(2 bits): so many of them fit into int64
    ends = np.arange(0, len(values), 1 << (62 - 2 * left.bits))
    number = 0
    for k, one in enumerate(left.digits):
        if not one.any():
            continue
        for q, other in enumerate(right.digits):
            part = np.add.reduceat(one * other, ends)
            number += sum(int(p) for p in part) << (left.bits * (k + q))
    return scaled(number, left.exponent + low)


def exact_dot(left: Floats, right: Floats) -> Fraction:
    """``left @ right`` without any rounding.

    Parameters
    ----------
    left, right
        Shape (entries,), finite.

    Raises
    ------
    NotACertificate
        When a number is not finite, or the lengths differ.
    """
    if left.ndim != 1 or left.shape != right.shape:
        raise NotACertificate("exact arithmetic: two vectors do not fit each other")
    left, right = finite(left, "exact arithmetic"), finite(right, "exact arithmetic")
    active = (left != 0) & (right != 0)
    left, right = left[active], right[active]
    low, high = extent(left)
    if high - low > 1024:
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(0))
    return dot(split(left, 24, low, high), right)
