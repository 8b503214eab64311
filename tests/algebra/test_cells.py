"""Arrays over dimensions: how they meet, are gathered along pointers, and are summed."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from farkas.algebra.cells import Cells, Dim, Index, as_cells, join, spread, total
from farkas.errors import RuleError

ROWS, COLUMNS = Dim(0, 2), Dim(1, 3)
# four pairs of a row and a column, and five triples of a pair and something
PAIRS = Dim(2, 4, {ROWS: np.array([0, 0, 1, 1]), COLUMNS: np.array([2, 0, 1, 2])})
TRIPLES = Dim(3, 5, {PAIRS: np.array([3, 0, 0, 1, 2])})


def test_pointers_reach_parents_of_parents():
    assert TRIPLES.pointers[ROWS].tolist() == [1, 0, 0, 0, 1]
    assert TRIPLES.pointers[COLUMNS].tolist() == [2, 2, 2, 0, 1]
    assert TRIPLES.refines(ROWS)
    assert not ROWS.refines(TRIPLES)
    assert not ROWS.refines(ROWS)


@pytest.mark.parametrize(
    ("groups", "joined"),
    [
        ([(COLUMNS,), (ROWS,)], (ROWS, COLUMNS)),
        ([(ROWS,), (ROWS,)], (ROWS,)),
        ([(ROWS,), (PAIRS,)], (PAIRS,)),
        ([(ROWS, COLUMNS), (TRIPLES,)], (TRIPLES,)),
        ([(), (ROWS,)], (ROWS,)),
        ([(), ()], ()),
    ],
)
def test_a_finer_dimension_stands_for_those_it_refines(groups, joined):
    assert join(*groups) == joined


def test_arrays_are_laid_out_by_opening_and_gathered_along_pointers():
    values = np.array([[0, 1], [10, 11], [20, 21]])  # [column][row]
    assert spread(values, (COLUMNS, ROWS), (ROWS, COLUMNS)).tolist() == [[0, 10, 20], [1, 11, 21]]
    # pair p has row r and column c: value 10 c + r
    assert spread(values, (COLUMNS, ROWS), (PAIRS,)).tolist() == [20, 0, 11, 21]
    assert spread(np.array([5, 7]), (ROWS,), (ROWS, COLUMNS)).tolist() == [[5], [7]]
    assert spread(np.array([5, 7]), (ROWS,), (TRIPLES,)).tolist() == [7, 5, 5, 5, 7]


def test_a_sum_over_a_ragged_dimension_lands_at_its_parents():
    ones = np.array([1.0, 2.0, 4.0, 8.0])
    summed, dims = total(ones, (PAIRS,), PAIRS)
    assert dims == (ROWS, COLUMNS)
    assert summed.tolist() == [[2, 0, 1], [0, 4, 8]]
    # of a pair (place 0) there are two triples
    summed, dims = total(np.array([1.0, 2.0, 4.0, 8.0, 16.0]), (TRIPLES,), TRIPLES)
    assert dims == (PAIRS,)
    assert summed.tolist() == [6, 8, 16, 1]
    summed, dims = total(np.array([[1, 2, 3], [4, 5, 6]]), (ROWS, COLUMNS), ROWS)
    assert (dims, summed.tolist()) == ((COLUMNS,), [5, 7, 9])


@pytest.mark.parametrize(
    "op", [operator.add, operator.sub, operator.mul, operator.truediv], ids=lambda op: op.__name__
)
def test_arithmetic_keeps_the_order_of_its_sides(op):
    row, column = Cells(np.array([1.0, 2.0]), (ROWS,)), Cells(np.array([4.0, 8.0, 5.0]), (COLUMNS,))
    assert op(row, column).values.tolist() == op(row.values[:, None], column.values).tolist()
    assert op(column, row).values.tolist() == op(column.values, row.values[:, None]).tolist()
    assert op(10.0, row).values.tolist() == op(10.0, row.values).tolist()
    assert op(np.float64(10), row).values.tolist() == op(10.0, row.values).tolist()
    assert op(row, 10).values.tolist() == op(row.values, 10).tolist()
    with pytest.raises(TypeError):
        op(row, None)


def test_signs_and_powers():
    row = Cells(np.array([1.0, -2.0]), (ROWS,))
    assert (-row).values.tolist() == [-1.0, 2.0]
    assert (+row) is row
    assert (row**2).values.tolist() == [1.0, 4.0]
    assert as_cells(row) is row
    assert (as_cells(3).dims, float(as_cells(3).values)) == ((), 3.0)


def test_whole_arithmetic_keeps_an_index_and_forgets_its_set():
    index = Index(np.array([4, 5]), (ROWS,), ("a set", 0))
    for moved, values in ((index - 1, [3, 4]), (9 - index, [5, 4]), (2 * index, [8, 10])):
        assert isinstance(moved, Index)
        assert (moved.origin, moved.values.tolist()) == (None, values)
    for plain in (index / 2, index + 0.5, index**2):
        assert not isinstance(plain, Index)


PARAMETER, INDEX = Cells(np.ones(2), (ROWS,)), Index(np.arange(2), (ROWS,))


@pytest.mark.parametrize("compare", [operator.lt, operator.gt, operator.ne])
def test_comparing_a_parameter_is_a_branch(compare):
    with pytest.raises(RuleError, match="branches on the value of a parameter; filter with"):
        compare(PARAMETER, 1)


@pytest.mark.parametrize("compare", [operator.le, operator.ge, operator.eq])
def test_a_relation_of_parameters_alone_holds_no_variable(compare):
    with pytest.raises(RuleError, match="a relation holds no variable, or the rule branches"):
        compare(PARAMETER, 1)


@pytest.mark.parametrize(
    "look", [bool, lambda i: i < 1, lambda i: i <= 1, lambda i: i == 1, lambda i: i != 1,
             lambda i: i > 1, lambda i: i >= 1]
)  # fmt: skip
def test_an_index_cannot_be_looked_at(look):
    with pytest.raises(RuleError, match="branches on an index; give the family"):
        look(INDEX)


@pytest.mark.parametrize("read", [int, float, abs, operator.index])
@pytest.mark.parametrize("cells", [PARAMETER, INDEX], ids=["parameter", "index"])
def test_cells_are_no_plain_number(read, cells):
    with pytest.raises(RuleError, match="into one plain number; declare a Param and index it"):
        read(cells)


def test_the_truth_of_a_parameter_is_a_branch():
    with pytest.raises(RuleError, match="branches on the value of a parameter"):
        bool(PARAMETER)
