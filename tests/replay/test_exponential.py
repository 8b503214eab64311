"""Exponentials between integers, against decimals and mpmath."""

from __future__ import annotations

import decimal
from fractions import Fraction as F

import mpmath
import numpy as np
import pytest

from farkas.replay.coded import BITS, FARTHEST, falling, log2_units


@pytest.mark.ids(2)
@pytest.mark.parametrize("places", [64, BITS, 200, 1200])
def test_falling_encloses_the_exponential(places: int) -> None:
    rng = np.random.default_rng(places)
    context = decimal.Context(prec=500, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    error = F(1 << 15, 1 << places)
    exponents = [0, 1, -1, 5000, -2800, *rng.uniform(-40, 40, 40).tolist()]
    for exponent in exponents:
        for beside in (-1, 0, 1):
            y = int(F(exponent) * (1 << places))
            found, halvings = falling(y, places)
            assert abs(halvings) <= FARTHEST + 2
            power = context.divide(decimal.Decimal(-(y + beside)), decimal.Decimal(1 << places))
            exact = F(context.exp(power)) * F(2) ** (halvings + places)
            assert abs(found - exact) <= error * exact


@pytest.mark.parametrize("places", [64, BITS, 2200])
@pytest.mark.parametrize("sign", [1, -1])
def test_falling_keeps_its_promise_to_the_farthest_exponent(sign: int, places: int) -> None:
    """Against exp of mpmath with 200 digits to spare, at +-FARTHEST ln 2 and a unit beside."""
    farthest = sign * FARTHEST * log2_units(places)
    with mpmath.workprec(places + 700):
        for y in (farthest - 1, farthest, farthest + 1):
            found, halvings = falling(y, places)
            assert abs(halvings) <= FARTHEST + 2
            for truth in (y - 1, y + 1):  # y is known to a unit
                exact = mpmath.exp(mpmath.ldexp(-truth, -places))
                share = mpmath.ldexp(found, -places - halvings) / exact - 1
                assert abs(share) <= mpmath.ldexp(1, 15 - places)


def test_the_logarithm_of_two_is_less_than_two_units_too_small() -> None:
    for places in (64, 96, 112, 2200):
        with mpmath.workprec(places + 64):
            exact = mpmath.ldexp(mpmath.log(2), places)
            assert exact - 2 < log2_units(places) <= exact
