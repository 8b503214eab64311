"""Exponentials against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.portable.exponentials import exp, expm1
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

GIVEN = {
    exp: [RNG.uniform(-745, 709.7, COUNT), sizes(-20, 0), -sizes(-20, 0), around(HALF_STEPS)],
    expm1: [
        RNG.uniform(-50, 709.7, COUNT), sizes(-300, 0), -sizes(-300, 0), SUBNORMAL, -SUBNORMAL,
        around(HALF_STEPS / 1000),
    ],
}  # fmt: skip


@pytest.mark.parametrize("function", GIVEN)
def test_results_are_the_true_values_but_for_the_last_bit(function):
    for given in GIVEN[function]:
        check(function, 0.52 if function is exp else 0.8, given)


@pytest.mark.parametrize("function", GIVEN)
def test_numbers_and_arrays_have_the_same_bits(function):
    check_bits(function, GIVEN[function])


@pytest.mark.parametrize(
    ("function", "given", "result"),
    [
        (exp, 0.0, 1.0),
        (exp, INF, INF),
        (exp, -INF, 0.0),
        (exp, 709.79, INF),
        (exp, -745.2, 0.0),
        (exp, -745.13, LEAST),
        (exp, NAN, NAN),
        (expm1, 0.0, 0.0),
        (expm1, INF, INF),
        (expm1, -INF, -1.0),
        (expm1, LEAST, LEAST),
    ],
)
def test_ends_of_the_range(function, given, result):
    assert np.array_equal(function(given), result, equal_nan=True)
