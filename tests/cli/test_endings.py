"""Every way to end has its code and at most one line of complaint."""

from __future__ import annotations

import pytest

from farkas import errors
from farkas.cli import call
from tests.cli.test_app import Capture


def test_an_unexpected_failure_is_one_line_and_a_traceback_only_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail() -> None:
        raise RuntimeError("wires\ncrossed")

    monkeypatch.setattr("farkas.solvers.status", fail)
    assert call(["solvers"]) == 70
    assert capsys.readouterr().err.startswith("farkas: internal error: RuntimeError: wires crossed")
    monkeypatch.setenv("FARKAS_DEBUG", "1")
    assert call(["solvers"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupt() -> None:
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
    def fail() -> None:
        raise error

    monkeypatch.setattr("farkas.solvers.status", fail)
    assert call(["solvers"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert str(error) in captured.err
