"""Bounds on utilities, against 300 digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from farkas.certificates.enclosures import enclose
from farkas.instances.utilities import (
    LinearUtility,
    Log1p,
    QuadraticCost,
    Sigmoid,
    Sqrt,
    TableUtility,
)

CURVES = [
    LinearUtility(slope=2.5),
    Sqrt(scale=3.0),
    Sqrt(scale=-3.0),
    Log1p(scale=4.0),
    Sigmoid(height=10.0, steepness=0.5, midpoint=6.0),
    Sigmoid(height=-2.0, steepness=0.3, midpoint=2.0),
    QuadraticCost(quadratic=0.1, linear=0.2),
    TableUtility(values=(0.0, 2.0, 3.5), step=1.7),
]


@pytest.mark.parametrize("curve", CURVES, ids=repr)
@pytest.mark.parametrize("efficiency", [0.1, 1.0, 437.25])
def test_enclosures_are_narrow_and_hold_a_high_precision_value(curve, efficiency):
    for z in (0, 1, 2, 7, 60):
        low, high = enclose(curve, efficiency, z)
        with mpmath.workdps(300):
            true = precise(curve, mpmath.mpf(efficiency) * z)
            assert rational(low) <= true + TINY
            assert true <= rational(high) + TINY
        assert high - low <= abs(high) * Fraction(1, 10**15) + Fraction(1, 10**15)


TINY = mpmath.mpf(10) ** -250


def rational(value):
    return mpmath.mpf(value.numerator) / value.denominator


def precise(curve, k):
    """Utility at 300 digits."""
    if isinstance(curve, Sqrt):
        return curve.scale * mpmath.sqrt(k)
    if isinstance(curve, Log1p):
        return curve.scale * mpmath.log1p(k)
    if isinstance(curve, Sigmoid):
        exponent = mpmath.mpf(curve.steepness) * (curve.midpoint - k)
        return curve.height / (1 + mpmath.exp(exponent))
    if isinstance(curve, LinearUtility):
        return curve.slope * k
    if isinstance(curve, QuadraticCost):
        return -(mpmath.mpf(curve.quadratic) * k**2 + curve.linear * k)
    place = k / mpmath.mpf(curve.step)
    left = int(mpmath.floor(place))
    if left >= len(curve.values) - 1:
        return mpmath.mpf(curve.values[-1])
    low, high = (mpmath.mpf(v) for v in curve.values[left : left + 2])
    return low + (high - low) * (place - left)
