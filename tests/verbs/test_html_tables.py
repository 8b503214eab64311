"""Cells cannot be closed by what they hold, and long tables are cut."""

from __future__ import annotations

from farkas.verbs.html_tables import MOST_ROWS, card, table
from tests.verbs.test_html import HOSTILE, read


def test_nothing_in_a_cell_ends_it():
    caption, rows = read(card(HOSTILE, [(HOSTILE, HOSTILE), ("left out", None)]))
    assert (
        caption == rows[0][0] == rows[0][1] == '</td><script>alert("x")</script>\\x1b[31m\\n&amp;'
    )
    assert len(rows) == 1
    assert read(table("t", [HOSTILE], [[HOSTILE], [1 / 3]]))[1][2] == ["0.333333"]


def test_long_tables_leave_out_their_middle():
    _, rows = read(table("t", ["n"], [[k] for k in range(3 * MOST_ROWS)]))
    assert rows[1] == ["0"]
    assert rows[-1] == [f"{3 * MOST_ROWS - 1}"]
    assert [f"{2 * MOST_ROWS} rows more"] in rows
    assert len(rows) == MOST_ROWS + 2
    _, rows = read(table("t", ["n"], [[k] for k in range(MOST_ROWS)]))
    assert len(rows) == MOST_ROWS + 1
