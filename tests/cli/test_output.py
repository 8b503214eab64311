"""What is printed: one line a complaint, JSON that is JSON, tables that keep every word."""

from __future__ import annotations

import io
import json
from fractions import Fraction

import numpy as np
import pytest

from farkas.cli import output

Capture = pytest.CaptureFixture[str]


def test_a_complaint_is_one_printable_line(capsys: Capture) -> None:
    output.complain("two\nlines,  \x1b[31mred\udcff")
    assert capsys.readouterr() == ("", "farkas: two lines, \\x1b[31mred\\udcff\n")


def test_nobody_hears_a_complaint_behind_a_closed_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)
    output.complain("nobody listens")


def test_numbers_that_json_lacks_become_null(capsys: Capture) -> None:
    values = {"nan": np.nan, "inf": -np.inf, "array": np.arange(2), "third": Fraction(1, 3)}
    output.print_json(values)
    text = capsys.readouterr().out
    assert json.loads(text) == {"nan": None, "inf": None, "array": [0, 1], "third": "1/3"}
    assert text.endswith("}\n")


def test_text_ends_with_one_line_break(capsys: Capture) -> None:
    output.print_text("a\n\n")
    output.print_text("  b")
    assert capsys.readouterr().out == "a\n  b\n"


class Ascii(io.StringIO):
    """A terminal that knows no other letters."""

    encoding = "ascii"

    def write(self, text: str) -> int:
        text.encode("ascii")
        return super().write(text)


def test_a_symbol_that_the_terminal_lacks_is_spelt(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Ascii()
    monkeypatch.setattr("sys.stdout", terminal)
    output.print_text("ρ")
    assert terminal.getvalue() == "\\u03c1\n"


def test_numbers_stand_right_and_words_left(capsys: Capture) -> None:
    output.print_table("title", ["name", "n", "mixed"], [("a", 1, 2.0), ("bbbbb", 1234567, "x")])
    title, *table = capsys.readouterr().out.splitlines()
    assert title == "title"
    first, second = (line for line in table if line.startswith("│"))
    assert first.split("│")[1:4] == ["a     ", "       1 ", " 2    "]
    assert second.split("│")[1:4] == ["bbbbb ", " 1234567 ", " x    "]


def test_nothing_is_cut_or_wrapped_without_a_terminal(capsys: Capture) -> None:
    word = "[bold]" + "x" * 500
    output.print_table("title", ["", ""], [(word, None)])
    assert any(word in line and "-" in line for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("value", "text"),
    # six digits: 0.1234565 has seven
    [("", "-"), (False, "no"), (0, "0"), (0.0, "0"), (1e-7, "1e-07"), (1 / 8.1, "0.123457")],
)
def test_a_cell_is_shown_in_six_digits(value: object, text: str) -> None:
    assert output.show(value) == text


def test_progress_is_silent_without_a_terminal(capsys: Capture) -> None:
    with output.progress("work") as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")


def test_progress_counts_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    with output.progress("work") as report:
        report(3, 7)
    assert "work" in terminal.getvalue()
    assert "3/7" in terminal.getvalue()
