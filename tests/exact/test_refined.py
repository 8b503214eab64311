"""Square systems solved exactly."""

from __future__ import annotations

import random
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Matrix, objects
from farkas.exact.refined import Singular, Square, fractions_near
from farkas.forms.rational import whole_array


def square(rows: list[list[int]]) -> Square:
    places = [(i, j, v) for i, row in enumerate(rows) for j, v in enumerate(row) if v]
    size = len(rows)
    at = [np.array([p[k] for p in places], dtype=np.int64) for k in (0, 1)]
    return Square(Matrix(at[0], at[1], whole_array([p[2] for p in places]), (size, size)))


def holds(rows: list[list[int]], side: list[int], x: list[F], transposed: bool) -> bool:
    use = [list(column) for column in zip(*rows, strict=True)] if transposed else rows
    sums = [sum(v * a for v, a in zip(row, x, strict=True)) for row in use]
    return sums == side


@pytest.mark.parametrize("transposed", [False, True])
def test_rows_and_columns_in_units_beyond_doubles(transposed: bool) -> None:
    # 10^400 is no double, and neither is the quotient of the two rows' units
    huge = 10**400
    rows = [[3 * huge, 7 * huge + 1, 0], [1, -2, 5], [0, 11 * huge**2, 13 * huge**2 - 1]]
    side = [17 * huge, 19, 23]
    found = square(rows).solve(objects(side), transposed=transposed)
    assert holds(rows, side, found.fractions(), transposed)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("units", "least"), [(400, 0), (0, 400), (400, 400), (900, 3)])
def test_sides_far_below_or_above_their_rows(units: int, least: int, transposed: bool) -> None:
    rows = [[v * 10**units for v in row] for row in ([3, 1, 0], [1, -2, 5], [0, 7, 4])]
    side = [v * 10**least for v in (1, 2, 3)]
    found = square(rows).solve(objects(side), transposed=transposed)
    assert holds(rows, side, found.fractions(), transposed)


@pytest.mark.parametrize("most", [9, 10**4, 10**9, 2**70])
@pytest.mark.parametrize("transposed", [False, True])
def test_random_systems_are_solved_exactly(most: int, transposed: bool) -> None:
    rng = random.Random(most)
    for size in (1, 2, 3, 5, 8):
        rows = [[rng.randint(-most, most) if rng.random() < 0.8 or i == j else 0
                 for j in range(size)] for i in range(size)]  # fmt: skip
        for i in range(size):
            rows[i][i] = rows[i][i] or 1
        side = [rng.randint(-most, most) for _ in range(size)]
        try:
            found = square(rows).solve(objects(side), transposed=transposed)
        except Singular:
            assert most == 9, "only small numbers make singular matrices by chance"
            continue
        assert holds(rows, side, found.fractions(), transposed)


def test_badly_scaled_and_badly_conditioned_systems() -> None:
    hilbert = [[232792560 // (i + j + 1) for j in range(7)] for i in range(7)]
    scaled = [[10 ** (6 * i), 1 - i] for i in range(2)]
    for rows in (hilbert, scaled, [[1, 10**15], [1, 10**15 + 1]]):
        side = list(range(1, len(rows) + 1))
        assert holds(rows, side, square(rows).solve(objects(side)).fractions(), False)


def test_long_and_empty_sides() -> None:
    rows = [[3, 1], [1, 2]]
    assert square(rows).solve(objects([0, 0])).fractions() == [0, 0]
    side = [7**200, -(11**150)]
    assert holds(rows, side, square(rows).solve(objects(side)).fractions(), False)


def test_a_singular_matrix_is_told() -> None:
    with pytest.raises(Singular):
        square([[1, 2], [2, 4]]).solve(objects([1, 1]))


def test_fractions_need_bits_to_spare() -> None:
    bits = 60
    exact = [F(1, 3), F(-22, 7), F(0), F(5)]
    near = objects([round(x * 2**bits) for x in exact])
    found = fractions_near(near, bits, 2)
    assert found is not None
    assert found.fractions() == exact
    assert found.denominator == 21
    few = objects([round(F(1234567, 7654321) * 2**40)])
    assert fractions_near(few, 40, 2) is None
