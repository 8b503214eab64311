"""Programs that grow by columns and rows: the same as one that is solved at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from farkas.solvers.columns import ColumnProgram, best_columns


def drawn(seed, owners=6, columns=24, rows=5):
    rng = np.random.default_rng(seed)
    use = sparse.random_array((columns, rows), density=0.6, rng=rng, format="csr") * 1e3
    owner = rng.integers(0, owners, columns)
    return owner, rng.random(columns) * 1e4, use.tocsr(), rng.random(rows) * 2e3


def at_once(owner, value, use, limits):
    once = sparse.csr_array((np.ones(len(owner)), (owner, np.arange(len(owner)))))
    matrix = sparse.vstack([use.T, once])
    upper = np.concatenate([limits, np.ones(once.shape[0])])
    return -linprog(-value, A_ub=matrix, b_ub=upper).fun


@pytest.mark.parametrize("seed", range(5))
def test_growing_ends_where_solving_at_once_does(seed):
    owner, value, use, limits = drawn(seed)
    program = ColumnProgram(6, float(value.max()))
    columns = np.array_split(np.arange(len(owner)), 4)
    held = np.zeros(0, np.int64)
    for number, some in enumerate(columns):
        program.add_columns(owner[some], value[some], use[some][:, : program.rows])
        held = np.concatenate([held, some])
        row = [number]
        program.add_rows(use[held][:, row].T.tocsr(), limits[row], np.full(1, 1e3))
        share, prices, found = program.solve(60.0)
        rows = number + 1
        best = at_once(owner[held], value[held], use[held][:, :rows], limits[:rows])
        assert found == pytest.approx(best)
        assert float(value[held] @ share) == pytest.approx(best)
        # prices prove it: rent and the best reply of each owner
        earned = value[held] - use[held][:, :rows] @ prices
        best_of = [max(0.0, *earned[owner[held] == i], 0.0) for i in range(6)]
        assert float(limits[:rows] @ prices) + sum(best_of) == pytest.approx(best)
    program.value(np.arange(3), np.full(3, -1.0))
    cheaper = np.where(np.arange(len(owner)) < 3, -1.0, value)
    _, _, found = program.solve(60.0)
    assert found == pytest.approx(at_once(owner, cheaper, use[:, :4], limits[:4]))


def test_no_time_is_no_answer():
    owner, value, use, limits = drawn(0, owners=300, columns=3_000, rows=200)
    program = ColumnProgram(300, float(value.max()))
    program.add_columns(owner, value, use[:, :0])
    program.add_rows(use.T.tocsr(), limits, limits)
    assert program.solve(0.0) is None


def test_whole_columns_are_the_best_of_all():
    _, value, use, limits = drawn(1, columns=10)
    chosen = best_columns(value, use, limits, gap=0.0, nodes=1_000, seconds=60.0)
    best = max(
        float(value @ pick)
        for pick in map(np.array, itertools.product((0.0, 1.0), repeat=10))
        if (use.T @ pick <= limits).all()
    )
    assert float(value @ chosen) == pytest.approx(best)
    assert (use.T @ chosen <= limits * (1 + 1e-9)).all()
