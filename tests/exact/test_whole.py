"""Whole vectors and matrices."""

from __future__ import annotations

import random
from fractions import Fraction as F

import numpy as np

from farkas.exact.whole import Matrix, ScaledVector, objects
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
