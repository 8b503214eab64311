"""Sines and cosines against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.portable.turns import cospi, sinpi
from tests.portable.measured import (
    INF,
    NAN,
    SUBNORMAL,
    around,
    check,
    check_bits,
    sizes,
)  # fmt: skip

TURNS = [sizes(-300, 17), -sizes(-5, 2), around(np.arange(1, 12) / 4), SUBNORMAL]
GIVEN = {sinpi: TURNS, cospi: TURNS}


@pytest.mark.parametrize("function", GIVEN)
def test_results_are_the_true_values_but_for_the_last_bit(function):
    for given in GIVEN[function]:
        check(function, 0.8, given)


@pytest.mark.parametrize("function", GIVEN)
def test_numbers_and_arrays_have_the_same_bits(function):
    check_bits(function, GIVEN[function])


@pytest.mark.parametrize(
    ("function", "given", "result"),
    [
        (sinpi, 0.5, 1.0),
        (sinpi, -1.5, 1.0),
        (sinpi, 7.0, 0.0),
        (sinpi, 2.0**60, 0.0),
        (cospi, 0.5, 0.0),
        (cospi, 3.0, -1.0),
        (cospi, 2.0**52 + 1, -1.0),
        (cospi, 1e300, 1.0),
        (sinpi, INF, NAN),
        (cospi, -INF, NAN),
        (cospi, NAN, NAN),
    ],
)
def test_ends_of_the_range(function, given, result):
    assert np.array_equal(function(given), result, equal_nan=True)
