"""Tables and progress bars."""

from __future__ import annotations

import io
from fractions import Fraction

import pytest

from farkas.cli import tables
from farkas.offline.climbing import Advance

Capture = pytest.CaptureFixture[str]


def test_numbers_stand_right_and_words_left(capsys: Capture) -> None:
    tables.print_table("title", ["name", "n", "mixed"], [("a", 1, 2.0), ("bbbbb", 1234567, "x")])
    assert capsys.readouterr().out.splitlines() == [
        "title",
        "name         n  mixed",
        "-----  -------  -----",
        "a            1  2",
        "bbbbb  1234567  x",
    ]


def test_nothing_is_cut_or_wrapped_without_a_terminal(capsys: Capture) -> None:
    word = "[bold]" + "x" * 500
    tables.print_table("title", ["", ""], [(word, None)])
    assert any(word in line and "-" in line for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("value", "text"),
    # six digits: 0.1234565 has seven
    [("", "-"), (False, "no"), (0, "0"), (0.0, "0"), (1e-7, "1e-07"), (1 / 8.1, "0.123457")],
)
def test_a_cell_is_shown_in_six_digits(value: object, text: str) -> None:
    assert tables.show(value) == text


def test_progress_is_silent_without_a_terminal(capsys: Capture) -> None:
    with tables.progress("work") as report:
        report(1, 2)
    assert capsys.readouterr() == ("", "")


def test_progress_counts_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    with tables.progress("work") as report:
        report(3, 7)
    assert "work" in terminal.getvalue()
    assert "3/7" in terminal.getvalue()


def test_progress_of_runs_counts_runs_and_the_steps_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    with tables.progress_of_runs("compare") as (report, steps):
        steps("kind.policy", 3, 24)
        report(1, 5)
    shown = terminal.getvalue()
    assert "compare" in shown
    assert "kind.policy" in shown
    assert "3/24" in shown
    assert "1/5" in shown


def test_a_search_is_told_on_a_terminal_with_both_sides_rounded_to_what_is_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    assert tables.searching() is None
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    told = tables.searching()
    assert told is not None
    third = Fraction(1, 3)
    told(Advance(0.25, third, None, "jobs in turn", "min"))
    told(Advance(0.5, third, third, "prices", "min"))
    told(Advance(1.0, third, third, "prices", "max"))
    assert terminal.getvalue().splitlines() == [
        "0.250 s: value 0.333333334, bound -: jobs in turn",
        "0.500 s: value 0.333333334, bound 0.333333333: prices",
        "1.00 s: value 0.333333333, bound 0.333333334: prices",
    ]
