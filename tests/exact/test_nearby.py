"""The enlarged program around a vertex: from a basis that is slightly wrong to the right one."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Deadline
from farkas.exact.ends import Nearby
from farkas.exact.vertex import VertexFinder
from farkas.forms.rational import RationalForm
from farkas.solvers.simplex import BASIC, LOWER, UPPER, Basis, End
from tests.generators.rational import program


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
