"""Programs that trees and directions are about; `test_tree_check.py` holds their points."""

from __future__ import annotations

from fractions import Fraction as F

from farkas.certificates.doubles import Work
from farkas.certificates.tree_program import TreeProgram, light_sides
from tests.generators.rational import program


def small() -> TreeProgram:
    form = program([[1, 2]], cost=[-5, 4], rows=[(None, 3)], ends=[(0, 1)] * 2, sense="max")
    return TreeProgram(form.replace(offset=F(2)), Work())


def test_a_program_starts_as_a_minimum() -> None:
    assert (small().cost, small().offset) == ([5, -4], -2)


def test_a_product_counts_its_terms() -> None:
    one = small()
    point = {1: F(1, 2)}
    assert one.product({0: F(7), 1: F(3)}.items(), point, F(1)) == F(5, 2)
    assert one.work.done == 1
    assert one.quotient(F(3), F(2)) == F(3, 2)
    assert one.work.done == 2


def test_ends_are_crossed_or_meet() -> None:
    one = small()
    assert not one.crossed()
    one.lower[1] = F(1)
    assert not one.crossed()
    one.lower[1] = F(2)
    assert one.crossed()
    rows = small()
    rows.row_lower[0] = F(3)
    assert not rows.crossed()
    rows.row_lower[0] = F(4)
    assert rows.crossed()


def test_whole_numbers_are_ints_and_others_stay_fractions() -> None:
    sides = light_sides([F(4, 2), None, F(-1, 3), F(0)])
    assert sides == [2, None, F(-1, 3), 0]
    assert [type(side) for side in sides] == [int, type(None), F, int]
