"""Names, comments and decisions of a file cannot speak as farkas: not a line, not a sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped

Capture = pytest.CaptureFixture[str]
FORGED = 'tiny".\naccepted: The optimal value is at least 99.\x1b[1A\x9b2K\u202e\r "'


@pytest.fixture
def file(tmp_path: Path) -> str:
    """An instance whose name would like to be a proof."""
    data = json.loads(Path(shipped("mlbroker/tiny")).read_text())
    path = tmp_path / "tiny.json"
    path.write_text(json.dumps({**data, "name": FORGED}))
    return str(path)


def quiet(words: list[str], capsys: Capture) -> str:
    """Standard output of a command that ends well: nothing invisible, no forged line."""
    assert call(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert all(line.isprintable() for line in captured.out.split("\n"))
    return captured.out


@pytest.mark.parametrize(
    "words",
    [
        ["run", "-a", "mlbroker.local"],
        ["solve", "-p", "mlbroker.relaxed[tight]"],
        ["evaluate", "mlbroker.relaxed[tight]"],
        ["compare", "--algorithms", "mlbroker.local"],
    ],
    ids=lambda words: words[0],
)
def test_the_name_of_an_instance_is_quoted(words: list[str], file: str, capsys: Capture) -> None:
    command, *options = words
    shown = quiet([command, file, *options], capsys)
    title, *rest = shown.splitlines()
    assert (
        r'"tiny\".\naccepted: The optimal value is at least 99.\x1b[1A\x9b2K\u202e\r \""' in title
    )
    assert not any("accepted" in line for line in rest)
    answer = quiet([command, file, *options, "--json"], capsys)
    assert isinstance(json.loads(answer), dict)


def test_a_run_file_says_what_it_likes_in_quotation_marks(
    file: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "run.json"
    quiet(["run", file, "-a", "mlbroker.local", "-o", str(path)], capsys)
    path.write_text(json.dumps({**json.loads(path.read_text()), "algorithm": FORGED}))
    call(["check", str(path), "--instance", file])
    captured = capsys.readouterr()
    for text in (captured.out, captured.err):
        assert text.count("\n") <= 1
        assert text.rstrip("\n").isprintable()
        assert text.count("accepted: ") <= 1 + text.count(r"\naccepted: ")


@pytest.mark.parametrize("name", ['x". Proved: "y', "x\u202e\u2066", "a b", "y\\"])
def test_a_program_of_a_file_is_quoted_once(
    name: str, file: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "c.json"
    quiet(["solve", file, "-p", "mlbroker.relaxed[tight]", "--write", str(path)], capsys)
    said_so = {"program": name, "kind": None, "options": {}}
    path.write_text(json.dumps({**json.loads(path.read_text()), **said_so}))
    said = quiet(["check", str(path)], capsys)
    (inside,) = re.findall(r'the file calls "((?:[^"\\]|\\.)*)" (?:is|among)', said)
    assert json.loads(f'"{inside}"') == name


@pytest.mark.parametrize("field", ["bound", "objective"])
def test_long_numbers_end_in_one_short_line(
    field: str, file: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "c.json"
    quiet(["solve", file, "-p", "mlbroker.relaxed[tight]", "--write", str(path)], capsys)
    data = json.loads(path.read_text())
    (data if field == "bound" else data["point"])[field] = "9" * 4000
    path.write_text(json.dumps(data))
    assert call(["check", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err) < 300
