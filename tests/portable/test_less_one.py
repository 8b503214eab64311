"""Exponentials less 1 against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.portable.less_one import expm1
from tests.portable.measured import (
    COUNT,
    HALF_STEPS,
    INF,
    LEAST,
    NAN,
    RNG,
    SUBNORMAL,
    around,
    check,
    check_bits,
    sizes,
)  # fmt: skip

GIVEN = [
    RNG.uniform(-50, 709.7, COUNT), sizes(-300, 0), -sizes(-300, 0), SUBNORMAL, -SUBNORMAL,
    around(HALF_STEPS / 1000),
]  # fmt: skip


def test_results_are_the_true_values_but_for_the_last_bit():
    for given in GIVEN:
        check(expm1, 0.8, given)


def test_numbers_and_arrays_have_the_same_bits():
    check_bits(expm1, GIVEN)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        (0.0, 0.0),
        (INF, INF),
        (-INF, -1.0),
        (-800.0, -1.0),
        (709.79, INF),
        (LEAST, LEAST),
        (NAN, NAN),
    ],
)
def test_ends_of_the_range(given, result):
    assert np.array_equal(expm1(given), result, equal_nan=True)
