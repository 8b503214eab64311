"""Results that are computed once for every object."""

from __future__ import annotations

import gc
import weakref

from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.models.gadget.forest import forest
from farkas.once import once


class Thing:
    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:  # equal things must still be told apart
        return isinstance(other, Thing)

    __hash__ = None  # and never hashed


def test_an_object_is_looked_at_once_and_equal_ones_are_told_apart() -> None:
    seen = []

    @once
    def doubled(thing: Thing) -> int | None:
        seen.append(thing.size)
        return 2 * thing.size or None

    one, other, none = Thing(1), Thing(2), Thing(0)
    assert [doubled(one), doubled(other), doubled(none)] == [2, 4, None]
    assert [doubled(one), doubled(other), doubled(none)] == [2, 4, None]  # also nothing is kept
    assert seen == [1, 2, 0]


def test_results_die_with_their_object_and_never_answer_for_a_later_one() -> None:
    kept = []

    @once
    def box(thing: Thing) -> Thing:
        made = Thing(thing.size)
        kept.append(weakref.ref(made))
        return made

    for size in range(200):  # addresses of the dead are used again
        assert box(Thing(size)).size == size
    gc.collect()
    assert [found() for found in kept] == [None] * 200


def test_instances_carry_no_results_of_other_modules() -> None:
    data, cluster = library.load("coded/demo"), library.load("gadget/demo")
    assert Pairs.of(data) is Pairs.of(data)
    assert forest(cluster) is forest(cluster)
    assert not {"_pairs", "_forest"} & (set(vars(data)) | set(vars(cluster)))
