"""Bounds on utilities in exact arithmetic: no floating-point function is believed.

Square roots by integer square roots, logarithms and exponentials by :mod:`decimal`, whose results
are correctly rounded by definition and get one unit in the last place on top.
"""

import decimal
import math
from fractions import Fraction

from farkas.errors import NotACertificate
from farkas.instances.utilities import (
    LinearUtility,
    Log1p,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    TableUtility,
    Utility,
)

BITS = 64  #: Enclosures of irrational values are about 2**-BITS wide, relative to the value.

_WORK = decimal.Context(prec=20, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])
# Any double, and its product with a count, has fewer decimal digits than this.
_EXACT = decimal.Context(
    prec=2000, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[decimal.Inexact]
)

Enclosure = tuple[Fraction, Fraction]


def enclose(utility: Utility, efficiency: float, worker_slots: int) -> Enclosure:
    """Lower and upper bound on μ(ζ z), for the exact values of the stored floats.

    ζ is the progress per worker-slot, z >= 0 their number.
    """
    if isinstance(utility, Log1p):
        return _scaled(_log(_decimal(efficiency, worker_slots)), utility.scale)
    if isinstance(utility, Sigmoid):
        share = utility, efficiency, worker_slots
        return _sigmoid(*share, up=False), _sigmoid(*share, up=True)
    progress = Fraction(efficiency) * worker_slots
    if isinstance(utility, Sqrt):
        return _scaled(_root(progress), utility.scale)
    exact = _rational(utility, progress)
    return exact, exact


def at_most(utility: Utility, efficiency: float, worker_slots: int) -> Fraction:
    """Upper bound of `enclose`, alone."""
    if isinstance(utility, Sigmoid):
        return _sigmoid(utility, efficiency, worker_slots, up=True)
    return enclose(utility, efficiency, worker_slots)[1]


def is_increasing(utility: Utility) -> bool:
    """Whether the utility never falls anywhere, decided by its family and signs."""
    if isinstance(utility, LinearUtility):
        return utility.slope >= 0
    if isinstance(utility, Sqrt | Log1p):
        return utility.scale >= 0
    if isinstance(utility, Sigmoid):
        return utility.height >= 0 and utility.steepness >= 0
    return False


def _rational(utility: Utility, progress: Fraction) -> Fraction:
    if isinstance(utility, LinearUtility):
        return Fraction(utility.slope) * progress
    if isinstance(utility, QuadraticCost):
        slope = Fraction(utility.quadratic) * progress + Fraction(utility.linear)
        return -slope * progress
    if isinstance(utility, TableUtility):
        place = progress / Fraction(utility.step)
        left = math.floor(place)
        if left >= len(utility.values) - 1:
            return Fraction(utility.values[-1])
        low, high = Fraction(utility.values[left]), Fraction(utility.values[left + 1])
        return low + (high - low) * (place - left)
    raise NotACertificate(f"no bounds are known for utility {type(utility).__name__}")


def _scaled(inside: Enclosure, scale: float) -> Enclosure:
    ends = inside[0] * Fraction(scale), inside[1] * Fraction(scale)
    return (ends[0], ends[1]) if scale >= 0 else (ends[1], ends[0])


def _root(value: Fraction) -> Enclosure:
    """Square root between two neighbours of a fine grid."""
    if value == 0:
        return Fraction(0), Fraction(0)
    shift = max(0, 2 * BITS + value.denominator.bit_length() - value.numerator.bit_length())
    shift += shift % 2
    low = math.isqrt((value.numerator << shift) // value.denominator)
    half = 1 << (shift // 2)
    return Fraction(low, half), Fraction(low + 1, half)


def _decimal(efficiency: float, worker_slots: int) -> decimal.Decimal:
    return _EXACT.multiply(decimal.Decimal(efficiency), decimal.Decimal(worker_slots))


def _around(value: decimal.Decimal) -> Enclosure:
    """Neighbours of a correctly rounded result."""
    low, high = _WORK.next_minus(value), _WORK.next_plus(value)
    return Fraction(low), Fraction(high)


def _log(progress: decimal.Decimal) -> Enclosure:
    if progress == 0:
        return Fraction(0), Fraction(0)
    return _around(_WORK.ln(_EXACT.add(decimal.Decimal(1), progress)))


_GRID_BITS = 80
_GRID = _EXACT.divide(decimal.Decimal(1), decimal.Decimal(1 << _GRID_BITS))
# Beyond this the share is within e**-200 of its limit, which is bound enough.
_FARTHEST = 200 << _GRID_BITS


def _sigmoid(utility: Sigmoid, efficiency: float, worker_slots: int, up: bool) -> Fraction:
    """Bound on height / (1 + e), e = exp(-steepness (k - midpoint)), by a bound on e."""
    numbers = (utility.height, utility.steepness, utility.midpoint, efficiency)
    (h, by_h), (s, by_s), (m, by_m), (z, by_z) = (float(x).as_integer_ratio() for x in numbers)
    top = s * (m * by_z - z * worker_slots * by_m) << _GRID_BITS
    # a larger share needs a smaller e; exponents are rounded to a grid on which decimals are exact
    larger = up == (h >= 0)
    place = top // (by_s * by_m * by_z) if larger else -(-top // (by_s * by_m * by_z))
    if place > _FARTHEST and not larger:  # e is larger still: the share is almost 0
        return Fraction(0)
    if place < -_FARTHEST and larger:
        return Fraction(h, by_h)
    near = decimal.Decimal(max(-_FARTHEST, min(_FARTHEST, place)))
    e = _WORK.exp(_EXACT.multiply(near, _GRID))  # rounded correctly, between its neighbours
    n, by_n = (_WORK.next_minus(e) if larger else _WORK.next_plus(e)).as_integer_ratio()
    return Fraction(h * by_n, by_h * (by_n + n))
