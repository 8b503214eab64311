"""Whole vectors and matrices."""

from __future__ import annotations

import random
from fractions import Fraction as F

import numpy as np
import pytest

from farkas.exact.bounding import Matrix, ScaledVector, floats, moved, objects
from tests.generators.rational import program, random_linear


def test_vectors_with_one_denominator() -> None:
    found = ScaledVector.of([F(1, 6), F(-3, 4), 2])
    assert (found.numerators.tolist(), found.denominator) == ([2, -9, 24], 12)
    assert found.fractions() == [F(1, 6), F(-3, 4), 2]
    assert ScaledVector.of([]).fractions() == []


def test_integers_of_any_size_are_kept() -> None:
    kept = objects([2**100, -1])
    assert kept.dtype == object
    assert (kept * 3).tolist() == [3 * 2**100, -3]


def test_products_are_exact_from_both_sides() -> None:
    rng = random.Random(2)
    for seed in range(60):
        form = random_linear(seed)
        matrix = Matrix.of(form)
        x = [rng.randint(-(2**90), 2**90) for _ in range(form.num_columns)]
        y = [rng.randint(-(2**90), 2**90) for _ in range(form.num_rows)]
        dense = [[0] * form.num_columns for _ in range(form.num_rows)]
        for i in range(form.num_rows):
            for j, v in form.row(i):
                dense[i][j] = v
        direct = [sum(v * a for v, a in zip(row, x, strict=True)) for row in dense]
        turned = [sum(dense[i][j] * y[i] for i in range(form.num_rows))
                  for j in range(form.num_columns)]  # fmt: skip
        assert matrix.times(objects(x)).tolist() == direct
        assert matrix.transposed_times(objects(y)).tolist() == turned


def test_empty_rows_and_columns_sum_to_nothing() -> None:
    matrix = Matrix.of(program([[0, 0], [0, 3]], cost=[1, 1], rows=[(0, None)] * 2))
    assert matrix.times(objects([5, 7])).tolist() == [0, 7]
    assert matrix.transposed_times(objects([5, 7])).tolist() == [0, 7]
    assert np.asarray(matrix.values).tolist() == [1]


@pytest.mark.parametrize("value", [F(3), F(-3), F(1, 3), F(-1, 3), F(0)])
@pytest.mark.parametrize("power", [-2000, -5, 0, 5, 2000])
def test_numbers_beyond_all_doubles_become_infinite_with_their_sign(value: F, power: int) -> None:
    exact = value * F(2) ** power
    if power == 2000 and value:
        assert moved(value, power) == (np.inf if value > 0 else -np.inf)
        return
    assert moved(value, power) == exact.numerator / exact.denominator


def test_absent_ends_are_infinite_and_others_stand_in_their_units() -> None:
    assert floats([1, None], -np.inf).tolist() == [1.0, -np.inf]
    assert floats([F(3), None, 5], np.inf, [1, 9, -2]).tolist() == [1.5, np.inf, 20.0]
    assert floats([10**400, -(10**400)], 0.0).tolist() == [np.inf, -np.inf]
