"""Elementary functions against mpmath, over the whole range and where they are put together."""

from __future__ import annotations

import ast
import inspect
import math
import warnings

import mpmath
import numpy as np
import pytest

from farkas.portable import constants, elementary
from farkas.portable.elementary import cospi, exp, expm1, log, log1p, power, sinpi

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
HALF_STEPS = (RNG.integers(-60_000, 60_000, COUNT) + 0.5) * math.log(2) / constants.STEPS
GRID_EDGES = (np.arange(constants.FIRST, constants.LAST) + 0.5) / constants.GRID
SUBNORMAL = RNG.integers(1, 2**52, COUNT) * LEAST
ONE = np.ones(1)
TURNS = [sizes(-300, 17), -sizes(-5, 2), around(np.arange(1, 12) / 4), SUBNORMAL]
GIVEN = {
    "exp": [RNG.uniform(-745, 709.7, COUNT), sizes(-20, 0), -sizes(-20, 0), around(HALF_STEPS)],
    "expm1": [
        RNG.uniform(-50, 709.7, COUNT), sizes(-300, 0), -sizes(-300, 0), SUBNORMAL, -SUBNORMAL,
        around(HALF_STEPS / 1000),
    ],
    "log": [
        sizes(-307, 308), RNG.uniform(0.5, 2, COUNT), 1 + sizes(-15, -2), 1 - sizes(-15, -2),
        around(GRID_EDGES), around(ONE, 40), SUBNORMAL,
    ],
    "log1p": [
        sizes(-300, 308), RNG.uniform(-1, 1, COUNT), -sizes(-300, -2), around(-ONE, 40)[:40],
        around(GRID_EDGES - 1), SUBNORMAL, -SUBNORMAL,
    ],
    "sinpi": TURNS,
    "cospi": TURNS,
}  # fmt: skip
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


def error(found, true):
    """Distance from the true value in units of its last place."""
    if abs(true) >= 2 ** mpmath.mpf(1024) * (1 - 2 ** mpmath.mpf(-54)):  # rounds to infinity
        return 0.0 if found == math.copysign(INF, true) else INF
    return float(abs(found - true) / math.ulp(float(true)))


def check(name, worst, *given):
    found = getattr(elementary, name)(*given)
    with mpmath.workprec(200):
        for value, *numbers in zip(found.tolist(), *(g.tolist() for g in given), strict=True):
            true = getattr(mpmath, name)(*map(mpmath.mpf, numbers))
            subnormal = min(abs(true), abs(numbers[0])) < constants.LEAST
            allowed = 1.0 if subnormal else worst
            assert error(value, true) <= allowed, (name, numbers, value)


@pytest.mark.parametrize("name", GIVEN)
def test_results_are_the_true_values_but_for_the_last_bit(name):
    for given in GIVEN[name]:
        check(name, 0.52 if name in ("exp", "log", "log1p") else 0.8, given)


def test_powers_are_the_true_values_but_for_the_last_bit():
    check("power", 0.52, *POWERS_AT_ONCE)


@pytest.mark.parametrize("name", GIVEN)
def test_numbers_and_arrays_have_the_same_bits(name):
    function = getattr(elementary, name)
    ends = [0.0, -0.0, 1.0, -1.0, 710.0, -746.0, 1e300, -1e300, INF, -INF, NAN, LEAST, 709.9]
    given = np.concatenate([*GIVEN[name], ends])
    alone = [function(number) for number in given.tolist()]
    assert np.array_equal(function(given), alone, equal_nan=True)
    few = given[-10:].reshape(2, 5)  # so few that they are computed one by one
    assert np.array_equal(function(few), np.reshape(alone[-10:], (2, 5)), equal_nan=True)


def test_powers_of_numbers_and_arrays_have_the_same_bits():
    ends = np.array([0.0, 1.0, 2.0, 0.5, -1.0, 1e300, LEAST, INF, -INF, NAN, 1e20, -1e20])
    for base, exponent in [POWERS_AT_ONCE, [ends[:, None], ends[None, :]]]:
        base, exponent = np.broadcast_arrays(base, exponent)
        alone = [power(*pair) for pair in zip(base.flat, exponent.flat, strict=True)]
        assert np.array_equal(power(base, exponent).ravel(), alone, equal_nan=True)


@pytest.mark.parametrize(
    ("function", "given", "result"),
    [
        (exp, 0.0, 1.0), (exp, INF, INF), (exp, -INF, 0.0), (exp, 709.79, INF), (exp, -745.2, 0.0),
        (exp, -745.13, LEAST), (exp, NAN, NAN),
        (expm1, 0.0, 0.0), (expm1, INF, INF), (expm1, -INF, -1.0), (expm1, LEAST, LEAST),
        (log, 1.0, 0.0), (log, 0.0, -INF), (log, INF, INF), (log, -1.0, NAN), (log, -LEAST, NAN),
        (log1p, 0.0, 0.0), (log1p, -1.0, -INF), (log1p, -1.1, NAN), (log1p, INF, INF),
        (log1p, -LEAST, -LEAST), (log1p, 1.7e308, log(1.7e308)),
        (sinpi, 0.5, 1.0), (sinpi, -1.5, 1.0), (sinpi, 7.0, 0.0), (sinpi, 2.0**60, 0.0),
        (cospi, 0.5, 0.0), (cospi, 3.0, -1.0), (cospi, 2.0**52 + 1, -1.0), (cospi, 1e300, 1.0),
        (sinpi, INF, NAN), (cospi, -INF, NAN), (cospi, NAN, NAN),
    ],
)  # fmt: skip
def test_ends_of_the_range(function, given, result):
    assert np.array_equal(function(given), result, equal_nan=True)


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


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in (exp, expm1, log, log1p, sinpi, cospi):
            function(np.tile([INF, -INF, NAN, 0.0, -5.0, 1e308, -1e308], 5))
        power(np.full(20, 1e300), np.linspace(-9, 9, 20))


def test_arrays_keep_their_shape_and_numbers_stay_numbers():
    assert exp(np.zeros((0, 3))).shape == (0, 3)
    assert exp(np.zeros((2, 3, 7))).shape == (2, 3, 7)
    assert power(np.ones((4, 1)), np.ones(5)).shape == (4, 5)
    assert type(exp(1)) is type(exp(np.float64(1))) is type(power(2, 0.5)) is float
    many = RNG.uniform(-700, 700, 3 * elementary.BLOCK + 1)  # more than are computed at a time
    assert np.array_equal(exp(many)[::1000], exp(many[::1000]))
    assert np.array_equal(exp(many[::-2]), exp(many)[::-2])


def test_only_operations_with_fixed_results_are_used():
    numpy_names = {
        "asarray", "array", "empty", "empty_like", "where", "maximum", "fmod", "errstate",
        "broadcast_arrays", "float64", "int64", "ndarray",
    }  # fmt: skip
    math_names = {
        "isqrt", "ldexp", "frexp", "fmod", "sqrt", "factorial", "inf", "nan", "isnan",
    }  # fmt: skip
    for module in (elementary, constants):
        tree = ast.parse(inspect.getsource(module))
        used = {
            (node.value.id, node.attr)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        assert {name for owner, name in used if owner == "np"} <= numpy_names
        assert {name for owner, name in used if owner == "math"} <= math_names
        assert not any(isinstance(node, ast.MatMult) for node in ast.walk(tree))
