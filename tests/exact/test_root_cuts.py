"""Rounds of cuts raise the bound and cut off no whole point."""

from __future__ import annotations

import random
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Bounding, Deadline
from farkas.exact.root_cuts import root_cuts, seen_from, tableau_rows
from farkas.solvers.simplex import End, Simplex
from tests.exact.test_cuts import drawn, flows, points
from tests.generators.rational import program


def test_cuts_at_the_root_keep_every_point_and_raise_the_bound() -> None:
    rng = random.Random(9)
    cuts = 0
    for _ in range(25):
        form = drawn(rng)
        kept = points(form)
        simplex = Simplex(form.linear)
        found = root_cuts(Bounding(form), form.lower, form.upper, simplex, Deadline(), None)
        cuts += len(found)
        for cut in found:
            for point in kept:
                assert sum(v * point[j] for j, v in cut.terms.items()) <= cut.side
    assert cuts > 5


def test_rows_of_the_tableau_are_found_for_broken_columns() -> None:
    form = program([[2, 3]], cost=[-1, -1], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    simplex = Simplex(form.linear)
    simplex.run()
    found = root_cuts(Bounding(form), form.lower, form.upper, simplex, Deadline(), None)
    assert any(keeps_not(cut, [F(1), F(2, 3)]) for cut in found)


@pytest.mark.parametrize("entry", [2 * 10**400, F(2, 10**400)])
def test_entries_beyond_doubles_leave_no_rows_of_the_tableau(entry: int | F) -> None:
    form = program([[2, 3]], cost=[-1, -1], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    simplex = Simplex(form.linear)
    simplex.run()
    beyond = program([[entry, 3]], cost=[-1, -1], rows=[(None, 4)], ends=[(0, 1)] * 2, whole=[1, 1])
    assert list(tableau_rows(Bounding(form), simplex.basis, [1]))
    assert not list(tableau_rows(Bounding(beyond), simplex.basis, [1]))


def keeps_not(cut, point: list[F]) -> bool:  # type: ignore[no-untyped-def]
    return bool(sum(v * point[j] for j, v in cut.terms.items()) > cut.side)


def test_a_cut_is_violated_by_its_distance() -> None:
    form = flows()
    simplex = Simplex(form.linear)
    cut = root_cuts(Bounding(form), form.lower, form.upper, simplex, Deadline(), None)[0]
    assert (cut.terms, cut.side) == ({0: 1, 1: 1, 2: -1, 3: -1}, 1)
    normal, depth = seen_from(np.array([1.5, 1.5, 0.75, 0.75]), cut, [0] * 4)
    assert (depth, normal) == (0.25, {0: 0.5, 1: 0.5, 2: -0.5, 3: -0.5})
    assert seen_from(np.array([2.0, 0.0, 1.0, 0.0]), cut, [0] * 4)[1] == 0.0
    assert seen_from(np.array([0.0, 0.0, 1.0, 0.0]), cut, [0] * 4)[1] == -1.0
    # where x is measured in halves its coefficients are half as long, and points twice as far
    normal, depth = seen_from(np.array([1.5, 1.5, 0.75, 0.75]), cut, [-1, -1, 0, 0])
    assert normal[0] == -normal[2] / 2
    assert depth == pytest.approx(0.5 / 2.5**0.5)


def test_flows_over_arcs_to_open_need_no_search() -> None:
    form = flows()
    program_, simplex = Bounding(form), Simplex(form.linear)
    simplex.run()
    before = simplex.value
    root_cuts(program_, form.lower, form.upper, simplex, Deadline(), None)
    simplex.run()
    assert before < simplex.value
    assert abs(simplex.value - -4.0) < 1e-9  # both open: 2 of 6 is paid


def test_columns_without_ends_are_cut_at_the_root() -> None:
    # 1/4 <= x - y and 2x - 2y <= 1: each side is rounded
    form = program([[1, -1], [2, -2]], cost=[0, 0], rows=[("1/4", None), (None, 1)],
                   ends=[(None, None)] * 2, whole=[1, 1])  # fmt: skip
    simplex = Simplex(form.linear)
    assert root_cuts(Bounding(form), form.lower, form.upper, simplex, Deadline(), None)
    assert simplex.run() is End.INFEASIBLE
