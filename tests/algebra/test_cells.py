"""Arrays over dimensions: how they meet, are gathered along pointers, and are summed."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from farkas.algebra import IndexedSet, Set, Sum, sets
from farkas.algebra.cells import Cells, Dim, Index, as_cells, join, reading, spread, total
from farkas.algebra.expressions import Linear, Term, Trace
from farkas.algebra.sets import locate_product
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


def test_one_member_may_stand_in_several_groups():
    family = IndexedSet((Set([0, 1]), Set([5])), [[1, 2], [2]])
    assert [family.group(k) for k in (0, 1)] == [[1, 2], [2]]
    assert list(family[1, 5]) == [2]
    assert IndexedSet(Set([0]), [[(1, 2)]], label=("a", "b")).group(0) == [(1, 2)]


def test_a_group_opens_one_place_a_pair_that_occurs():
    things = Set([0, 1, 2])
    family = IndexedSet(things, [[4, 7], [], [4]])
    trace = Trace()
    with reading(trace):
        thing = trace.enter(things)
        member = next(iter(family[thing]))
        again = next(iter(family[thing]))
    (dim,) = member.dims
    assert member.values.tolist() == [4, 7, 4]
    assert dim.pointers[thing.dims[0]].tolist() == [0, 0, 2]
    # a second loop over the same key runs inside the first: 2 x 2 pairs and one
    assert again.values.tolist() == [4, 7, 4, 7, 4]
    assert again.dims[0].parents[dim].tolist() == [0, 0, 1, 1, 2]


def positions(one: Set, *parts: object) -> object:
    return one.locate(parts, "x").values.tolist()


@pytest.mark.parametrize("limit", [1 << 22, 0], ids=["table", "bisection"])
@pytest.mark.parametrize(
    "members", [[7, 4, -2], [3, 4, 5], [(1, 9), (0, 7), (1, 7)], [(1, 7), (0, 99)], [10**9, 0, 5]]
)
def test_members_are_found_where_they_stand_and_others_are_not(monkeypatch, members, limit):
    monkeypatch.setattr(sets, "_TABLE_LIMIT", limit)
    width = len(members[0]) if isinstance(members[0], tuple) else 1
    one = Set(members, label=[f"l{i}" for i in range(width)])
    parts = np.array(members).reshape(len(members), width)
    dim = Dim(0, len(members))
    shuffled = [Index(parts[::-1, j], (dim,)) for j in range(width)]
    assert positions(one, *shuffled) == list(range(len(members)))[::-1]
    largest = parts.max(axis=0)
    for wrong in (parts[0] + 1, parts.min(axis=0) - 1, largest + 1, largest):
        if tuple(wrong) not in {tuple(row) for row in parts.tolist()}:
            with pytest.raises(RuleError, match=r"index l0=-?\d+.* of x is outside its set of l0"):
                positions(one, *(int(w) for w in wrong))


def test_an_own_index_is_its_position_only_in_its_own_order():
    one = Set([(1, 2), (3, 4)], label=("a", "b"))
    first, second = one.opened(Trace())
    assert positions(one, first, second) == [0, 1]
    # the components swapped are (2, 1) and (4, 3): no members
    with pytest.raises(RuleError, match="index a=2, b=1 of x is outside"):
        one.locate([second, first], "x")


def test_an_empty_set_holds_nothing():
    none = Set([], label=("a", "b"))
    assert (len(none), none.members()) == (0, [])
    assert positions(none, Index(np.zeros(0, int), (Dim(0, 0),)), 1) == []
    with pytest.raises(RuleError, match="index a=1, b=2 of x is outside its set of a"):
        positions(none, 1, 2)


def test_positions_in_a_product_run_fastest_in_the_last_set():
    rows, columns = Set([5, 6]), Set([(0, 1), (1, 0), (2, 2)], label=("a", "b"))
    found = [
        int(locate_product([rows, columns], (r, a, b), "x").values)
        for r in (5, 6)
        for a, b in columns.members()
    ]
    assert found == [0, 1, 2, 3, 4, 5]
    assert locate_product([], (), "x").values.shape == ()
    with pytest.raises(RuleError, match=r"x takes 3 index\(es\), got 2"):
        locate_product([rows, columns], (5, 0), "x")


def test_only_whole_numbers_are_indices():
    with pytest.raises(RuleError, match="an index of x is float, not an index or integer"):
        positions(Set([1, 2]), 1.0)
    assert positions(Set([4, 7]), np.int64(7)) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Set([(1, 2)], label="one"), r"labelled with 1 word\(s\) holds members of another"),
        (lambda: Set([1], label=("a", "b")), r"labelled with 2 word\(s\) holds members of another"),
        (lambda: Set([1, 2, 1]).check_unique(), r"set \('index',\) holds a member twice"),
        (lambda: IndexedSet(Set([1, 2]), [[1]]), "an indexed set has 1 groups for 2 keys"),
        (lambda: IndexedSet(Set([1, 2]), [[1], [3, 4, 3]]), "group 1 of an indexed set holds a"),
    ],
)
def test_wrong_sets_are_refused(make, words):
    with pytest.raises(RuleError, match=words):
        make()


def test_a_loop_without_sum_is_refused_in_its_second_round():
    with reading(Trace()):
        loop = iter(Set([3, 1]))
        next(loop)
        with pytest.raises(RuleError, match=r"sum with Sum\(... for i in m.set\), not with sum"):
            next(loop)


TABLE = Dim(0, 2)
X = Linear((Term(1.0, Cells(np.array([0, 1]), (TABLE,))),))
Y = Linear((Term(2.0, Cells(np.array(5), ())),), 7.0)


def said(expression):
    """Coefficients in order, and the constant."""
    return [t.coefficient for t in expression.terms], expression.constant


def test_signs_and_constants():
    assert said(X - Y) == ([1.0, -2.0], -7.0)
    assert said(10 - Y) == ([-2.0], 3.0)
    assert said(Y * 3 - 1) == ([6.0], 20.0)
    assert said(4 * Y / 8) == ([1.0], 3.5)
    assert said(-Y) == ([-2.0], -7.0)
    assert +Y is Y


@pytest.mark.parametrize(
    ("relation", "lower", "upper"),
    [(X <= Y, -math.inf, 0.0), (X >= Y, 0.0, math.inf), (X == Y, 0.0, 0.0)],
)
def test_relations_bring_everything_to_the_left(relation, lower, upper):
    assert (relation.lower, relation.upper) == (lower, upper)
    assert said(relation.body) == ([1.0, -2.0], -7.0)


def test_a_parameter_on_the_left_turns_the_relation_round():
    weight = Cells(np.array([3.0, 4.0]), (TABLE,))
    relation = weight <= X  # X >= weight
    assert (relation.lower, relation.upper) == (0.0, math.inf)
    assert relation.body.constant.values.tolist() == [-3.0, -4.0]


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda: X * Y, "product of variables; the program must be linear"),
        (lambda: X / Y, "division by a variable; the program must be linear"),
        (lambda: 1 / X, "division by a variable; the program must be linear"),
        (lambda: X**2, "a nonlinear function of a variable; the program must be linear"),
        (lambda: 2**X, "a nonlinear function of a variable; the program must be linear"),
        (lambda: abs(X), "a nonlinear function of a variable; the program must be linear"),
        (lambda: float(X), "a nonlinear function of a variable; the program must be linear"),
        (lambda: bool(X), "the rule branches on a variable"),
        (lambda: X < Y, "strict or unequal comparison; use <=, >= or =="),
        (lambda: X != Y, "strict or unequal comparison; use <=, >= or =="),
        (lambda: bool(X <= Y), "return exactly one relation, or use Between"),
    ],
)
def test_what_is_not_affine_is_refused(write, words):
    with pytest.raises(RuleError, match=words):
        write()


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_other_things_are_no_operands(op):
    with pytest.raises(TypeError):
        op(X, None)


def test_a_sum_remembers_what_it_ran_over_and_sums_its_constant():
    things = Set([3, 4, 5])
    with reading(Trace()) as _, pytest.MonkeyPatch.context():
        summed = Sum(X + i for i in things)
        again = Sum(2.0 for i in things)
        zero = Sum(X for _ in things)
    (term,) = summed.terms
    assert [d.size for d in term.over] == [3]
    assert float(summed.constant.values) == 12.0
    assert float(again.values) == 6.0
    assert zero.constant == 0.0


@pytest.mark.parametrize("name", ["product", "exp", "where"])
def test_a_trace_refuses_what_only_pyomo_reads(name):
    with pytest.raises(RuleError, match="a product, power of e or case in a rule"):
        getattr(Trace(), name)(X, X)


def test_the_finest_open_dimension_that_refines_is_found():
    trace = Trace()
    coarse = trace.push(2)
    fine = trace.push(3, {coarse: np.array([0, 1, 1])})
    other = trace.push(4)
    assert trace.finest(coarse) is fine
    assert trace.finest(other) is other
