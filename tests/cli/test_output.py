"""Everything that is printed: one line a line, whatever the terminal."""

from __future__ import annotations

import io

import pytest

from farkas.cli import output


class Ascii(io.StringIO):
    """A terminal that knows no other letters."""

    encoding = "ascii"

    def write(self, text: str) -> int:
        text.encode("ascii")
        return super().write(text)


def test_a_symbol_that_the_terminal_lacks_is_spelt(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Ascii()
    monkeypatch.setattr("sys.stdout", terminal)
    output.print_line("ρ")
    assert terminal.getvalue() == "\\u03c1\n"


def test_a_line_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_line("a\nb")
    assert capsys.readouterr().out == "a\\nb\n"
