"""The command line on good input."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped

TINY = str(shipped("mlbroker/tiny"))

Capture = pytest.CaptureFixture[str]


COMMANDS = [
    *("demo", "run", "compare", "solve", "evaluate", "check", "claims", "show"),
    *("generate", "import", "solvers"),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_knows_json(command: str, capsys: Capture) -> None:
    assert call([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--json" in out
    assert "Usage: farkas " + command in out


@pytest.mark.parametrize(
    "words",
    [
        ["demo"],
        ["solvers"],
        ["claims"],
        ["claims", "mlbroker"],
        ["compare", TINY],
        ["evaluate", TINY, "mlbroker.offline[printed]", "mlbroker.relaxed[tight]"],
        ["run", TINY, "-a", "mlbroker.fractional"],
        ["show", "mlbroker.offline"],
        ["show", "mlbroker.fractional"],
        ["show", "mlbroker.offline[strict]", "--latex"],
        ["show", "coded.sca"],
        ["solve", TINY, "-p", "mlbroker.relaxed[tight]", "--certify"],
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
