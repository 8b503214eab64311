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
