"""The units of a form follow its numbers and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms import LinearForm, SparseRows, check_point, scale
from farkas.forms.matrices import as_scipy, rows_of_dense
from farkas.forms.scale import (
    NONE,
    counting,
    in_units,
    units_of,
    units_of_rows,
)
from tests.generators.forms import random_form


def form(matrix, low, high, lower, upper, *, cost=None, integer=None) -> LinearForm:
    rows = rows_of_dense(matrix)
    free = np.zeros(rows.num_columns) if cost is None else np.array(cost, float)
    whole = np.zeros(rows.num_columns, bool) if integer is None else np.array(integer)
    return LinearForm(
        name="hand",
        cost=free,
        matrix=rows,
        row_lower=np.array(low, float),
        row_upper=np.array(high, float),
        lower=np.array(lower, float),
        upper=np.array(upper, float),
        integer=whole,
    )


def scaled(old: LinearForm, rows, columns, cost: int) -> LinearForm:
    """The same program written in other units, all of them powers of two."""
    matrix = old.matrix
    change = {name: np.ldexp(getattr(old, name), rows) for name in ("row_lower", "row_upper")}
    change |= {name: np.ldexp(getattr(old, name), -columns) for name in ("lower", "upper")}
    values = np.ldexp(matrix.values, rows[matrix.rows] + columns[matrix.columns])
    return old.replace(
        matrix=SparseRows(matrix.starts, matrix.columns, values, matrix.num_columns),
        cost=np.ldexp(old.cost, columns + cost),
        **change,
    )


def drawn(rng: np.random.Generator) -> LinearForm:
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 7))
    dense = np.where(rng.random((m, n)) < 0.6, np.exp(rng.normal(0, 4, (m, n))), 0.0)
    low = np.where(rng.random(m) < 0.5, -np.inf, np.exp(rng.normal(0, 3, m)))
    return form(
        dense * rng.choice([-1, 1], (m, n)),
        low,
        np.maximum(low, np.where(rng.random(m) < 0.3, np.inf, 0.0)),
        np.where(rng.random(n) < 0.7, 0.0, -np.inf),
        np.where(rng.random(n) < 0.5, np.inf, np.exp(rng.normal(0, 5, n))),
        cost=rng.normal(0, 1, n) * (rng.random(n) < 0.8),
        integer=rng.random(n) < 0.3,
    )


def test_the_objective_is_measured_by_its_terms():
    # logarithms of 6 and 1/8 are 2 and -3; with columns of 2^1 and 2^0 the mean of 3 and -3 is 0
    units = units_of(form([[0, 0]], [0], [0], [0, 0], [3, 1], cost=[6, 0.125]))
    assert (units.columns.tolist(), units.cost) == ([1, 0], 0)
    # 3 and 5: means are rounded down
    assert units_of(form([[0, 0]], [0], [0], [0, 0], [1, 1], cost=[8, 16])).cost == 3


def test_entries_that_became_zero_measure_nothing():
    # 2 x + 4 y = 1, once with a third column whose entry a fraction too small for doubles left
    rows = SparseRows(np.array([0, 3]), np.array([0, 1, 2]), np.array([2.0, 4.0, 0.0]), 3)
    free = [-np.inf] * 3
    there = form([[2, 4, 5]], [1], [1], free, [np.inf] * 3).replace(matrix=rows)
    apart = form([[2, 4]], [1], [1], free[:2], [np.inf] * 2)
    found = units_of(there)
    assert found.columns.tolist() == [*units_of(apart).columns.tolist(), 0]
    assert found.rows.tolist() == units_of(apart).rows.tolist()
    # all entries 0 and no side: nothing is known of any column, which was looked for without end
    none = rows_of_dense([[1, 1]])
    none = SparseRows(none.starts, none.columns, np.zeros(2), 2)
    blank = form([[1, 1]], [-np.inf], [np.inf], [0, -np.inf], [4, np.inf]).replace(matrix=none)
    assert units_of(blank).columns.tolist() == [2, 0]


def test_terms_of_columns_fixed_at_nothing_measure_nothing():
    # x + 2^40 y + z <= 4 with x <= 2, y fixed at 0 and z free, costs 1, 2^50, 1
    still = form(
        [[1, 2.0**40, 1], [0, 1, 0]], [-np.inf] * 2, [4, np.inf], [0, -0.0, -np.inf],
        [2, 0, np.inf], cost=[1, 2.0**50, 1],
    )  # fmt: skip
    units = units_of(still)
    # x: its bound 2^1; z: the side; y: 4 / 2^40.  Row 0: the mean of 1, 2 and the side 2 is 1
    # and row 1, which has y alone, is measured by y
    assert units.columns.tolist() == [1, -38, 2]
    assert units.rows.tolist() == [1, -38]
    # terms 1 and 2: the mean is rounded down; with y's, 12, it would be 5
    assert units.cost == 1
    # a free column beside nothing but y is measured by nothing
    lone = form([[1, 2.0**40], [0, 1]], [0, -8], [np.inf, 8], [-np.inf, 0], [np.inf, 0])
    assert units_of(lone).columns.tolist() == [0, 3]
    # a column fixed elsewhere counts: 1, 40 - 38 and the side 2
    assert units_of(form([[1, 2.0**40]], [0], [4], [0, 1], [2, 1])).rows.tolist() == [1]


@pytest.mark.parametrize("seed", range(40))
def test_other_units_multiply_the_units(seed):
    rng = np.random.default_rng(seed)
    old = drawn(rng)
    rows = rng.integers(-60, 61, old.num_rows)
    columns = np.where(old.integer, 0, rng.integers(-60, 61, old.num_columns))
    first, second = units_of(old), units_of(scaled(old, rows, columns, 17))
    measured = reached(old)
    assert (second.columns == first.columns - columns)[measured].all()
    if measured.all():
        filled = old.matrix.starts[1:] > old.matrix.starts[:-1]
        assert (second.rows == first.rows + rows)[filled].all()
        assert second.cost == first.cost + 17 or not old.cost.any()
        mine, theirs = in_units(old, first), in_units(scaled(old, rows, columns, 17), second)
        assert np.array_equal(mine.matrix.values, theirs.matrix.values)
        assert np.array_equal(mine.cost, theirs.cost)
        assert np.array_equal(mine.lower, theirs.lower)


def reached(old: LinearForm):
    """Columns that a bound, a side or a measured neighbour measures; found one by one."""
    dense = as_scipy(old.matrix).toarray()

    def counts(values):
        return np.isfinite(values) & (values != 0)

    known = old.integer | counts(old.lower) | counts(old.upper)
    sided = counts(old.row_lower) | counts(old.row_upper)
    for _ in range(old.num_columns):
        for i in range(old.num_rows):
            if sided[i] or known[dense[i] != 0].any():
                known |= dense[i] != 0
    return known


@pytest.mark.parametrize("shift", [-60, -20, 0, 20, 60])
def test_a_violation_is_judged_alike_in_every_unit(shift):
    # x + y <= 8: 8e-6 too much counts as kept and 9e-6 does not
    old = form([[1, 1]], [-np.inf], [8], [0, 0], [5, 5])
    new = scaled(old, np.array([7]), np.array([shift, shift]), 0)
    for excess, kept in ((7.9e-6, True), (8.1e-6, False)):
        point = np.ldexp(np.array([4.0, 4.0 + excess]), -shift)
        assert bool(check_point(new, point)) is kept


@pytest.mark.parametrize("seed", range(20))
def test_a_point_in_units_is_worth_the_same(seed):
    old = drawn(np.random.default_rng(100 + seed))
    units = units_of(old)
    new = in_units(old, units)
    point = np.random.default_rng(seed).random(old.num_columns)
    there = np.ldexp(point, -units.columns)
    assert np.ldexp(new.cost @ there, units.cost) == pytest.approx(old.cost @ point, rel=1e-12)
    activity = np.ldexp(as_scipy(new.matrix) @ there, units.rows)
    assert activity == pytest.approx(as_scipy(old.matrix) @ point, rel=1e-12)
    assert np.array_equal(np.ldexp(new.row_lower, units.rows), old.row_lower)
    assert np.array_equal(np.ldexp(new.upper, units.columns), old.upper)


def test_numbers_that_no_power_of_two_moves_exactly_stay():
    # measured beside 1e30, the smallest double would be 0
    odd = form([[1, 1]], [0], [1], [0, 0], [1, 1], cost=[5e-324, 1e30])
    assert in_units(odd, units_of(odd)) is None


@pytest.mark.parametrize("seed", range(20))
def test_rows_added_later_are_measured_as_if_they_had_been_there(seed):
    old = drawn(np.random.default_rng(200 + seed))
    units = units_of(old)
    rows = units_of_rows(old.matrix, old.row_lower, old.row_upper, units.columns)
    if counting(old.lower, old.upper).all():
        assert rows.tolist() == units.rows.tolist()


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
