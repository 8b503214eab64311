"""What is printed: one line a complaint, JSON that is JSON, tables whose words stay whole."""

from __future__ import annotations

import io
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from farkas.cli import printing, tables
from farkas.offline.search import Advance

Capture = pytest.CaptureFixture[str]
HEADS = ["claim", "source", "statement"]
LONG = "Eris is competitive wherever every worth lies between these two ends of it."
ROWS = [["eris.competitive_ratio", "Eris Theorem 5", LONG], ["eris.short", "-", "Short."]]


class Ascii(io.StringIO):
    """A terminal that knows no other letters."""

    encoding = "ascii"

    def write(self, text: str) -> int:
        text.encode("ascii")
        return super().write(text)


def test_a_symbol_that_the_terminal_lacks_is_spelt(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Ascii()
    monkeypatch.setattr("sys.stdout", terminal)
    printing.print_line("ρ")
    tables.print_table("", ["ρ", "words"], [("a", "two words")])
    assert terminal.getvalue().startswith("\\u03c1\n\n\\u03c1  words\n")


def test_a_complaint_and_a_line_are_one_printable_line(capsys: Capture) -> None:
    printing.complain("two\nlines,  \x1b[31mred\udcff")
    printing.print_line("a\nb")
    assert capsys.readouterr() == ("a\\nb\n", "farkas: two lines, \\x1b[31mred\\udcff\n")


def test_nobody_hears_a_complaint_behind_a_closed_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)
    printing.complain("nobody listens")


def test_numbers_that_json_lacks_become_null(capsys: Capture) -> None:
    values = {"nan": np.nan, "inf": -np.inf, "array": np.arange(2), "third": Fraction(1, 3)}
    printing.print_json(values)
    text = capsys.readouterr().out
    assert json.loads(text) == {"nan": None, "inf": None, "array": [0, 1], "third": "1/3"}
    assert text.endswith("}\n")


def test_long_lines_are_folded_below_their_begin(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    tables.print_folded("short\n\n  one two three four five\nname.that_is_longer_than_it\n")
    assert capsys.readouterr().out.splitlines() == [
        "short", "", "  one two three four", "    five", "name.that_is_longer_than_it",
    ]  # fmt: skip
    monkeypatch.delenv("COLUMNS")
    tables.print_folded("  " + "word " * 100)
    assert len(capsys.readouterr().out.splitlines()) == 1


def table(width: int, *spare: str) -> list[str]:
    """Lines below the title."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        out = io.StringIO()
        patch.setattr("sys.stdout", out)
        tables.print_table("title", HEADS, ROWS, spare=spare)
    return out.getvalue().splitlines()[1:]


def test_numbers_stand_right_and_words_left(capsys: Capture) -> None:
    tables.print_table("title", ["name", "n", "mixed"], [("a", 1, 2.0), ("bbbbb", 1234567, "x")])
    assert capsys.readouterr().out.splitlines() == [
        "title",
        "name         n  mixed",
        "---------------------",
        "a            1  2",
        "bbbbb  1234567  x",
    ]


def test_nothing_is_cut_or_marked_up_without_a_terminal(capsys: Capture) -> None:
    word = "[bold] :smile: " + "x" * 500
    tables.print_table("title", ["", ""], [(word, None)])
    assert capsys.readouterr().out == f"title\n{word}  -\n"


def test_sentences_are_folded_between_words_and_names_are_not() -> None:
    lines = table(80)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == HEADS
    assert lines[2].startswith("eris.competitive_ratio  Eris Theorem 5  Eris is competitive")
    # what follows stands under the column it belongs to
    assert lines[3].lstrip() == lines[3][lines[0].index("statement") :]


def test_spare_columns_go_first_and_what_does_not_fit_is_a_list() -> None:
    # 22 + 2 + 14 + 2 + 20 = 60 places are what it needs
    assert table(60)[0].split() == HEADS
    assert table(59) == [
        "eris.competitive_ratio",
        "  source: Eris Theorem 5",
        "  statement: Eris is competitive wherever every worth lies",
        "    between these two ends of it.",
        "eris.short",
        "  statement: Short.",
    ]
    assert table(59, "source")[0].split() == ["claim", "statement"]
    assert table(60, "source")[0].split() == HEADS
    assert table(30, "source", "statement")[0].split() == ["claim"]


@given(
    st.lists(st.lists(st.text("ab. ", max_size=40), min_size=3, max_size=3), min_size=1),
    st.integers(1, 120),
)
def test_every_word_stays_whole_at_every_width(rows: list[list[str]], width: int) -> None:
    rows = [[" ".join(cell.split()) or "-" for cell in row] for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        out = io.StringIO()
        patch.setattr("sys.stdout", out)
        tables.print_table("", HEADS, rows)
    shown = set(out.getvalue().split())
    assert {word for row in rows for cell in row for word in cell.split()} <= shown | {"-"}


@pytest.mark.parametrize(
    ("value", "text"),
    # six digits: 0.1234565 has seven
    [("", "-"), (False, "no"), (0, "0"), (0.0, "0"), (1e-7, "1e-07"), (1 / 8.1, "0.123457")],
)
def test_a_cell_is_shown_in_six_digits(value: object, text: str) -> None:
    assert tables.show(value) == text


def test_the_room_is_that_of_columns_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    for given_, meant in {"": 1000, "72": 72, "0": 1000, "-3": 1000, "wide": 1000}.items():
        monkeypatch.setenv("COLUMNS", given_)
        assert tables.room() == meant


def test_progress_and_searches_are_told_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    third = Fraction(1, 3)
    with tables.bars() as report:
        report("work", 1, 2)
        tables.told_search(Advance(0.25, third, None, "jobs in turn", "min"))
    assert capsys.readouterr() == ("", "")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    with tables.bars() as report:
        report("mlbroker.offline[strict]", 3, 7)
    assert "mlbroker.offline[strict]" in terminal.getvalue()
    terminal.truncate(0)
    terminal.seek(0)
    tables.told_search(Advance(0.25, third, None, "jobs in turn", "min"))
    tables.told_search(Advance(1.0, third, third, "prices", "max"))
    tables.told_nodes(3, third, None)
    assert terminal.getvalue().replace("\r", "").splitlines() == [
        "0.250 s: value 0.333333334, bound -: jobs in turn",
        "1.00 s: value 0.333333333, bound 0.333333334: prices",
        "3 nodes, bound 0.333333333, value -   ",
    ]


def test_where_no_terminal_listens_a_line_now_and_then_says_what_is_running(monkeypatch, capsys):
    clock = iter([0.0, 4.0, 10.0, 10.0, 12.0, 20.0, 20.0])
    monkeypatch.setattr(tables.time, "monotonic", lambda: next(clock))
    with tables.bars() as show:
        show("gadget.fifo", 0, None)  # after 4 seconds: nothing yet
        show("gadget.drf", 0, None)
        show("gadget.drf", 1, 200)  # 2 seconds later
        show("gadget.drf", 2, 200)
        show("gadget.drf", 200, 200)  # at its end nothing is running
    said = capsys.readouterr()
    assert said.err.splitlines() == ["farkas: gadget.drf", "farkas: gadget.drf: 2 of 200"]
    assert said.out == ""
