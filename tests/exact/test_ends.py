"""Derived ends of columns."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from farkas.exact.bounding import Bounding
from farkas.exact.ends import LARGEST, Step, derived, rounded_end
from tests.generators.rational import keeps, program, random_integer


@pytest.mark.parametrize(("value", "upper", "whole", "end"), [
    ("7/2", True, True, 3), ("7/2", False, True, 4), ("7/2", True, False, 4),
    ("7/2", False, False, 3), ("-7/2", True, True, -4), ("-7/2", False, False, -4),
    ("3", True, True, 3),
])  # fmt: skip
def test_whole_columns_are_rounded_inwards_and_others_outwards(
    value: str, upper: bool, whole: bool, end: int
) -> None:
    assert rounded_end(F(value), upper=upper, whole=whole) == end


def test_ends_follow_row_by_row() -> None:
    form = program([[2, 1], [1, -1]], cost=[-1, -1], rows=[(None, 7), (-1, None)],
                   ends=[(0, None)] * 2, whole=[1, 0])  # fmt: skip
    lower, upper, steps = derived(Bounding(form), None)
    assert (lower, upper) == ([0, 0], [3, 7])
    assert steps == [Step(0, 0, True, F(3)), Step(0, 1, True, F(7))]


def test_the_cost_of_a_point_bounds_what_is_left() -> None:
    form = program([], cost=[2, 1], ends=[(0, None), (0, None)], offset=3)
    _, upper, steps = derived(Bounding(form), F(8))
    assert upper == [3, 5]
    assert {step.row for step in steps} == {-1}
    assert derived(Bounding(form), None)[2] == []


def test_useless_ends_are_left_out() -> None:
    form = program([["1/1000000000000000"]], cost=[1], rows=[(None, 1)])
    assert derived(Bounding(form), None)[2] == []
    assert LARGEST == 10**12


def test_finite_ends_stay_unless_all_are_asked_for() -> None:
    form = program([[1, 1]], cost=[1, 1], rows=[(None, 3)], ends=[(0, 9), (0, 9)])
    assert derived(Bounding(form), None)[2] == []
    assert derived(Bounding(form), None, everything=True)[1] == [3, 3]


def test_no_point_is_cut_off() -> None:
    for seed in range(60):
        form = random_integer(seed)
        free = form.replace(upper=(None,) * form.num_columns)
        lower, upper, _ = derived(Bounding(free), None)
        for k in range(40):
            point = [F((k * (j + 3) * 7) % 11 - 3) for j in range(form.num_columns)]
            if keeps(free, point):
                pairs = zip(point, lower, upper, strict=True)
                assert all((a is None or a <= x) and (b is None or x <= b) for x, a, b in pairs)
