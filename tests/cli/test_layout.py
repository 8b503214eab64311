"""Tables fit the line they are printed on, and no name or number of theirs is ever folded."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkas.cli import layout
from tests.tools.cells import cells

HEADS = ["claim", "source", "statement"]
LONG = "Eris is competitive wherever every worth lies between these two ends of it."
ROWS = [["eris.competitive_ratio", "Eris Theorem 5", LONG], ["eris.short", "-", "Short."]]
RIGHT = [False, False, False]


def table(width: int, spare: list[str] | None = None) -> list[str]:
    return layout.laid_out(HEADS, ROWS, RIGHT, width, spare or [])


def test_sentences_are_folded_between_words_and_names_are_not() -> None:
    lines = table(80)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == HEADS
    assert lines[2].startswith("eris.competitive_ratio  Eris Theorem 5  Eris is competitive")
    # what follows stands under the column it belongs to
    assert lines[3].lstrip() == lines[3][lines[0].index("statement") :]


def test_a_table_that_does_not_fit_is_stacked_and_says_each_head() -> None:
    # 22 + 2 + 14 + 2 + 24 = 64 places are what it needs
    assert table(64)[0].split() == HEADS
    assert table(63) == [
        "eris.competitive_ratio",
        "  source     Eris Theorem 5",
        "  statement  Eris is competitive wherever every worth lies",
        "             between these two ends of it.",
        "eris.short",
        "  statement  Short.",
    ]


def test_spare_columns_go_in_their_order_before_a_table_is_stacked() -> None:
    assert table(63, ["source"])[0].split() == ["claim", "statement"]
    assert table(64, ["source"])[0].split() == HEADS
    assert table(30, ["source", "statement"])[0].split() == ["claim"]


def test_notes_go_below_a_table_that_they_do_not_fit_in() -> None:
    rows = [["a.long", "1", LONG], ["b", "2", "-"]]
    lines = layout.laid_out(["algorithm", "value", "note"], rows, [False, True, False], 30)
    assert lines[:4] == [
        "algorithm  value",
        "---------  -----",
        "a.long         1",
        "b              2",
    ]
    assert lines[4].startswith("a.long: Eris is")
    assert " ".join(" ".join(lines[4:]).split()) == f"a.long: {LONG}"


def test_heads_of_two_words_are_folded_down_to_the_line_below_them() -> None:
    lines = layout.laid_out(["name", "certified ratio"], [["ab", "1.5"]], [False, True], 15)
    assert lines == ["      certified", "name      ratio", "----  ---------", "ab          1.5"]


@given(
    st.lists(st.lists(st.text("ab. ", max_size=40), min_size=3, max_size=3), min_size=1),
    st.integers(1, 120),
)
def test_every_word_stays_whole_at_every_width(rows: list[list[str]], width: int) -> None:
    rows = [[" ".join(cell.split()) or "-" for cell in row] for row in rows]
    lines = layout.laid_out(HEADS, rows, RIGHT, width)
    shown = {word for line in lines for word in line.split()}
    assert {word for row in rows for cell in row for word in cell.split()} <= shown | {"-"}
    longest = max(len(word) for row in [*rows, HEADS] for c in row for word in c.split())
    # beside a word stand at most the two blanks before it and the longest head
    assert max(map(len, lines)) <= max(width, longest + 4 + len("statement"))


def test_wide_letters_take_two_places_and_accents_none() -> None:
    assert layout.size("日本") == 4
    assert layout.size("e\u0301") == 1
    lines = layout.laid_out(["a", "b"], [["日", "1"], ["xyz", "2"]], [False, False], 80)
    assert [line[-1] for line in lines[2:]] == ["1", "2"]
    assert [layout.size(line) for line in lines[2:]] == [6, 6]


def test_the_room_is_that_of_columns_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    for given_, meant in {"": 1000, "72": 72, "0": 1000, "-3": 1000, "wide": 1000}.items():
        monkeypatch.setenv("COLUMNS", given_)
        assert layout.room() == meant
    monkeypatch.delenv("COLUMNS")
    assert layout.room() == 1000


def test_the_cells_of_a_table_can_be_told_apart() -> None:
    assert cells("\n".join(table(200)))[2] == ROWS[0]
