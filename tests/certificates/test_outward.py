"""Logarithms and exponentials from four operations, against 500 digits."""

from __future__ import annotations

from fractions import Fraction as F

import mpmath
import numpy as np
import pytest

from farkas.certificates.outward import (
    LN2_ABOVE,
    LN2_BELOW,
    down,
    excess_above,
    log1p_below,
    returned_above,
    returned_below,
    up,
)
from farkas.errors import NotACertificate
from farkas.tolerances import TINY, ULP

WIDE = np.concatenate([10.0 ** np.linspace(-140, 150, 150), 10.0 ** np.linspace(-2, 2, 150), [1.0]])


def test_logarithms_round_outward():
    with mpmath.workdps(500):
        for h, above in zip(WIDE.tolist(), excess_above(WIDE).tolist(), strict=True):
            exact = mpmath.mpf(h) - mpmath.log1p(h)
            assert exact <= above <= exact * (1 + 1e-13)
        large = WIDE[WIDE >= 1]
        for h, below in zip(large.tolist(), log1p_below(large).tolist(), strict=True):
            exact = mpmath.log1p(h)
            assert exact * (1 - 1e-13) <= below <= exact


def test_exponentials_round_outward():
    y = np.concatenate([10.0 ** np.linspace(-200, 2.8, 300), [0.0, 700.0, 1e9]])
    with mpmath.workdps(500):
        for value, below in zip(y.tolist(), returned_below(y).tolist(), strict=True):
            exact = 1 - mpmath.exp(-mpmath.mpf(value))
            assert exact * (1 - 1e-13) <= below <= exact
        more = np.concatenate([y, np.nextafter(0.5, [0, 1]), [0.5, 0.6931, 0.6932, 701.0, np.inf]])
        for value, above in zip(more.tolist(), returned_above(more).tolist(), strict=True):
            exact = 1 - mpmath.exp(-mpmath.mpf(value))
            assert exact <= above <= min(1, max(exact * (1 + 1e-13), 2 * TINY))


@pytest.mark.parametrize("value", [np.nan, -1.0])
def test_chances_of_no_time_are_refused(value):
    with pytest.raises(NotACertificate, match="negative"):
        returned_above(np.array([value, 1.0]))


def test_what_overflowed_is_beyond_the_largest_double_and_no_more():
    # 1e308 · 10 is 1e309: below it lies the largest double, above it nothing finite
    with np.errstate(over="ignore"):
        product = np.array([1e308]) * 10.0
    assert 1.79e308 < down(product)[0] < np.finfo(float).max
    assert up(product)[0] == np.inf
    assert up(np.array([np.finfo(float).max]))[0] == np.inf


@pytest.mark.parametrize("value", [np.inf, np.nan, -1.0])
def test_numbers_outside_the_domain_are_refused(value):
    for bound in (excess_above, returned_below):
        with pytest.raises(NotACertificate):
            bound(np.array([value, 1.0]))


HALF = ULP / 2


@pytest.mark.parametrize("roundings", [1, 2, 3, 16, 1000])
def test_so_many_roundings_and_one_more_are_charged(roundings):
    rng = np.random.default_rng(roundings)
    values = np.concatenate([10.0 ** rng.uniform(-280, 300, 200), [1.0, 2.0, 1.0 - HALF]])
    for bound, sign in ((down, -1), (up, 1)):
        for one, moved in zip(values.tolist(), bound(values, roundings).tolist(), strict=True):
            share = sign * (F(moved) / F(one) - 1)
            # r + 1 ULP, and half a ULP of the product's own rounding at most
            assert abs(share - (roundings + 1) * F(ULP)) <= F(HALF) * (1 + F(1, 1000))


def test_one_rounding_is_charged_unless_more_are_named():
    assert down(np.ones(1)) == down(np.ones(1), 1) == 1 - 2 * ULP
    assert up(np.ones(1)) == up(np.ones(1), 1) == 1 + 2 * ULP


def test_numbers_too_small_for_shares_become_zero_below_and_tiny_above():
    small = np.array([0.0, 5e-324, TINY / 2, TINY, 2 * TINY])
    assert down(small)[:4].tolist() == [0.0] * 4
    assert up(small)[:3].tolist() == [TINY] * 3
    assert up(small)[3] > TINY
    assert TINY < down(small)[4] < 2 * TINY < up(small)[4]
    assert np.isnan([down(np.array([np.nan]))[0], up(np.array([np.nan]))[0]]).all()


def charged(exact, bounds, sign):
    """Least and largest distance of bounds from exact numbers, in ULP of these."""
    shares = [
        float(sign * (mpmath.mpf(one) / true - 1) / ULP)
        for true, one in zip(exact, bounds.tolist(), strict=True)
    ]
    return min(shares), max(shares)


def test_what_is_charged_for_a_series_is_what_its_proof_says():
    # 16 roundings of a series, a few more for what comes before and after
    with mpmath.workdps(500):
        large = WIDE[WIDE >= 1]
        least, most = charged([mpmath.log1p(h) for h in large.tolist()], log1p_below(large), -1)
        assert 16 < least < most < 20.5
        true = [mpmath.mpf(h) - mpmath.log1p(h) for h in WIDE.tolist()]
        below = WIDE < 1
        least, most = charged(
            [x for x, take in zip(true, below, strict=True) if take],
            excess_above(WIDE[below]), 1,
        )  # fmt: skip
        assert 4.9 < least < most < 8.7
        least, most = charged(
            [x for x, take in zip(true, below, strict=True) if not take],
            excess_above(WIDE[~below]), 1,
        )  # fmt: skip
        assert 1.3 < least < most < 47.7
        y = np.concatenate([10.0 ** np.linspace(-200, 2.8, 300), [0.1, 0.5, 0.69, 0.7, 1.3, 1.4]])
        for part, (low, high) in ((y[y < 0.69], (13.3, 21.2)), (y[y > 0.69], (1.8, 9.9))):
            exact = [1 - mpmath.exp(-mpmath.mpf(v)) for v in part.tolist()]
            least, most = charged(exact, returned_below(part), -1)
            assert low < least < most < high
        y = np.sort(y)
        for part, (low, high) in ((y[y < 0.5], (13.3, 21.2)), (y[y > 0.5], (0.1, 14.9))):
            exact = [1 - mpmath.exp(-mpmath.mpf(v)) for v in part.tolist()]
            above = returned_above(part)
            some = above < 1
            least, most = charged(
                [e for e, s in zip(exact, some, strict=True) if s], above[some], 1
            )
            assert low < least < most < high, (least, most)


def test_the_logarithm_of_two_lies_between_its_two_constants():
    with mpmath.workdps(50):
        assert LN2_BELOW < mpmath.log(2) < LN2_ABOVE
    assert np.nextafter(LN2_BELOW, 1) == LN2_ABOVE


def test_the_ends_of_the_domains_are_exact():
    assert returned_below(np.zeros(1)).tolist() == [0.0]
    assert 0 <= excess_above(np.zeros(1))[0] <= 2 * TINY
    assert returned_below(np.array([700.0, 1e300])).tolist() == [1 - 2 * ULP] * 2
