"""Powers against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.portable.powers import power
from tests.portable.measured import (
    COUNT,
    GRID_EDGES,
    INF,
    LEAST,
    NAN,
    RNG,
    SUBNORMAL,
    around,
    check,
    sizes,
)  # fmt: skip

POWERS = [
    (RNG.uniform(0, 2000, COUNT), RNG.uniform(0, 1, COUNT)),
    (sizes(-300, 300), RNG.uniform(-1, 1, COUNT)),
    (sizes(-5, 5), RNG.uniform(-60, 60, COUNT)),
    # a base near 1 raised so high that the last digits of its logarithm count
    (1 + RNG.uniform(-0.01, 0.01, COUNT), RNG.uniform(-70_000, 70_000, COUNT)),
    (1 + sizes(-15, -3), sizes(0, 15)),
    (around(GRID_EDGES, 1), RNG.uniform(-2000, 2000, 3 * len(GRID_EDGES))),
    (SUBNORMAL, RNG.uniform(-0.9, 0.9, COUNT)),
]
POWERS_AT_ONCE = [np.concatenate(side) for side in zip(*POWERS, strict=True)]


def test_powers_are_the_true_values_but_for_the_last_bit():
    check(power, 0.52, *POWERS_AT_ONCE)


def test_powers_of_numbers_and_arrays_have_the_same_bits():
    ends = np.array([0.0, 1.0, 2.0, 0.5, -1.0, 1e300, LEAST, INF, -INF, NAN, 1e20, -1e20])
    for base, exponent in [POWERS_AT_ONCE, [ends[:, None], ends[None, :]]]:
        base, exponent = np.broadcast_arrays(base, exponent)
        alone = [power(*pair) for pair in zip(base.flat, exponent.flat, strict=True)]
        assert np.array_equal(power(base, exponent).ravel(), alone, equal_nan=True)


@pytest.mark.parametrize(
    ("base", "exponent", "result"),
    [
        (0.0, 2.0, 0.0), (0.0, -2.0, INF), (0.0, 0.0, 1.0), (INF, 0.5, INF), (INF, -0.5, 0.0),
        (1.0, INF, 1.0), (2.0, INF, INF), (2.0, -INF, 0.0), (0.5, INF, 0.0), (0.5, -1e20, INF),
        (2.0, 1024.0, INF), (2.0, -1074.0, LEAST), (2.0, -1076.0, 0.0), (2.0, 10.0, 1024.0),
        (10.0, 2.0, 100.0), (-1.0, 2.0, NAN), (NAN, 1.0, NAN), (2.0, NAN, NAN),
        # any x to the power 1 is x: within 0.52 ulp there is no other number
        *((x, 1.0, x) for x in [math.pi, 1e-300, 1 + 2.0**-52, 1e300]),
    ],
)  # fmt: skip
def test_powers_at_the_ends_of_the_range(base, exponent, result):
    assert np.array_equal(power(base, exponent), result, equal_nan=True)
