"""Every way to end has its code and at most one line of complaint."""

from __future__ import annotations

import pytest

from farkas import errors
from farkas.cli import call, endings
from tests.cli.test_app import Capture


def test_an_unexpected_failure_is_one_line_and_a_traceback_only_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("wires\ncrossed")

    monkeypatch.setattr("farkas.solvers.status", fail)
    assert call(["solvers"]) == 70
    assert capsys.readouterr().err.startswith("farkas: internal error: RuntimeError: wires crossed")
    monkeypatch.setenv("FARKAS_DEBUG", "1")
    assert call(["solvers"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_too_little_memory_is_no_answer_and_no_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def grow(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("farkas.solvers.status", grow)
    assert call(["solvers"]) == 3
    assert capsys.readouterr().err == "farkas: takes more memory than there is\n"


def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("farkas.solvers.status", interrupt)
    assert call(["solvers"]) == 130
    assert capsys.readouterr() == ("", "farkas: interrupted\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.NotACertificate("less"), 1),
        (errors.InvalidInstance("$.jobs"), 2),
        (errors.InvalidOption("seed"), 2),
        (errors.FileProblem("a.json"), 2),
        (errors.UnknownName("b"), 2),
        (errors.NotApplicable("too large"), 2),
        (errors.SolverUnavailable("gurobi"), 3),
        (errors.NoAnswer("no point"), 3),
        (ZeroDivisionError("x"), 70),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_ends_with_the_code_of_its_type(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr("farkas.solvers.status", fail)
    assert call(["solvers"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert str(error) in captured.err


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (None, 0), (2, 2), (1, 141), (130, 130)])
def test_the_parser_ends_with_its_own_code(
    code: int | None, ends: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endings, "_silent_end", lambda: 141)
    assert endings.ended(SystemExit(code)) == ends


def test_a_reader_that_has_left_is_told_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(endings, "_silent_end", lambda: 141)
    for error in (BrokenPipeError(), endings.Ended(errors.Exit.BROKEN_PIPE)):
        assert endings.ended(error) == 141
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Invalid value for '--seed': '1.5' is not a valid int range.", "a whole number"),
        ("Invalid value for '-x': '1,5' is not a valid float.", "a number"),
        ("Input should be a valid number, unable to parse string as a number", "a number"),
    ],
)
def test_numbers_are_asked_for_in_the_same_words_by_every_parser(said: str, shown: str) -> None:
    assert endings.in_words(said).endswith(f"expected {shown}")
    assert endings.in_words("Missing argument 'FILE'.") == "Missing argument 'FILE'."
