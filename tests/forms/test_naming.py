"""Names of rows and columns."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.forms import Axis, Block
from farkas.forms.words import find_block, full_name, index_in, name_among, short_name


def axis(labels, *members):
    return Axis(labels, np.array(members, dtype=np.int64).reshape(len(members), len(labels)))


MOVED = Block(
    "moved", "8a", 4, (axis(("job", "slot"), (3, 7), (5, 1)), axis(("site",), (0,), (2,), (9,)))
)


def test_positions_run_like_nested_loops_with_the_last_axis_innermost():
    assert MOVED.size == 6
    assert [index_in(MOVED, k) for k in range(4, 10)] == [
        (3, 7, 0),
        (3, 7, 2),
        (3, 7, 9),
        (5, 1, 0),
        (5, 1, 2),
        (5, 1, 9),
    ]


def test_a_position_is_named_in_words_and_in_short():
    assert full_name(MOVED, 8) == "moved[job=5, slot=1, site=2]  (8a)"
    assert short_name(MOVED, 8) == "moved[5,1,2]"


def test_a_family_of_one_has_no_brackets():
    total = Block("total", "", 2)
    assert (total.size, short_name(total, 2), full_name(total, 2)) == (1, "total", "total")


@pytest.mark.parametrize("position", [3, 10])
def test_positions_outside_a_family_are_refused(position):
    with pytest.raises(IndexError, match="outside moved"):
        index_in(MOVED, position)


def test_the_family_of_a_position_is_found_past_empty_families():
    empty = Block("nothing", "", 4, (Axis(("job",), np.zeros((0, 1), np.int64)),))
    first = Block("first", "", 0, (axis(("k",), *[(k,) for k in range(4)]),))
    blocks = [first, empty, MOVED]
    assert [find_block(blocks, k).name for k in (0, 3, 4, 9)] == ["first", "first"] + ["moved"] * 2
    with pytest.raises(IndexError, match="no family"):
        find_block(blocks, 10)


def test_without_families_there_are_numbers():
    assert name_among((), 3, "row") == "row 3"
    assert name_among((MOVED,), 8, "column") == full_name(MOVED, 8)
