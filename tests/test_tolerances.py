"""Tolerances are shares: the unit of what is compared decides nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from farkas import tolerances
from farkas.numbers import bools, floats, ints
from farkas.tolerances import (
    FINE_GAP,
    LEVEL,
    LOOSE_GAP,
    ROUNDING,
    SIMPLEX,
    SOLVER_GAP,
    TIE,
    ULP,
    allowed,
    close,
    relative,
)


def test_looser_meanings_have_looser_values():
    # rounding of one operation < equal choices < levels < sums < vertices < solvers < chains
    steps = [ULP, TIE, LEVEL, ROUNDING, SIMPLEX, SOLVER_GAP, LOOSE_GAP]
    assert steps == sorted(set(steps))
    assert FINE_GAP <= SIMPLEX


def test_every_tolerance_says_what_it_is() -> None:
    source = Path(str(tolerances.__file__)).read_text(encoding="utf-8")
    names = [name for name in vars(tolerances) if isinstance(vars(tolerances)[name], float)]
    assert len(names) > 8
    missing = [name for name in names if f"\n{name} = " not in source]
    assert not missing
    for name in names:
        after = source.split(f"\n{name} = ", 1)[1].split("\n", 1)[1]
        assert after.startswith('"""'), name


UNITS = [2.0**-40, 1.0, 2.0**40]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    ("value", "limit", "fits"),
    [
        (0.1 + 0.2, 0.3, True),  # 5.6e-17 more, a share of 1.9e-16
        (0.3 * (1 + 0.9e-9), 0.3, True),
        (0.3 * (1 + 1.1e-9), 0.3, False),
        (1e-10, 0.0, False),  # nothing is a share of nothing
        (-0.3 * (1 - 0.9e-9), -0.3, True),  # a negative limit is not tightened
        (np.inf, 1.0, False),
        (1.0, np.inf, True),
    ],
)
def test_what_is_allowed_does_not_depend_on_the_unit(value, limit, fits, unit):
    assert (unit * value <= allowed(unit * limit)) is fits
    assert (np.array([unit * value]) <= allowed(np.array([unit * limit]))).tolist() == [fits]


@pytest.mark.parametrize("unit", UNITS)
def test_closeness_and_relative_differences_do_not_depend_on_the_unit(unit):
    assert close(unit * 3.0, unit * 3.0 * (1 + 0.9e-9))
    assert not close(unit * 3.0, unit * 3.0 * (1 + 1.1e-9))
    assert not close(unit * 1e-12, 0.0)
    assert close(0.0, 0.0)
    assert relative(unit * 1.0, unit * 4.0, unit * -5.0) == 0.2
    assert relative(unit * -1.0, 0.0) == -1.0


@pytest.mark.parametrize(
    ("convert", "dtype"), [(floats, np.float64), (ints, np.int64), (bools, np.bool_)]
)
def test_an_array_of_the_type_is_passed_on_and_others_are_converted(convert, dtype):
    right = np.array([0, 1], dtype)
    assert convert(right) is right
    made = convert(np.array([0, 1], np.int8))
    assert made.dtype == dtype
    assert made.tolist() == [0, 1]
    assert convert(1).shape == ()
