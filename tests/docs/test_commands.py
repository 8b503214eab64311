"""Commands of pages print what the pages say: ``console`` blocks, run from top to bottom."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from farkas_docs import command_line

from farkas.cli import call
from farkas.cli.app import COMMANDS
from farkas.errors import Exit
from farkas.solvers import gurobi
from tests.tools.shared import ROOT

PAGES = [ROOT / "docs" / f"{name}.md" for name in ("faq", "own_model", "own_trace")]
RULER = re.compile(r"-{3,}|[\u2500-\u257f]")
"""Lines of tables are no part of what a page promises."""
BLOCK = re.compile(
    r"^```\{code-block\} text\n:caption: (?P<file>\S+)\n(?P<content>.*?)^```$"
    r"|^```console\n(?P<commands>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


def performed(command: str, last: int, capsys: pytest.CaptureFixture[str]) -> tuple[str, int]:
    """What a command of a page prints, and its exit code."""
    words = shlex.split(command)
    if command == "echo $?":
        return f"{last}\n", 0
    if words[0] == "farkas":
        capsys.readouterr()
        code = call(words[1:])
        said = capsys.readouterr()
        return said.out + said.err, code
    if words[:2] == ["python", "checker.py"]:
        alone = [sys.executable, str(ROOT / "farkas" / "standalone" / "checker.py"), *words[2:]]
        ended = subprocess.run(alone, capture_output=True, text=True, check=False)
        return ended.stdout + ended.stderr, ended.returncode
    assert words[0] == "sed", f"the test runs farkas, checker.py, sed, echo $?, not {words[0]}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    return done.stdout, 0


def steps(commands: str) -> list[tuple[str, str]]:
    """Commands of a block and what is printed below each."""
    parts = re.split(r"^\$ (.*)\n", commands, flags=re.MULTILINE)
    assert not parts[0].strip()
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_stands_there(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")  # no table is broken
    code = 0
    found = list(BLOCK.finditer(page.read_text()))
    assert len(found) >= (2 if page.stem == "own_trace" else 8)
    for block in found:
        if block["file"]:
            (tmp_path / block["file"]).write_text(block["content"])
            continue
        for command, expected in steps(block["commands"]):
            printed, code = performed(command, code, capsys)
            assert agree(expected, printed), f"$ {command}\n{printed}"


def agree(expected: str, printed: str) -> bool:
    """Whether the words agree; ``...`` stands for anything."""
    parts = [" ".join(part.split()) for part in RULER.sub(" ", expected).split("...")]
    words = " ".join(RULER.sub(" ", printed).split())
    return re.fullmatch(r".*".join(map(re.escape, parts)), words) is not None


def test_all_exit_codes_are_on_the_page_of_questions() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", PAGES[0].read_text(), re.MULTILINE)
    assert [int(code) for code, _ in rows] == [int(code) for code in Exit]


def test_the_limit_of_gurobi_is_the_one_that_is_known() -> None:
    assert f"{gurobi.MOST} variables and {gurobi.MOST} rows" in PAGES[0].read_text()


def test_the_table_of_packages_names_all_that_are_read() -> None:
    from farkas.exact.sources import _READERS

    text = (ROOT / "docs" / "own_model.md").read_text().lower()
    names = {"highspy": "highs", "gurobipy": "gurobi"}
    assert all(f"| {names.get(package, package)} |" in text for package, _ in _READERS)


OWN_FILES = {"import", "sweep"}  # of jobs.csv and broker.toml of one's own
SLOW = {"demo", "optimum", "worst", "figure", "prove"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in command_line.EXAMPLES
        if name not in OWN_FILES
    ],
)
def test_the_example_of_a_command_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "check":
        assert performed(command_line.EXAMPLES["run"], 0, capsys)[1] == 0
    _, code = performed(command_line.EXAMPLES[name], 0, capsys)
    assert code == (Exit.NEGATIVE if name == "claims" else 0)


def test_every_command_has_an_example() -> None:
    assert list(command_line.EXAMPLES) == list(COMMANDS)
