"""Rows and bounds in words."""

from __future__ import annotations

import math

import pytest

from farkas.forms.words import box, relation
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
