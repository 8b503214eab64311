"""Doubles as integers of a common unit; decisions that are none."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

from farkas.errors import NotACertificate
from farkas.replay.base import Entry, decoded, exact, fixed, places, quotient

NUMBERS = [0.1, 3.0, -2.5e-7, 0.0, 1e300, 5e-324]


def test_every_double_is_a_whole_number_of_units() -> None:
    digits = places(NUMBERS)
    assert digits == 1074
    assert [F(fixed(x, digits), 2**digits) for x in NUMBERS] == [F(x) for x in NUMBERS]
    assert places([]) == places([4.0]) == 0


@pytest.mark.parametrize("shift", [1, 60, 500])
def test_quotients_have_as_many_places_in_every_unit(shift: int) -> None:
    # 2**200 / 3 needs no place after the point, and yet no more than 2**200 / 3 / 2**shift
    low, high = quotient(2**200, 3)
    assert low < F(2**200, 3) < high
    assert high - low <= F(2**200, 2**127)
    assert quotient(2 ** (200 + shift), 3) == (low * 2**shift, high * 2**shift)
    assert quotient(2**200, 3 * 2**shift) == (low / 2**shift, high / 2**shift)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(NotACertificate, match="hold"):
        exact(number)
    with pytest.raises(NotACertificate, match="hold"):
        places([1.0, number])


class Pair(Entry, frozen=True, kw_only=True):
    left: int
    right: float


@pytest.mark.parametrize(
    "entry",
    [{"left": 1}, {"left": 1.5, "right": 1}, {"left": 1, "right": 2, "third": 3}, [1, 2], None],
)
def test_decisions_of_another_shape_are_refused(entry: object) -> None:
    with pytest.raises(NotACertificate, match="none of its kind"):
        decoded([entry], list[Pair])


def test_decisions_become_records() -> None:
    assert decoded([{"left": 1, "right": 2}], list[Pair]) == [Pair(left=1, right=2.0)]
    assert exact(0.1) == F(0.1)
