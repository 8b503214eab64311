"""Constants of the elementary functions, derived from whole numbers, against mpmath."""

from __future__ import annotations

import mpmath
import pytest

from farkas.portable import constants, exponentials, logarithms, turns
from farkas.portable.constants import ONE, PRECISION, parts_of


def test_constants_are_the_nearest_of_the_true_ones():
    with mpmath.workprec(200):
        for j, (head, rest) in enumerate(zip(*exponentials.ROOTS, strict=True)):
            assert abs(mpmath.mpf(2) ** (mpmath.mpf(j) / 64) - head - rest) < 2.0**-78
        for factor, head, rest in zip(*logarithms.LOGS, strict=True):
            assert abs(mpmath.log(factor) + head + rest) < 2.0**-94
        assert abs(mpmath.log(2) - logarithms.LN2_HEAD - logarithms.LN2_REST) < 2.0**-95
        assert abs(mpmath.pi - turns.PI_HEAD - turns.PI_REST) < 2.0**-76


def off(whole: int, true: mpmath.mpf) -> float:
    """Distance of a multiple of 2**-PRECISION from the true value, in such units."""
    return float(abs(mpmath.mpf(whole) - true * mpmath.mpf(2) ** PRECISION))


def test_logarithms_roots_and_pi_are_true_to_the_last_bits():
    with mpmath.workprec(300):
        # every term of a series is rounded down: fewer than a hundred units in all
        assert off(constants.LN2, mpmath.log(2)) < 100
        assert off(constants.log_of(3, 2), mpmath.log(1.5)) < 100
        assert constants.log_of(7, 7) == 0
        assert off(turns.PI, mpmath.pi) < 2000
        assert off(turns._arctan_of_inverse(5), mpmath.atan(mpmath.mpf(1) / 5)) < 100
        for count in (1, 2, 8):
            for j, root in enumerate(exponentials._roots_of_two(count)):
                assert off(root, mpmath.mpf(2) ** (mpmath.mpf(j) / count)) < 100
        for number in (40_000, 65_536, 90_000):
            true = -mpmath.log(mpmath.mpf(number) / 65_536)
            assert off(logarithms._minus_log(number), true) < 100


@pytest.mark.parametrize("number", [3 * ONE // 7, -3 * ONE // 7, ONE, 0])
def test_parts_are_a_nearest_multiple_and_the_rest(number):
    head, rest = parts_of(number, 10)
    assert head == round(number / ONE * 1024) / 1024
    assert abs(rest) <= 2.0**-11
    assert abs(int(head * 2**60) * 2**68 + int(rest * 2**120) * 2**8 - number) < 2**80


def test_adding_and_taking_away_rounds_to_whole_parts():
    for whole, rounder in ((1.0, constants.TO_WHOLE), (2.0**-26, constants.TO_26)):
        for x in (0.0, 0.3, 0.7, -1.2, 5.4999):
            assert x * whole + rounder - rounder == round(x) * whole
