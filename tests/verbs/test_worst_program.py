"""Programs of the worst case by algorithm, and their boxes."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidOption
from farkas.verbs.worst_program import boxed, why_outside, worst_program
from tests.tools.boxes import dps_box, gadget_box


def test_ranges_move_the_ends_of_the_box() -> None:
    box = boxed(dps_box(), worst_program("dps.fixed_price"), {"budget": (2.0, 5.0)})
    assert [job.budget for job in box.jobs] == [2.0, 3.0, 5.0]  # type: ignore[attr-defined]


def test_an_algorithm_without_a_program_is_told_which_have() -> None:
    with pytest.raises(InvalidOption, match=r"there are coded\.simple_greedy, dps\.fixed_price"):
        worst_program("mlbroker.central")


def test_a_box_holds_its_ends_and_nothing_that_differs_in_more() -> None:
    cls, box = worst_program("dps.fixed_price"), dps_box(2.0, 7.0)
    assert why_outside(cls, box, box) is None
    assert why_outside(cls, box, dps_box(2.5, 6.0)) is None
    assert why_outside(cls, box, dps_box(2.0, 7.5)) == "jobs[].budget = 7.5 is not in 2.0..7.0"
    assert why_outside(cls, box, dps_box(1.5, 7.0)) == "jobs[].budget = 1.5 is not in 2.0..7.0"
    fewer = dps_box(2.0, 7.0, jobs=2)
    assert "is different" in str(why_outside(cls, box, fewer))
    assert why_outside(cls, box, gadget_box()) == "it is of kind gadget"
