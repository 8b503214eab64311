"""Boxes: what may vary, and between which values."""

from __future__ import annotations

import pytest

from farkas.adversary.shape import InstanceBox, Range, copied, entries, plain_of, shape_of, without
from farkas.errors import InvalidOption
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.instances.generate import generate


@pytest.mark.parametrize("kind", own_kinds())
def test_starts_are_instances_inside_the_ranges(kind: str) -> None:
    box = InstanceBox.drawn(kind)
    for start in box.starts:
        assert box.built(copied(start)) is not None
        for family, holder, key in entries(start):
            allowed = box.ranges[family]
            assert allowed.low <= holder[key] <= allowed.high


def test_asked_ranges_hold_and_others_are_those_of_draws() -> None:
    box = InstanceBox.drawn(
        "eris", size={"jobs": 2, "sites": 2}, ranges={"worth": (1, 1000), "epochs": (2, 3)}
    )
    assert box.ranges["jobs[].utility[]"] == Range(1, 1000, False)
    assert box.ranges["jobs[].epochs"] == Range(2, 3, True)
    draws = [generate("eris", "small", s, num_jobs=2, sites=2, slots=4) for s in range(20)]
    data = [count for one in draws for job in one.jobs for count in job.data]  # type: ignore[attr-defined]
    assert box.ranges["jobs[].data[]"] == Range(min(data), max(data), True)
    assert not box.ranges["slots"].open
    assert box.most == 2
    assert all(len(start["jobs"]) == 2 for start in box.starts)


def test_a_box_around_an_instance_changes_what_is_asked_only() -> None:
    instance = library.load("mlbroker/tiny")
    wide, narrow = (
        InstanceBox.around(instance),
        InstanceBox.around(instance, ranges={"data": (0, 9)}),
    )
    assert list(narrow.ranges) == ["jobs[].data[][]"]
    assert set(narrow.ranges) < set(wide.ranges)
    assert wide.starts == (plain_of(instance),)


def test_numbers_are_clipped_and_whole() -> None:
    assert Range(1, 4, True).clipped(2.6) == 3
    assert isinstance(Range(1, 4, True).clipped(9.0), int)
    assert Range(1.0, 4.0, False).clipped(0) == 1.0
    assert not Range(2, 2, False).open


def test_entries_name_their_family() -> None:
    data = {"a": [[1, 2.5], [3]], "b": {"c": 4, "d": "x", "e": None, "f": True}}
    found = [(family, holder[key]) for family, holder, key in entries(data)]
    assert found == [("a[][]", 1), ("a[][]", 2.5), ("a[][]", 3), ("b.c", 4)]


def test_what_no_kind_takes_is_no_instance() -> None:
    box = InstanceBox.drawn("gadget")
    broken = copied(box.starts[0]) | {"horizon": 0}
    assert box.built(broken) is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": {"sites": 3}},
        {"size": {"jobs": 0}, "preset": "nothing"},
        {"ranges": {"budgets": (1, 2)}},
        {"ranges": {"budget": (2, 1)}},
        {"ranges": {"budget": (0, float("inf"))}},
    ],
)
def test_boxes_that_do_not_exist_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidOption):
        InstanceBox.drawn("dps", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "word"), [("mlbroker", "jobs"), ("gadget", "servers")])
def test_sizes_are_at_least_one(kind: str, word: str) -> None:
    for count in (0, -1):
        with pytest.raises(InvalidOption, match=f"size {word} = {count}; give at least 1"):
            InstanceBox.drawn(kind, size={word: count})


def test_entries_are_left_out_at_every_depth() -> None:
    data = {"n": 2, "a": [[1, 2], [3, 4]], "b": [{"c": [5, 6]}, {"c": [7, 8]}], "d": None}
    found = without(data, 1, "a", "b.*.c", "d", count="n")
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
