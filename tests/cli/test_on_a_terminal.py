"""Tables on real terminals: they fit, and every name stands in one piece."""

from __future__ import annotations

import re

import pytest

from farkas.cli import call
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.solvers import backends
from tests.tools.terminal import on_terminal

COMMANDS = {
    "demo": ["mlbroker.offline[strict]", "eris/demo"],
    "claims eris": claims.names("eris."),
    "compare mlbroker/tiny": algorithms.names("mlbroker."),
    "figure gadget": ["gadget.figure7"],
    "show solvers": [*backends, "pyomo:gurobi_direct", "https://www.cvxpy.org/tutorial/solvers"],
    "list programs": ["gadget.offline_column_bound"],
    "optimum mlbroker/tiny": ["16.8"],
    "show mlbroker": ["mlbroker.fractional[tight]"],
}


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_longer_than_the_terminal_and_no_name_is_broken(
    command: str, columns: int
) -> None:
    text = on_terminal(*command.split(), columns=columns)
    assert "\x1b" not in text
    words = set(re.findall(r"\S+", text))
    assert set(COMMANDS[command]) <= {word.rstrip(",;:") for word in words}
    assert max(map(len, text.splitlines())) <= columns


def test_columns_are_honoured_and_nothing_is_coloured_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert call(["claims", "coded"]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 60
    monkeypatch.delenv("COLUMNS")
    assert call(["claims", "coded"]) == 0
    # one line a claim where nothing limits the width
    assert len(capsys.readouterr().out.splitlines()) == 3 + len(claims.names("coded."))
