"""Logarithms and exponentials from four operations, against 500 digits."""

from __future__ import annotations

import mpmath
import numpy as np

from farkas.certificates.outward import excess_above, log1p_below, returned_below

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
