"""Bounds on the exponential, against mpmath."""

from __future__ import annotations

import decimal
from fractions import Fraction as F

import mpmath
import pytest

from farkas.certificates.directed_rounding import directed, exponential, quotient

POWERS = [0, F(1, 10**30), F(-1, 3), F(2, 7), 1, -40, F(20_001, 7), -5000, F(-(10**9), 7)]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("digits", [20, 30, 200])
def test_exponentials_are_bounded_closely(power: F, digits: int) -> None:
    low, high = (exponential(F(power), directed(digits, up=up)) for up in (False, True))
    with mpmath.workdps(digits + 40):
        exact = mpmath.exp(mpmath.mpf(F(power).numerator) / F(power).denominator)
        assert mpmath.mpf(str(low)) < exact < mpmath.mpf(str(high))
        off = mpmath.mpf(str(high)) - mpmath.mpf(str(low))
        assert off <= exact * (4 + abs(power)) * mpmath.mpf(10) ** (1 - digits)


def test_powers_beyond_all_decimals_are_bounded() -> None:
    for power, low, high in ((10**20, "9E+999999999999999999", "inf"), (-(10**20), "0", "1E-999")):
        bounds = [exponential(F(power), directed(20, up=up)) for up in (False, True)]
        assert decimal.Decimal(low) <= max(bounds[0], 0) < bounds[1] <= decimal.Decimal(high)


@pytest.mark.parametrize("value", [F(1, 3), F(-1, 3), F(10**40 + 1, 7)])
def test_quotients_are_rounded_to_their_side(value: F) -> None:
    low, high = (F(quotient(value, directed(20, up=up))) for up in (False, True))
    assert low < value < high
    assert high - low <= abs(value) / 10**19
