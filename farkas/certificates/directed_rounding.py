"""Logarithm and exponential with a guaranteed direction of rounding.

Of arrays they come from + − × ÷ alone: IEEE arithmetic rounds each of the four correctly; library
logarithms promise nothing.  All series below have positive terms only, so that relative errors add
up and never amplify.  One number at a time is left to :mod:`decimal`, which rounds correctly.

A result that overflowed stands for one beyond the largest double: `down` takes that double in its
place, `up` leaves infinity.  What is not a number stays so, and callers refuse it.
"""

import decimal
import math
from fractions import Fraction

import numpy as np

from farkas.certificates.sums import finite
from farkas.errors import NotACertificate
from farkas.numbers import Floats
from farkas.tolerances import TINY, ULP

LARGEST = float(np.finfo(np.float64).max)
LN2_BELOW = 0.6931471805599453  #: The double just below ln 2 = 0.69314718055994530941...
SERIES = 16  #: Roundings charged to a series: see `_horner`.
ROWS = 40  #: Terms of a series; more never hurt, since every partial sum is a lower bound.


def down(values: Floats, roundings: int = 1) -> Floats:
    """Lower bound on a number >= 0 of which ``values`` came out after ``roundings`` operations.

    Every intermediate result must be >= 0.  Each of the operations changes the result by a share of
    ULP / 2 at most, and so do the two here: (1 + ULP/2)^(r + 2) (1 - (r + 1) ULP) <= 1 for
    1 <= r <= 2**20.  Results below 1e-290, where shares no longer hold, become 0.
    """
    lower = np.minimum(values, LARGEST) * (1.0 - (roundings + 1) * ULP)
    return np.asarray(np.where(lower < TINY, 0.0, lower))


def up(values: Floats, roundings: int = 1) -> Floats:
    """Upper bound on a number >= 0, as `down`; numbers below 1e-290 are bounded by 1e-290."""
    with np.errstate(over="ignore"):
        return np.asarray(np.maximum(values * (1.0 + (roundings + 1) * ULP), TINY))


def _horner(ratio: Floats, coefficients: list[float]) -> Floats:
    """Σ_j coefficients[j] ratio^j, all >= 0 and coefficients not increasing, ratio <= 1/9.

    A step rounds the coefficient, the ratio, a product and a sum: with e the relative error of what
    comes in, e ← (4u + e) / 9 + 2u at most, so that e stays below 3u, u = ULP/2.
    """
    total = np.zeros_like(ratio)
    for coefficient in reversed(coefficients):
        total = total * ratio + coefficient
    return total


def log1p_below(h: Floats) -> Floats:
    """Lower bound on ln(1 + h) for finite h >= 1; within 16 ULP."""
    finite(h, "logarithm")
    mantissa, exponent = np.frexp(down(1.0 + h))
    mantissa, exponent = 2.0 * mantissa, exponent - 1
    z = (mantissa - 1.0) / (mantissa + 1.0)  # mantissa − 1 is exact, z <= 1/3
    series = 2.0 * z * _horner(z * z, [1.0 / (2 * j + 1) for j in range(ROWS)])
    return down(exponent * LN2_BELOW + series, SERIES)


def excess_above(h: Floats) -> Floats:
    """Upper bound on h − ln(1 + h) for finite h >= 0; within about 40 ULP.

    Below 1 as h z − 2 Σ_{j>=1} z^{2j+1}/(2j+1), z = h/(2 + h), which does not cancel.
    """
    if (finite(h, "logarithm") < 0).any():
        raise NotACertificate("logarithm: a number is negative")
    small = np.minimum(h, 1.0)
    z = small / (2.0 + small)
    square = z * z
    tail = 2.0 * z * square * _horner(square, [1.0 / (2 * j + 3) for j in range(ROWS)])
    below = up(up(small * z, 3) - down(tail, SERIES))
    large = np.maximum(h, 1.0)
    above = up(large - log1p_below(large))
    return np.asarray(np.where(h < 1.0, below, above))


def returned_above(y: Floats) -> Floats:
    """Upper bound on 1 − exp(−y) for y >= 0, infinite included; within 100 ULP, at most 1.

    As E / (1 + E) with E >= exp(y) − 1, which at 2 r is E (2 + E) at r; 1 beyond 50.
    """
    ratio = np.minimum(y, 50.0) / 2**9
    # the terms left out are below 1e-80 of the first
    grown = up(ratio * _horner(ratio, [1.0 / math.factorial(j + 1) for j in range(ROWS)]), SERIES)
    for _ in range(9):
        grown = up(grown * (2.0 + grown), 2)
    return np.minimum(up(grown / (1.0 + grown), 2), 1.0)


def directed(digits: int, *, up: bool) -> decimal.Context:
    """Context in which sums, products and quotients of numbers >= 0 bound the exact ones."""
    rounding = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    return decimal.Context(digits, rounding, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=[])


def quotient(value: Fraction, context: decimal.Context) -> decimal.Decimal:
    """Bound on a fraction, by the direction of a context."""
    return context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))


def exponential(power: Fraction, context: decimal.Context) -> decimal.Decimal:
    """Bound on e to a power, by the direction of a context; infinity above whatever it holds."""
    near = context.exp(quotient(power, context))  # correctly rounded, to nearest always
    up = context.rounding == decimal.ROUND_CEILING
    return context.next_plus(near) if up else context.next_minus(near)
