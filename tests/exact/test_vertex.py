"""Exact vertices of bases."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.ends import VertexFinder, dual_value
from farkas.exact.refined import Singular
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import BASIC, LOWER, UPPER, Basis
from tests.generators.rational import program


def form() -> RationalForm:
    """Min -3x - 2y, x + y <= 4, x + 3y <= 6, x <= 3: at (3, 1), -11."""
    return program([[1, 1], [1, 3]], cost=[-3, -2], rows=[(None, 4), (None, 6)],
                   ends=[(0, 3), (0, None)])  # fmt: skip


def basis(columns: list[int], rows: list[int]) -> Basis:
    return Basis(np.array(columns, dtype=np.int8), np.array(rows, dtype=np.int8))


def test_the_optimal_vertex_misses_nothing() -> None:
    found = VertexFinder(form()).vertex(basis([UPPER, BASIC], [UPPER, BASIC]))
    assert found.point == [3, 1]
    assert found.activity == [4, 6]
    assert found.multipliers == [-2, 0]
    assert found.reduced == [-1, 0]
    assert (found.primal, found.dual) == (0, 0)
    assert dual_value(form(), found.multipliers, found.reduced) == -11
    assert found.bits == 1


def test_other_vertices_miss_by_what_is_said() -> None:
    finder = VertexFinder(form())
    # x = 4, y = 0 breaks x <= 3 by 1
    outside = finder.vertex(basis([BASIC, LOWER], [UPPER, BASIC]))
    assert outside.point == [4, 0]
    assert outside.primal == F(1, 2)  # x is measured in 2s
    # x = 0, y = 2: going up with x is worth 3 - 2/3
    short = finder.vertex(basis([LOWER, BASIC], [BASIC, UPPER]))
    assert short.point == [0, 2]
    assert (short.primal, short.dual) == (0, F(7, 6))  # costs of 2s are measured in 4s


def test_violations_are_those_of_the_rows_as_written() -> None:
    half = program([["1/2"]], cost=[1], rows=[("1/2", None)])
    found = VertexFinder(half).vertex(basis([LOWER], [BASIC]))
    assert found.primal == 1  # the row's unit is 1/2


@pytest.mark.parametrize("order", [-700, -40, 40, 700])
def test_violations_are_the_same_in_every_unit(order: int) -> None:
    unit, made = F(2) ** order, form()
    other = made.replace(cost=tuple(c * unit for c in made.cost), offset=made.offset * unit)
    for chosen in (basis([BASIC, LOWER], [UPPER, BASIC]), basis([LOWER, BASIC], [BASIC, UPPER])):
        one, two = VertexFinder(made).vertex(chosen), VertexFinder(other).vertex(chosen)
        assert (one.primal, one.dual) == (two.primal, two.dual)


def test_bad_bases_are_told() -> None:
    finder = VertexFinder(form())
    with pytest.raises(Singular, match="as many"):
        finder.vertex(basis([BASIC, BASIC], [UPPER, BASIC]))
    twin = program([[1, 1], [1, 1]], cost=[1, 1], rows=[(1, None)] * 2)
    with pytest.raises(Singular):
        VertexFinder(twin).vertex(basis([BASIC, BASIC], [LOWER, LOWER]))


def test_no_bound_follows_where_an_end_is_infinite() -> None:
    assert dual_value(form(), [F(1), F(0)], [F(0), F(0)]) is None
    assert dual_value(form(), [F(0), F(0)], [F(0), F(-1)]) is None
    assert dual_value(form(), [F(-1), F(0)], [F(0), F(0)]) == -4
