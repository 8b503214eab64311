"""Where elementary functions are measured, and how far they are from the true values."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from farkas.portable import constants, exponentials, logarithms

INF, NAN, LEAST = math.inf, math.nan, 5e-324
COUNT = 400
RNG = np.random.default_rng(20)


def sizes(low, high):
    """Numbers of all sizes from 10**low to 10**high."""
    return 10.0 ** RNG.uniform(low, high, COUNT)


def around(places, ulps=3):
    """Return the floats nearest to ``places``."""
    steps = np.arange(-ulps, ulps + 1)
    return (places[:, None] + steps * np.spacing(places)[:, None]).ravel()


# where exp passes from one entry of its table to the next, and log
HALF_STEPS = (RNG.integers(-60_000, 60_000, COUNT) + 0.5) * math.log(2) / exponentials.STEPS
GRID_EDGES = (np.arange(logarithms.FIRST, logarithms.LAST) + 0.5) / logarithms.GRID
SUBNORMAL = RNG.integers(1, 2**52, COUNT) * LEAST
ONE = np.ones(1)


def error(found, true):
    """Distance from the true value in units of its last place."""
    if abs(true) >= 2 ** mpmath.mpf(1024) * (1 - 2 ** mpmath.mpf(-54)):  # rounds to infinity
        return 0.0 if found == math.copysign(INF, true) else INF
    return float(abs(found - true) / math.ulp(float(true)))


def check(function, worst, *given):
    """Hold a function to ``worst`` units in the last place of what mpmath finds."""
    found = function(*given)
    with mpmath.workprec(200):
        for value, *numbers in zip(found.tolist(), *(g.tolist() for g in given), strict=True):
            true = getattr(mpmath, function.__name__)(*map(mpmath.mpf, numbers))
            subnormal = min(abs(true), abs(numbers[0])) < constants.LEAST
            allowed = 1.0 if subnormal else worst
            assert error(value, true) <= allowed, (numbers, value)


def check_bits(function, many):
    """Hold a function to the same bits for numbers and arrays."""
    ends = [0.0, -0.0, 1.0, -1.0, 710.0, -746.0, 1e300, -1e300, INF, -INF, NAN, LEAST, 709.9]
    given = np.concatenate([*many, ends])
    alone = [function(number) for number in given.tolist()]
    assert np.array_equal(function(given), alone, equal_nan=True)
    few = given[-10:].reshape(2, 5)  # so few that they are computed one by one
    assert np.array_equal(function(few), np.reshape(alone[-10:], (2, 5)), equal_nan=True)
