"""Columns without bounds and sides are measured by those beside them."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms import scale
from farkas.forms.scale import NONE, units_of
from tests.forms.test_scale import form
from tests.generators.forms import random_form


def chain(size):
    """x <= 2^7 and 2 x[i + 1] = x[i]: every column is measured by the one before it."""
    steps = np.eye(size - 1, size) - 2 * np.eye(size - 1, size, 1)
    upper = np.full(size, np.inf)
    upper[0] = 128
    return form(steps, np.zeros(size - 1), np.zeros(size - 1), np.full(size, -np.inf), upper)


def test_a_chain_of_columns_is_read_a_few_times_however_long(monkeypatch):
    read = []
    one_round = scale._one_round

    def counting(unit, term, rows, *more):
        read.append(len(rows))
        return one_round(unit, term, rows, *more)

    monkeypatch.setattr(scale, "_one_round", counting)
    for size in (50, 100):
        read.clear()
        made = chain(size)
        assert units_of(made).columns.tolist() == list(range(7, 7 - size, -1))
        assert len(read) == size
        assert sum(read) <= 4 * made.num_entries


@pytest.mark.parametrize("seed", range(30))
def test_units_are_those_of_rounds_that_read_everything(seed):
    rng = np.random.default_rng(seed)
    made = random_form(rng, most_rows=8, most_columns=12)
    measured = rng.random(made.num_columns) < 0.3
    made = made.replace(
        lower=np.where(measured, made.lower, -np.inf), upper=np.where(measured, made.upper, np.inf)
    )
    rows, columns = made.matrix.rows, made.matrix.columns.astype(np.int64)
    unit = np.where(measured, rng.integers(-9, 9, made.num_columns), NONE)
    entry = rng.integers(-9, 9, len(rows))
    counts = rng.random(made.num_columns) < 0.8
    found = unit.copy()
    scale.spread(found, rows, columns, entry, made.num_rows, counts)
    while True:
        before = unit.tolist()
        for i in range(made.num_rows):
            here = [(j, e) for k, j, e in zip(rows, columns, entry, strict=True) if k == i]
            terms = [e + before[j] for j, e in here if before[j] < NONE and counts[j]]
            for j, e in here:
                if terms and before[j] == NONE:
                    unit[j] = min(unit[j], max(terms) - e)
        if unit.tolist() == before:
            break
    assert found.tolist() == unit.tolist()


def test_what_no_row_measures_is_measured_in_the_objective():
    # x <= 4 and y free: in the row alone y is 2^2 / 2; without it the costs 1 and 2^5 say 2^-3
    beside = form([[1, 2]], [-np.inf], [np.inf], [0, -np.inf], [4, np.inf], cost=[1, 2.0**5])
    assert units_of(beside).columns.tolist() == [2, 1]
    apart = form([[1, 0]], [-np.inf], [np.inf], [0, -np.inf], [4, np.inf], cost=[1, 2.0**5])
    assert units_of(apart).columns.tolist() == [2, -3]
