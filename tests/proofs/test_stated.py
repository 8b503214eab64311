"""Relations hold or fail, and say how far they are from it."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from farkas.proofs.said import HOLDS, Stated


@pytest.mark.parametrize(
    ("sign", "below", "equal", "above"),
    [
        ("<=", True, True, False),
        ("<", True, False, False),
        (">=", False, True, True),
        (">", False, False, True),
        ("==", False, True, False),
        ("!=", True, False, True),
    ],
)
def test_each_sign_against_a_smaller_an_equal_and_a_larger_side(sign, below, equal, above) -> None:
    assert [Stated(left, sign, 2.0).holds for left in (1.0, 2.0, 3.0)] == [below, equal, above]
    # without a tolerance the next double is another number
    assert Stated(math.nextafter(2.0, 3.0), sign, 2.0).holds == above


def test_signs_are_six() -> None:
    assert sorted(HOLDS) == ["!=", "<", "<=", "==", ">", ">="]


@pytest.mark.parametrize(
    ("relation", "slack"),
    [
        (Stated(1.0, "<=", 4.0), 3.0),
        (Stated(4.0, "<", 1.0), -3.0),
        (Stated(1.0, ">=", 4.0), -3.0),
        (Stated(4.0, ">", 1.0), 3.0),
        (Stated(1.0, "==", 4.0), -3.0),
        (Stated(1.0, "!=", 4.0), 3.0),
        (Stated(2.0, "==", 2.0), 0.0),
        # a share of the larger side, or of the size, where a tolerance is such a share
        (Stated(3.0, "<=", 4.0, 0.5), 0.25),
        (Stated(4.0, "<=", 3.0, 0.5), -0.25),
        (Stated(4.0, "<=", 3.0, 0.5, size=8.0), -0.125),
        (Stated(1.0, "<=", -1.0, 0.5), -2.0),
        (Stated(0.0, "<=", 0.0, 0.5), 0.0),
        (Stated(1.0, "<=", math.inf, 0.5), math.inf),
        (Stated(math.inf, "<=", 1.0, 0.5), -math.inf),
        (Stated(math.inf, "<=", math.inf), 0.0),
        (Stated(Fraction(1, 3), "<=", 1), 2 / 3),
    ],
)
def test_slacks_by_hand_contain_no_tolerance(relation: Stated, slack: float) -> None:
    assert relation.slack == slack


@pytest.mark.parametrize("unit", [2.0**-60, 1.0, 2.0**60])
@pytest.mark.parametrize(("sign", "off"), [("<=", 1), (">=", -1), ("==", 1), ("==", -1)])
def test_a_tolerance_is_a_share_of_the_sides_in_any_unit(sign, off, unit) -> None:
    tolerance = 2.0**-10
    inside, outside = ((1 + off * share) * unit for share in (2.0**-11, 2.0**-9))
    assert Stated(inside, sign, unit, tolerance).holds
    assert not Stated(outside, sign, unit, tolerance).holds
    assert Stated(outside, sign, unit, tolerance, size=4 * unit).holds


def test_beyond_every_side_there_is_no_tolerance_at_zero() -> None:
    assert not Stated(1e-300, "<=", 0.0, 1e-6).holds
    assert not Stated(math.inf, "<=", 1.0, 1e-6).holds


def test_fractions_are_compared_exactly() -> None:
    third = Fraction(1, 3)
    assert not Stated(third, "==", 1 / 3).holds
    assert Stated(third + Fraction(1, 10**40), ">", third).holds


@pytest.mark.parametrize("sides", [(math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan)])
@pytest.mark.parametrize("sign", HOLDS)
def test_what_is_not_a_number_is_in_no_relation(sides, sign) -> None:
    with pytest.raises(ValueError, match="a side is not a number"):
        Stated(sides[0], sign, sides[1])


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"sign": "<>"}, "'<>' is no sign"),
        ({"sign": "<", "tolerance": 1e-6}, "a strict relation leaves no room"),
        ({"sign": "!=", "tolerance": 1e-6}, "a strict relation leaves no room"),
        ({"sign": "<=", "tolerance": -1e-6}, "tolerance -1e-06 is negative"),
        ({"sign": "<=", "tolerance": math.nan}, "tolerance nan is negative"),
        ({"sign": "<=", "tolerance": math.inf}, "tolerance inf is negative or infinite"),
        ({"sign": "<=", "size": -1.0}, "size -1.0 is negative"),
    ],
)
def test_a_relation_that_makes_no_sense_is_refused(how, words) -> None:
    with pytest.raises(ValueError, match=words):
        Stated(1.0, right=2.0, **how)


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (Stated(8.75, "<=", 3.61), "8.75 <= 3.61"),
        (Stated(True, ">", 0), "1 > 0"),
        (Stated(np.float64(0.5), "==", Fraction(1, 2)), "0.5 == 0.5"),
        # as many digits as tell the sides apart
        (Stated(1 + 1e-9, "<=", 1.0), "1.000000001 <= 1"),
        (Stated(math.nextafter(1.0, 2.0), "<=", 1.0), "1.0000000000000002 <= 1.0"),
        (Stated(2.0, "<=", 1.0, 1e-6), "2 <= 1 (tolerance 1e-06)"),
        (Stated(math.inf, "<=", 1.0), "inf <= 1"),
    ],
)
def test_a_relation_in_words(relation: Stated, words: str) -> None:
    assert str(relation) == words


def test_plain_data_are_json_and_give_the_relation_back() -> None:
    for relation in (Stated(2, "<=", 1.5, 0.25), Stated(math.inf, "<", -math.inf)):
        data = json.loads(json.dumps(relation.to_builtins(), allow_nan=False))
        assert Stated(**data) == relation
    assert Stated(2, "==", 1).to_builtins() == {"left": 2.0, "sign": "==", "right": 1.0}
