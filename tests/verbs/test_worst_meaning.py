"""What is said of a bound: the ratio, rounded up, only where it follows."""

from fractions import Fraction

import pytest

from farkas.algebra import programs
from farkas.models.worst_case import WorstProgram
from farkas.verbs.worst_meaning import meaning


def test_the_ratio_is_rounded_up_and_the_box_is_named() -> None:
    program = programs.build("gadget.worst_fifo[ratio=8,parts=2]")
    assert isinstance(program, WorstProgram)
    said = meaning(program, Fraction(0))
    assert "ratio of gadget.fifo is at most 8.00000001 on every" in said
    assert "jobs[].demand[]" in said
    assert "whole parts, 2 of which" in said


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("dps.worst_fixed_price", Fraction(1, 10**30)),
        ("dps.worst_fixed_price", None),
        ("dps.worst_fixed_price[margin=0.5]", Fraction(0)),  # leaves instances out
    ],
)
def test_nothing_is_said_where_nothing_follows(name: str, bound: Fraction | None) -> None:
    program = programs.build(name)
    assert isinstance(program, WorstProgram)
    assert not meaning(program, bound)
