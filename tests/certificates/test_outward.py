"""Logarithms and exponentials from four operations, against 500 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from farkas.certificates.outward import down, excess_above, log1p_below, returned_below, up
from farkas.errors import NotACertificate

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
