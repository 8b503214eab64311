"""Sums of numbers: in order, or rounded up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from farkas.portable.sums import added, added_up

RNG = np.random.default_rng(7)


def test_added_carries_no_corrections():
    # 1 + 1e16 = 1e16 in floats; Python's own sum gives 1 from 3.12 on
    assert added([1.0, 1e16, -1e16]) == 0.0
    assert added([]) == 0.0
    assert added([1e308, 1e308]) == np.inf


def test_sums_are_rounded_up_by_less_than_one_step():
    for size in (0, 1, 2, 7, 100):
        for _ in range(20):
            values = (RNG.normal(size=size) * 10.0 ** RNG.uniform(-20, 20, size)).tolist()
            above, exact = added_up(values), sum(map(Fraction, values), Fraction(0))
            assert Fraction(np.nextafter(above, -np.inf)) < exact <= Fraction(above)
