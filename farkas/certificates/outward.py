"""Logarithm and exponential with a guaranteed direction of rounding, from + − × ÷ alone.

IEEE arithmetic rounds each of the four operations correctly; library logarithms promise nothing.
All series below have positive terms only, so that relative errors add up and never amplify.

A result that overflowed stands for one beyond the largest double: `down` takes that double in its
place, `up` leaves infinity.  What is not a number stays so, and callers refuse it.
"""

import numpy as np

from farkas.certificates.sums import finite, whole
from farkas.errors import NotACertificate
from farkas.numbers import Floats
from farkas.tolerances import TINY, ULP

LARGEST = float(np.finfo(np.float64).max)
LN2_BELOW = 0.6931471805599453  #: The double just below ln 2 = 0.69314718055994530941...
LN2_ABOVE = 0.6931471805599454
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


def returned_below(y: Floats) -> Floats:
    """Lower bound on 1 − exp(−y) for finite y >= 0; within about 60 ULP.

    With E <= exp(r) − 1 from the Taylor series, 1 − exp(−r) >= E / (1 + E); larger y are reduced by
    multiples of ln 2.
    """
    if (finite(y, "exponential") < 0).any():
        raise NotACertificate("exponential: a number is negative")
    y = np.minimum(y, 700.0)
    halvings = np.floor(y * 1.4426)  # a little less than y / ln 2, so that the rest is positive
    rest = np.where(halvings > 0, down(y - halvings * LN2_ABOVE, 4), y)
    # y − halvings · ln 2 cancels; what that loses is a rounding of y, charged in full
    rest = np.maximum(np.where(halvings > 0, rest - 4 * ULP * y, rest), 0.0)
    grown = np.zeros_like(rest)
    for j in range(ROWS, 0, -1):
        grown = rest / j * (1.0 + grown)
    grown = down(grown, SERIES)
    first = down(grown / (1.0 + grown), 2)
    kept = up(np.ldexp(1.0 / (1.0 + grown), -whole(halvings, "exponential")), 2)
    return np.asarray(np.where(halvings > 0, down(np.maximum(1.0 - kept, 0.0)), first))


def returned_above(y: Floats) -> Floats:
    """Upper bound on 1 − exp(−y) for y >= 0, infinite included; within about 60 ULP, at most 1.

    From E >= exp(y) − 1 as E / (1 + E) below a half, larger y as 1 − exp(−y) with exp(y) rounded
    up: (1 + E) 2^k at y − k ln 2.
    """
    if not (y >= 0).all():
        raise NotACertificate("exponential: a number is negative")
    near = np.minimum(y, 700.0)
    halvings = np.where(near < 0.5, 0.0, np.floor(near * 1.4426))
    # the product is exact to a share of y, charged in full
    rest = np.where(halvings > 0, near - halvings * LN2_BELOW + 4 * ULP * near, near)
    grown = np.zeros_like(rest)
    for j in range(ROWS, 0, -1):
        grown = rest / j * (1.0 + grown)
    # the terms left out are below 1e-40 of the first: rest < 1
    grown = up(grown, SERIES)
    small = up(grown / (1.0 + grown), 2)
    kept = down(np.ldexp(1.0 / (1.0 + grown), -whole(halvings, "exponential")), 2)
    large = up(1.0 - kept)
    return np.asarray(np.where(y > 700.0, 1.0, np.minimum(np.where(near < 0.5, small, large), 1.0)))
