"""Parts of plain instances left out, for every kind."""

from __future__ import annotations

import pytest

from farkas.adversary.shape import InstanceBox, copied, plain_of, shape_of, without
from farkas.instances import library
from farkas.instances.files import own_kinds


def test_entries_are_left_out_at_every_depth() -> None:
    data = {"n": 2, "a": [[1, 2], [3, 4]], "b": [{"c": [5, 6]}, {"c": [7, 8]}], "d": None}
    found = without(data, 1, ("a",), ("b", "*", "c"), ("d",), count="n")
    assert found == {"n": 1, "a": [[1, 2]], "b": [{"c": [5]}, {"c": [7]}], "d": None}
    assert data["n"] == 2
    assert data["a"] == [[1, 2], [3, 4]]


def test_a_copy_shares_nothing() -> None:
    data = {"a": [{"b": (1, 2)}]}
    found = copied(data)
    found["a"][0]["b"].append(3)
    assert data == {"a": [{"b": (1, 2)}]}


@pytest.mark.parametrize("kind", own_kinds())
def test_every_smaller_instance_of_a_draw_is_one(kind: str) -> None:
    """What is left out leaves lists that fit together, and less data."""
    box = InstanceBox.drawn(kind)
    shape, data = shape_of(kind), box.starts[0]
    smaller = list(shape.smaller(data))
    built = [box.built(copied(one)) for one in smaller]
    assert smaller
    assert sum(one is None for one in built) <= len(built) / 2  # slots in which jobs arrive
    whole = box.built(copied(data))
    assert whole is not None
    for one in built:
        assert one is None or len(one.canonical()) < len(whole.canonical()) or one != whole


@pytest.mark.parametrize("kind", own_kinds())
def test_mending_changes_nothing_that_fits(kind: str) -> None:
    for name in library.names(kind):
        before = plain_of(library.load(name))
        after = copied(before)
        shape_of(kind).mend(after)
        assert after == before, name


def test_a_kind_without_a_shape_has_one_that_knows_nothing() -> None:
    assert list(shape_of("nobody").smaller({"jobs": [1]})) == []
