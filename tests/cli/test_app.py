"""The application: every way to end has its code and at most one line of complaint."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command

import farkas
from farkas import errors
from farkas.cli import call
from farkas.cli.app import app
from farkas.cli.commands import ORDER

Capture = pytest.CaptureFixture[str]


def test_version(capsys: Capture) -> None:
    assert call(["--version"]) == 0
    assert capsys.readouterr().out == f"farkas {farkas.__version__}\n"


def test_no_words_show_the_help(capsys: Capture) -> None:
    assert call([]) == 0
    assert "farkas demo" in capsys.readouterr().out


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


def test_wrong_usage_names_the_help(capsys: Capture) -> None:
    assert call(["run"]) == 2
    assert capsys.readouterr().err.endswith("(see farkas --help)\n")


def test_help_lists_the_commands_in_the_order_a_newcomer_needs(capsys: Capture) -> None:
    names = [*get_command(app).commands]
    first = [name.rstrip("_") for name in ORDER]
    assert names[: len(first)] == first
    assert names[len(first) :] == sorted(names[len(first) :])
    assert call(["--help"]) == 0
    listed = re.findall(r"^  (\w+)  ", capsys.readouterr().out.partition("Commands")[2], re.M)
    assert listed == names
