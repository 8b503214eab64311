"""Tables on real terminals: they fit, and every name stands in one piece."""

from __future__ import annotations

import json
import re
from pathlib import Path

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


@pytest.mark.slow
def test_an_instance_is_written_and_summed_up_instead_of_printed(tmp_path: Path) -> None:
    words = ["generate", "eris", "--preset", "small", "--seed", "3"]
    text = on_terminal(*words, columns=80, folder=tmp_path)
    made = tmp_path / "eris-small-3.json"
    assert json.loads(made.read_text())["seed"] == 3
    assert len(text) < 3000
    said = " ".join(text.split())
    assert "eris-small-3.json: written" in said
    assert "4 jobs, 3 resources, 2 sites, 4 slots; capacity of a site: gpu 2" in said
    assert '"worth_decay":3.0,' in said
    assert "next farkas compare eris-small-3.json" in said
    made.write_text("mine")
    assert on_terminal(*words, columns=80, folder=tmp_path) == ""
    assert made.read_text() == "mine"  # what is there is kept
