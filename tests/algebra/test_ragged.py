"""Ragged families of sets, by hand."""

from __future__ import annotations

from farkas.algebra import IndexedSet, Set
from farkas.algebra.cells import reading
from farkas.algebra.expressions import Trace


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
