"""Functions of numbers and arrays: shapes, silence, and the operations that are used."""

from __future__ import annotations

import ast
import inspect
import warnings

import numpy as np

from farkas.portable import constants, entrywise, exponentials, less_one, logarithms, powers, turns
from farkas.portable.exponentials import exp
from farkas.portable.less_one import expm1
from farkas.portable.logarithms import log, log1p
from farkas.portable.powers import power
from farkas.portable.turns import cospi, sinpi
from tests.portable.measured import INF, NAN, RNG


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
    many = RNG.uniform(-700, 700, 3 * entrywise.BLOCK + 1)  # more than are computed at a time
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
    for module in (constants, entrywise, exponentials, less_one, logarithms, powers, turns):
        tree = ast.parse(inspect.getsource(module))
        used = {
            (node.value.id, node.attr)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        }
        assert {name for owner, name in used if owner == "np"} <= numpy_names
        assert {name for owner, name in used if owner == "math"} <= math_names
        assert not any(isinstance(node, ast.MatMult) for node in ast.walk(tree))
