"""Index sets: members, positions by table or bisection, ragged groups."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import IndexedSet, Set, sets
from farkas.algebra.cells import Dim, Index, reading
from farkas.algebra.expressions import Trace
from farkas.algebra.sets import locate_product
from farkas.errors import RuleError


def positions(one: Set, *parts: object) -> object:
    return one.locate(parts, "x").values.tolist()


@pytest.mark.parametrize("limit", [1 << 22, 0], ids=["table", "bisection"])
@pytest.mark.parametrize(
    "members", [[7, 4, -2], [3, 4, 5], [(1, 9), (0, 7), (1, 7)], [10**9, 0, 5]]
)
def test_members_are_found_where_they_stand_and_others_are_not(monkeypatch, members, limit):
    monkeypatch.setattr(sets, "_TABLE_LIMIT", limit)
    width = len(members[0]) if isinstance(members[0], tuple) else 1
    one = Set(members, label=[f"l{i}" for i in range(width)])
    parts = np.array(members).reshape(len(members), width)
    dim = Dim(0, len(members))
    shuffled = [Index(parts[::-1, j], (dim,)) for j in range(width)]
    assert positions(one, *shuffled) == list(range(len(members)))[::-1]
    for wrong in (parts[0] + 1, parts.min(axis=0) - 1, parts.max(axis=0) + 1):
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


def test_outside_a_rule_a_set_is_a_list():
    assert list(Set([3, 1])) == [3, 1]
    assert list(Set([(3, 1)], label=("a", "b"))) == [(3, 1)]


def test_a_loop_without_sum_is_refused_in_its_second_round():
    with reading(Trace()):
        loop = iter(Set([3, 1]))
        next(loop)
        with pytest.raises(RuleError, match=r"sum with Sum\(... for i in m.set\), not with sum"):
            next(loop)
