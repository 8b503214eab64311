"""Warm runs of a simplex method."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.solvers.simplex import BASIC, UPPER, End, Simplex
from tests.generators.forms import INF, small


def form(**changes: object) -> LinearForm:
    """Min -3x - 2y, x + y <= 4, x + 3y <= 7, x <= 3: at (3, 1), -11."""
    made: LinearForm = small(
        [[1.0, 1.0], [1.0, 3.0]], cost=[-3, -2], row_upper=[4, 7], upper=[3, INF],
        integer=[True, False],
    )  # fmt: skip
    return made.replace(**changes)  # type: ignore[arg-type]


def test_a_run_ends_at_a_vertex_with_its_basis() -> None:
    simplex = Simplex(form())
    assert simplex.run() is End.OPTIMAL
    np.testing.assert_allclose(simplex.point, [3, 1])
    np.testing.assert_allclose(simplex.row_duals, [-2, 0], atol=1e-12)
    assert simplex.value == -11
    basis = simplex.basis
    assert basis is not None
    assert basis.columns.tolist() == [UPPER, BASIC]
    assert basis.rows.tolist() == [UPPER, BASIC]


def test_a_basis_is_a_start_that_needs_no_iterations() -> None:
    first = Simplex(form())
    first.run()
    basis = first.basis
    assert basis is not None
    second = Simplex(form())
    second.start(basis)
    assert second.run() is End.OPTIMAL
    assert second.iterations == 0


def test_bounds_and_rows_change() -> None:
    simplex = Simplex(form())
    simplex.run()
    simplex.bound([0], np.array([0.0]), np.array([1.0]))
    simplex.run()
    np.testing.assert_allclose(simplex.point, [1, 2])
    simplex.add_upper_rows([{0: 1, 1: 2}], [3.0])
    assert simplex.num_rows == 3
    simplex.run()
    np.testing.assert_allclose(simplex.point, [1, 1])


def test_other_ends_are_told() -> None:
    empty = Simplex(form(row_lower=np.array([9.0, -INF]), row_upper=np.array([INF, 6.0])))
    assert empty.run() is End.INFEASIBLE
    ray = empty.ray
    assert ray is None or ray.shape == (2,)
    endless = Simplex(small([[1.0, -1.0]], cost=[-1, -1], row_upper=[1.0]))
    assert endless.run() is End.UNBOUNDED
    stopped = Simplex(form())
    assert stopped.run(iterations=0) is End.STOPPED


def test_small_entries_are_kept() -> None:
    simplex = Simplex(small([[1e-11]], cost=[1.0], row_lower=[1e-11]))
    assert simplex.run() is End.OPTIMAL
    np.testing.assert_allclose(simplex.point, [1.0])


def test_numbers_that_highs_refuses_are_one_line():
    huge = small([[1e200, 1e-200], [1e-200, 1e200]], cost=[1.0, 1.0], row_lower=[1.0, 1.0])
    with pytest.raises(NoAnswer, match="other units"):
        Simplex(huge)


def test_a_run_takes_as_many_iterations_as_it_needs() -> None:
    # neighbours share 1, so that every second of 200 is at 1
    pairs = np.eye(199, 200) + np.eye(199, 200, 1)
    simplex = Simplex(small(pairs, cost=[-1 - j % 3 for j in range(200)], row_upper=[1] * 199))
    assert simplex.run() is End.OPTIMAL
    assert simplex.iterations > 2 * 31
