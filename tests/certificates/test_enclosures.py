"""Bounds on utilities, against 300 digits."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from farkas.certificates.enclosures import at_most, enclose, is_increasing
from farkas.errors import NotACertificate
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
        assert at_most(curve, efficiency, z) == high
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


def test_square_roots_lie_between_neighbours_of_a_fine_grid():
    # 2 * 64 bits below the number's own: sqrt(4) on a grid of 2**-63, sqrt(2) on one of 2**-64
    one = Sqrt(scale=1.0)
    assert enclose(one, 1.0, 4) == (2, 2 + Fraction(1, 2**63))
    low, high = enclose(one, 1.0, 2)
    assert high - low == Fraction(1, 2**64)
    assert low**2 < 2 < high**2
    # so large a number needs no finer grid than 1
    assert enclose(one, 1e300, 1)[1] - enclose(one, 1e300, 1)[0] == 1
    assert enclose(one, 2.0**200, 1) == (2**100, 2**100 + 1)
    low, high = enclose(one, 2.0**-201, 1)
    assert low**2 <= Fraction(1, 2**201) <= high**2
    assert high - low <= low / 2**62
    assert enclose(Sqrt(scale=-3.0), 1.0, 4) == (-6 - Fraction(3, 2**63), -6)


@pytest.mark.parametrize("curve", [Sqrt(scale=2.0), Log1p(scale=2.0)], ids=repr)
def test_nothing_done_is_worth_nothing_exactly(curve):
    assert enclose(curve, 0.7, 0) == (0, 0)


@pytest.mark.parametrize(
    "curve",
    [Log1p(scale=4.0), Log1p(scale=-0.5)],
    ids=repr,
)
@pytest.mark.parametrize("efficiency", [1e-9, 0.1, 3.0, 1e6])
def test_decimals_of_twenty_digits_are_moved_by_one_unit(curve, efficiency):
    for z in (1, 7, 2**53):
        low, high = enclose(curve, efficiency, z)
        share = (high - low) / abs(high)
        assert Fraction(1, 10**20) <= share <= Fraction(22, 10**20)
        with mpmath.workdps(300):
            true = precise(curve, mpmath.mpf(efficiency) * z)
            assert rational(low) < true < rational(high)


@pytest.mark.parametrize("distance", [-1e5, -250.0, -200.5, -200.0, -199.5, 0.0, 199.5, 200.0,
                                      200.5, 250.0, 1e5])  # fmt: skip
@pytest.mark.parametrize("height", [8.0, -8.0, -0.25])
def test_the_tails_of_a_sigmoid_end_at_zero_and_at_its_height(distance, height):
    # progress 2**18, steepness 1/2: the exponent is half of midpoint - progress
    curve = Sigmoid(height=height, steepness=0.5, midpoint=2.0**18 + 2 * distance)
    low, high = enclose(curve, 2.0**18, 1)
    with mpmath.workdps(400):
        true = height / (1 + mpmath.exp(mpmath.mpf(distance)))
        assert rational(low) <= true <= rational(high)
    ends = sorted((low / Fraction(height), high / Fraction(height)))
    if distance > 200:
        assert ends[0] == 0
        assert 0 < ends[1] < 1e-86
    elif distance < -200:
        assert ends[1] == 1
        assert 0 < 1 - ends[0] < 1e-86
    else:
        assert 0 < ends[0] < ends[1] < 1
        assert ends[1] - ends[0] < Fraction(2, 10**19) * ends[1]


def sigmoid_in_fractions(curve, progress):
    """The exponent outwards to 80 bits, its power to 20 digits and one unit more."""
    work, exact = (decimal.Context(prec=digits, Emin=-(10**9), Emax=10**9) for digits in (20, 999))
    exponent = Fraction(curve.steepness) * (Fraction(curve.midpoint) - progress)
    shares = []
    for larger in (False, True):
        fine = max(-200, min(200, exponent)) * 2**80
        place = math.floor(fine) if larger else math.ceil(fine)
        e = work.exp(exact.divide(decimal.Decimal(place), decimal.Decimal(2**80)))
        share = 1 / (1 + Fraction(work.next_minus(e) if larger else work.next_plus(e)))
        if abs(exponent) > 200 and larger == (exponent < 0):
            share = Fraction(larger)
        shares.append(share * Fraction(curve.height))
    return tuple(sorted(shares))


def test_sigmoids_are_bounded_as_plain_fractions_are():
    rng = np.random.default_rng(1)
    some = [0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308, -1e308, 0.1, 200.0, -200.0, 3.0, 7e-5]
    for _ in range(2000):
        numbers = np.where(
            rng.random(4) < 0.5,
            rng.choice(some, 4),
            rng.uniform(-30, 30, 4) * 10.0 ** rng.integers(-6, 7, 4),
        ).tolist()
        curve = Sigmoid(height=numbers[0], steepness=numbers[1], midpoint=numbers[2])
        z = int(rng.choice([0, 1, 2, 1000, 10**6]))
        wanted = sigmoid_in_fractions(curve, Fraction(abs(numbers[3])) * z)
        assert enclose(curve, abs(numbers[3]), z) == wanted
        assert at_most(curve, abs(numbers[3]), z) == wanted[1]


@pytest.mark.parametrize(
    ("curve", "values"),
    [
        (LinearUtility(slope=2.5), [0, "5/2", 5, "15/2", 10, "25/2"]),
        (LinearUtility(slope=-0.5), [0, "-1/2", -1, "-3/2", -2, "-5/2"]),
        (QuadraticCost(quadratic=0.25, linear=0.5), [0, "-3/4", -2, "-15/4", -6, "-35/4"]),
        (TableUtility(values=(0.0, 2.0, 3.5), step=2.0), [0, 1, 2, "11/4", "7/2", "7/2"]),
        (TableUtility(values=(1.0, 0.5), step=0.5), [1, "1/2", "1/2", "1/2", "1/2", "1/2"]),
    ],
    ids=repr,
)
def test_rational_utilities_are_exact(curve, values):
    for z, value in enumerate(values):
        assert enclose(curve, 1.0, z) == (Fraction(value), Fraction(value))
        assert enclose(curve, 0.5, 2 * z) == (Fraction(value), Fraction(value))


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("curve", "rises"),
    [
        (LinearUtility(slope=0.0), True), (LinearUtility(slope=-0.5), False),
        (LinearUtility(slope=0.5), True), (Sqrt(scale=0.0), True), (Sqrt(scale=-0.5), False),
        (Sqrt(scale=0.5), True), (Log1p(scale=0.0), True), (Log1p(scale=-0.5), False),
        (Log1p(scale=0.5), True), (Sigmoid(height=0.0, steepness=0.5, midpoint=1.0), True),
        (Sigmoid(height=0.5, steepness=0.5, midpoint=1.0), True),
        (Sigmoid(height=-0.5, steepness=0.5, midpoint=1.0), False),
        (QuadraticCost(quadratic=0.1, linear=0.2), False),
        (TableUtility(values=(0.0, 2.0), step=1.0), False),
    ],
    ids=repr,
)  # fmt: skip
def test_only_families_whose_sign_decides_are_said_to_rise(curve, rises):
    assert is_increasing(curve) is rises


def test_a_curve_of_no_known_family_is_refused():
    with pytest.raises(NotACertificate, match="no bounds are known for utility str"):
        enclose("curve", 1.0, 1)
