"""Derived ends of columns."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Bounding, Deadline
from farkas.exact.ends import Nearby, VertexFinder, derived, rounded_end
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import BASIC, LOWER, UPPER, Basis, End
from tests.generators.rational import keeps, program, random_integer


@pytest.mark.parametrize(("value", "upper", "whole", "end"), [
    ("7/2", True, True, 3), ("7/2", False, True, 4), ("-7/2", True, True, -4),
    ("3", True, True, 3), ("7/2", True, False, "7/2"), ("7/2", False, False, "7/2"),
    ("1/3", True, False, "11184811/33554432"), ("1/3", False, False, "11184810/33554432"),
    ("-1/3", True, False, "-11184810/33554432"), ("-1/3", False, False, "-11184811/33554432"),
    ("0", True, False, 0),
])  # fmt: skip
def test_whole_columns_are_rounded_inwards_and_others_outwards(
    value: str, upper: bool, whole: bool, end: int | str
) -> None:
    assert rounded_end(F(value), upper=upper, whole=whole) == F(end)


@pytest.mark.parametrize("order", [-900, -60, 0, 60, 900])
@pytest.mark.parametrize("upper", [True, False])
def test_ends_that_are_not_whole_are_rounded_alike_in_every_unit(order: int, upper: bool) -> None:
    value, unit = F(355, 113), F(2) ** order
    found = rounded_end(value * unit, upper=upper, whole=False)
    assert found == unit * rounded_end(value, upper=upper, whole=False)
    assert 0 <= (found - value * unit) * (1 if upper else -1) <= value * unit / 2**22


def test_finite_ends_stay_unless_all_are_asked_for() -> None:
    form = program([[1, 1]], cost=[1, 1], rows=[(None, 3)], ends=[(0, 9), (0, 9)])
    assert derived(Bounding(form), None)[2] == []
    assert derived(Bounding(form), None, everything=True)[1] == [3, 3]


def test_no_end_is_derived_twice() -> None:
    for seed in range(40):
        form, value = random_integer(seed), F(5)
        for cutoff in (None, value):
            steps = derived(Bounding(form), cutoff, everything=True)[2]
            seen = {(step.column, step.upper, step.value) for step in steps}
            assert len(seen) == len(steps), seed


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


def basis(columns: list[int], rows: list[int]) -> Basis:
    return Basis(np.array(columns, dtype=np.int8), np.array(rows, dtype=np.int8))


def close() -> RationalForm:
    """Min -x - y, x + y <= 1, x + (1 + 1e-21) y <= 1: doubles see the same row twice."""
    return program([[1, 1], [1, "1000000000000000000001/1000000000000000000000"]], cost=[-1, -1],
                   rows=[(None, 1), (None, 1)])  # fmt: skip


@pytest.mark.parametrize("order", [-200, 0, 200])
@pytest.mark.parametrize("wrong", [
    basis([LOWER, BASIC], [UPPER, BASIC]),  # y = 1 breaks the second row by 1e-21
    basis([LOWER, BASIC], [BASIC, UPPER]),  # y a little below 1 is not the best
], ids=["primal", "dual"])  # fmt: skip
def test_a_basis_that_misses_by_what_no_double_sees_is_mended(wrong: Basis, order: int) -> None:
    form = close()
    form = form.replace(cost=tuple(c * F(2) ** order for c in form.cost))
    finder = VertexFinder(form)
    vertex = finder.vertex(wrong)
    missed = max(vertex.primal, vertex.dual)
    assert 0 < missed < F(1, 10**20)
    nearby, found = Nearby(form), wrong
    for _ in range(3):  # one round may trade a side that is missed for a sign
        end, found = nearby.solve(vertex, found, Deadline())
        assert end is End.OPTIMAL
        vertex = finder.vertex(found)
        if not vertex.primal and not vertex.dual:
            break
    assert (vertex.primal, vertex.dual) == (0, 0)
    assert form.objective(vertex.point) == -(F(2) ** order)
