"""The application: every way to end has its code and at most one line of complaint."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import farkas
from farkas import errors
from farkas.cli import call
from farkas.cli.app import COMMANDS
from farkas.instances.library import path as shipped

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


def test_version(capsys: Capture) -> None:
    assert call(["--version"]) == 0
    assert capsys.readouterr().out == f"farkas {farkas.__version__}\n"


def test_help_lists_fifteen_commands_and_the_demo(capsys: Capture) -> None:
    assert call([]) == 0
    listed = re.findall(r"^  (\w+)  ", capsys.readouterr().out.partition("Commands")[2], re.M)
    assert listed == [*COMMANDS]
    assert len(set(listed)) == 16
    assert listed[0] == "demo"
    assert "evaluate" not in listed


@pytest.mark.parametrize("command", [*COMMANDS, "evaluate"])
def test_every_command_explains_itself_and_knows_json(command: str, capsys: Capture) -> None:
    assert call([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--json" in out
    assert "Usage: farkas " + command in out


@pytest.mark.parametrize(
    "words",
    [
        ["show", "solvers"],
        ["claims", "mlbroker"],
        ["compare", TINY],
        ["evaluate", TINY, "mlbroker.offline[printed]"],
        ["show", TINY, "mlbroker.offline[printed]"],
        ["run", TINY, "-a", "mlbroker.fractional"],
        ["show", "mlbroker.offline[strict]", "--latex"],
        ["solve", TINY, "-p", "mlbroker.offline", "--relax", "--point"],
    ],
    ids=" ".join,
)
def test_json_is_one_object_and_nothing_else(words: list[str], capsys: Capture) -> None:
    assert call([*words, "--json"]) == 0
    captured = capsys.readouterr()
    assert isinstance(json.loads(captured.out), dict)
    assert captured.err == ""
    assert call(words) == 0  # and the table works too
    assert capsys.readouterr().out.strip()


def test_wrong_usage_names_the_help(capsys: Capture) -> None:
    assert call(["run"]) == 2
    assert capsys.readouterr().err.endswith("(see farkas run --help)\n")
    assert call(["nosuch"]) == 2
    assert capsys.readouterr().err.endswith("(see farkas --help)\n")


@pytest.mark.ids(2)
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("farkas sho", ["show"]),
        ("farkas run mlbroker/ti", ["mlbroker/tiny"]),
        ("farkas run mlbroker/tiny -a mlbroker.lo", ["mlbroker.local"]),
        ("farkas solve mlbroker/tiny -s hig", ["highs"]),
        ("farkas generate gad", ["gadget"]),
    ],
)
def test_a_shell_completes_commands_and_names(words: str, found: list[str]) -> None:
    asked = {
        "_FARKAS_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(
        [sys.executable, "-m", "farkas"], env={**os.environ, **asked}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == found


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.NotACertificate("less"), 1),
        (errors.InvalidInstance("$.jobs"), 2),
        (errors.NotApplicable("too large"), 2),
        (errors.SolverUnavailable("gurobi"), 3),
        (errors.NoAnswer("no point"), 3),
        (MemoryError("takes more memory than there is"), 3),
        (KeyboardInterrupt("interrupted"), 130),
        (ZeroDivisionError("wires\ncrossed"), 70),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_ends_with_the_code_of_its_type(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr("farkas.solvers.status", fail)
    assert call(["show", "solvers"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert " ".join(str(error).split()) in captured.err
    if code == 70:
        monkeypatch.setenv("FARKAS_DEBUG", "1")
        assert call(["show", "solvers"]) == 70
        assert "Traceback" in capsys.readouterr().err
