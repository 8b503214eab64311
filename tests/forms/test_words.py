"""Rows and bounds in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from farkas.forms import Axis, Block
from farkas.forms.feasibility import (
    box,
    find_block,
    full_name,
    index_in,
    name_among,
    relation,
    short_name,
)
from farkas.instances.library import load
from farkas.models.mlbroker.offline import Offline
from tests.conformance.solvers.cases import form

INF = math.inf


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ((-INF, [1, -2], 3), "x[0] - 2 x[1] <= 3"),
        ((4, [-1, 0.5], 4), "- x[0] + 0.5 x[1] = 4"),
        ((1, [0, 1], INF), "x[1] >= 1"),
        ((1, [1, 1], 2), "1 <= x[0] + x[1] <= 2"),
        ((-INF, [1, 1], INF), "x[0] + x[1] free"),
        ((0, [0, 0], INF), "0 >= 0"),
    ],
)
def test_every_kind_of_row_is_written_out(row, text):
    assert relation(form([0, 0], [row]), 0) == text


def test_long_rows_say_how_much_is_left_out():
    assert relation(form([0] * 5, [(0, [1] * 5, INF)]), 0, most=2) == (
        "x[0] + x[1] + ... (3 more terms) >= 0"
    )


def test_columns_are_named_after_their_variable():
    one = Offline().form(load("mlbroker/tiny"))
    assert relation(one, one.row_block("enough_workers").start).count("moved[0,0,") == 2
    assert box(one, one.column_block("workers").start, "lower") == "workers[0,0,0] >= 0"


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
