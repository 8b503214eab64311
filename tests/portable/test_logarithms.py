"""Logarithms against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.portable.logarithms import log, log1p
from tests.portable.measured import (
    COUNT,
    GRID_EDGES,
    INF,
    LEAST,
    NAN,
    ONE,
    RNG,
    SUBNORMAL,
    around,
    check,
    check_bits,
    sizes,
)  # fmt: skip

GIVEN = {
    log: [
        sizes(-307, 308), RNG.uniform(0.5, 2, COUNT), 1 + sizes(-15, -2), 1 - sizes(-15, -2),
        around(GRID_EDGES), around(ONE, 40), SUBNORMAL,
    ],
    log1p: [
        sizes(-300, 308), RNG.uniform(-1, 1, COUNT), -sizes(-300, -2), around(-ONE, 40)[:40],
        around(GRID_EDGES - 1), SUBNORMAL, -SUBNORMAL,
    ],
}  # fmt: skip


@pytest.mark.parametrize("function", GIVEN)
def test_results_are_the_true_values_but_for_the_last_bit(function):
    for given in GIVEN[function]:
        check(function, 0.52, given)


@pytest.mark.parametrize("function", GIVEN)
def test_numbers_and_arrays_have_the_same_bits(function):
    check_bits(function, GIVEN[function])


@pytest.mark.parametrize(
    ("function", "given", "result"),
    [
        (log, 1.0, 0.0),
        (log, 0.0, -INF),
        (log, INF, INF),
        (log, -1.0, NAN),
        (log, -LEAST, NAN),
        (log1p, 0.0, 0.0),
        (log1p, -1.0, -INF),
        (log1p, -1.1, NAN),
        (log1p, INF, INF),
        (log1p, -LEAST, -LEAST),
        (log1p, 1.7e308, log(1.7e308)),
    ],
)
def test_ends_of_the_range(function, given, result):
    assert np.array_equal(function(given), result, equal_nan=True)
