"""Equations of whole columns without a whole point: refuted by one cut, whatever the ends."""

from __future__ import annotations

import random
from fractions import Fraction as F

import msgspec
import pytest

from farkas.errors import NotACertificate
from farkas.exact.certificate import combined, refuted, tree_certificate
from farkas.forms.rational import RationalForm
from tests.generators.rational import Given, program
from tests.generators.without_ends import solvable

FREE = (None, None)
LARGE = 3 * 2**70


def free(rows: list[list[Given]], sides: list[tuple[Given, Given]], whole: int = 4) -> RationalForm:
    """Columns without ends, of which the first ones are whole."""
    n = len(rows[0])
    return program(rows, cost=[1] * n, rows=sides, ends=[FREE] * n,
                   whole=[int(j < whole) for j in range(n)])  # fmt: skip


def one_cut(form: RationalForm) -> tuple[dict[int, F], dict[int, int], F]:
    """Weights, terms and side of the cut that refutes a form, which the checker takes."""
    tree = refuted(form)
    assert tree is not None
    assert (tree.complete, tree.bound, tree.point, tree.nodes) == (True, None, None, [0])
    file = tree_certificate(form, tree, about={"program": "small"})
    assert file.prove_of(form, "form").infeasible
    (cut,) = tree.cuts
    stronger = msgspec.structs.replace(file.cuts[0], side=str(cut.side - 1))
    with pytest.raises(NotACertificate, match="stronger"):
        msgspec.structs.replace(file, cuts=(stronger,)).prove_of(form, "form")
    return dict(cut.rows), cut.terms, cut.side


@pytest.mark.parametrize(("row", "sides", "floor"), [
    ([2, -2], (1, 1), 0), ([3, 6], (7, 7), 2), ([6, -9], ("1/2", "1/2"), 0),
    ([10, -10], ("3/10", "97/10"), 0), ([-4, 8], (-7, -5), -2),
    ([LARGE, LARGE + 3], (1, 2), 0), (["1/3", "1/6"], ("1/12", "1/12"), 0),
])  # fmt: skip
def test_a_row_without_a_whole_number_between_its_sides(
    row: list[Given], sides: tuple[Given, Given], floor: int
) -> None:
    form = free([[1, 1], row], [(None, 9), sides])
    weights, terms, side = one_cut(form)
    assert (weights, terms, side) == ({1: 1}, dict(form.row(1)), floor)


def test_equations_that_add_up_to_one() -> None:
    # x + y + 2z = 0 and x - y + 2w = 1: halves give x + z + w = 1/2
    rows: list[list[Given]] = [[1, 1, 2, 0], [5, 0, 0, 3], [1, -1, 0, 2]]
    weights, terms, side = one_cut(free(rows, [(0, 0), (None, 7), (1, 1)]))
    assert weights in ({0: F(1, 2), 2: F(1, 2)}, {0: F(-1, 2), 2: F(1, 2)})
    assert side == sum(weights[i] * b for i, b in ((0, 0), (2, 1))) - F(1, 2)
    assert {terms[j] for j in terms} <= {1, -1}


@pytest.mark.parametrize(("rows", "sides", "whole"), [
    ([[2, -2]], [(1, 1)], 1), ([[2, -2]], [(None, 1)], 2), ([[2, -2]], [(1, None)], 2),
    ([[2, -2]], [(1, 2)], 2), ([[2, -3]], [(1, 1)], 2), ([[2, -2]], [(-4, -4)], 2),
    ([[1, 1, 2, 0], [1, -1, 0, 2]], [(0, 0), (2, 2)], 4),
    ([[1, 1, 2, 0], [1, -1, 0, 2]], [(0, 0), (1, 1)], 3),
    ([[1, 1], [1, 1]], [(0, 0), (1, 1)], 2),  # the relaxation has no point either
    ([[0, 0]], [(0, 0)], 2),
])  # fmt: skip
def test_what_whole_points_keep_or_the_relaxation_refutes_is_left(
    rows: list[list[Given]], sides: list[tuple[Given, Given]], whole: int
) -> None:
    assert refuted(free(rows, sides, whole)) is None


def test_weights_are_found_where_there_is_no_whole_point() -> None:
    rng, seen = random.Random(5), {True: 0, False: 0}
    for _ in range(150):
        m, n = rng.randint(1, 4), rng.randint(1, 5)
        point = [F(rng.randint(-6, 6), rng.choice([1, 1, 2, 3])) for _ in range(n)]
        rows = [[rng.randint(-6, 6) for _ in range(n)] for _ in range(m)]
        sides = [sum(v * x for v, x in zip(row, point, strict=True)) for row in rows]
        below = 6 if any(side.denominator > 1 for side in sides) else 1
        rows = [[below * v for v in row] for row in rows]
        sides = [below * side for side in sides]
        weights = combined([dict(enumerate(row)) for row in rows], sides)
        key = tuple(map(tuple, rows))
        assert (weights is None) is solvable(key, tuple(map(int, sides)))
        seen[weights is None] += 1
        if weights is not None:
            sums = (sum(w * v for w, v in zip(weights, column, strict=True))
                    for column in zip(*rows, strict=True))  # fmt: skip
            assert {total.denominator for total in sums} == {1}
            assert sum(w * b for w, b in zip(weights, sides, strict=True)).denominator > 1
    assert min(seen.values()) > 30
