"""What is printed: one line a complaint, JSON that is JSON."""

from __future__ import annotations

import io
import json
from fractions import Fraction

import numpy as np
import pytest

from farkas.cli import printing

Capture = pytest.CaptureFixture[str]


def test_a_complaint_is_one_printable_line(capsys: Capture) -> None:
    printing.complain("two\nlines,  \x1b[31mred\udcff")
    assert capsys.readouterr() == ("", "farkas: two lines, \\x1b[31mred\\udcff\n")


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


def test_text_ends_with_one_line_break(capsys: Capture) -> None:
    printing.print_text("a\n\n")
    printing.print_text("  b")
    assert capsys.readouterr().out == "a\n  b\n"


def test_long_lines_are_folded_below_their_begin(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    printing.print_folded("short\n\n  one two three four five\nname.that_is_longer_than_it")
    assert capsys.readouterr().out.splitlines() == [
        "short", "", "  one two three four", "    five", "name.that_is_longer_than_it",
    ]  # fmt: skip
    monkeypatch.delenv("COLUMNS")
    printing.print_folded("  " + "word " * 100)
    assert len(capsys.readouterr().out.splitlines()) == 1
