"""Exponentials against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.portable.exponentials import exp
from tests.portable.measured import (
    COUNT,
    HALF_STEPS,
    INF,
    LEAST,
    NAN,
    RNG,
    around,
    check,
    check_bits,
    sizes,
)  # fmt: skip

GIVEN = [RNG.uniform(-745, 709.7, COUNT), sizes(-20, 0), -sizes(-20, 0), around(HALF_STEPS)]


def test_results_are_the_true_values_but_for_the_last_bit():
    for given in GIVEN:
        check(exp, 0.52, given)


def test_numbers_and_arrays_have_the_same_bits():
    check_bits(exp, GIVEN)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        (0.0, 1.0),
        (INF, INF),
        (-INF, 0.0),
        (709.79, INF),
        (-745.2, 0.0),
        (-745.13, LEAST),
        (NAN, NAN),
    ],
)
def test_ends_of_the_range(given, result):
    assert np.array_equal(exp(given), result, equal_nan=True)
