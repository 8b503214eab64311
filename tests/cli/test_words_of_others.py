"""Names, comments and decisions of a file cannot speak as farkas: not a line, not a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


PLANTED = "\n\x1b[31maccepted: forged\" ' <script>"
QUOTATION = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|(?<![A-Za-z0-9])'(?:[^'\\]|\\.)*'")


def texts(data: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Places of texts in plain data, keys included; of a list only the first entry."""
    if isinstance(data, dict):
        yield (*path, None)  # an unknown key
        for key, item in data.items():
            yield from texts(item, *path, key)
    elif isinstance(data, list):
        for item in data[:1]:
            yield from texts(item, *path, 0)
    elif isinstance(data, str) or data is None:
        yield path


def planted(data: Any, path: tuple[Any, ...]) -> Any:
    """A copy with other words at a place."""
    changed = json.loads(json.dumps(data))
    entry = changed
    for key in path[:-1]:
        entry = entry[key]
    if path[-1] is None:
        entry[PLANTED] = PLANTED
    else:
        entry[path[-1]] = PLANTED
    return changed


def require_quoted(words: list[str], capsys: Capture, where: object) -> None:
    """Nothing that a command prints passes planted words for those of farkas."""
    call(words)
    for text in capsys.readouterr():
        for line in text.splitlines():
            assert line.isprintable(), where
            assert "forged" not in QUOTATION.sub("", line), (where, line)


@pytest.mark.ids(4)
@pytest.mark.parametrize(
    ("kind", "algorithm"),
    [
        ("mlbroker", "mlbroker.fractional"),
        ("dps", "dps.pa"),
        ("eris", "eris.eris"),
        ("gadget", "gadget.las"),
        ("coded", "coded.expected"),
    ],
)
def test_no_text_of_instances_and_runs_is_taken_for_ours(
    kind: str, algorithm: str, tmp_path: Path, capsys: Capture
) -> None:
    whole, path = shipped(f"{kind}/tiny"), tmp_path / "file.json"
    data = json.loads(Path(whole).read_text())
    for place in texts(data):
        path.write_text(json.dumps(planted(data, place)))
        require_quoted(["run", str(path), "-a", algorithm], capsys, place)
        require_quoted(["show", str(path)], capsys, place)
    assert call(["run", str(whole), "-a", algorithm, "-o", str(path)]) == 0
    run = json.loads(path.read_text())
    for place in texts(run):
        path.write_text(json.dumps(planted(run, place)))
        require_quoted(["check", str(path), "--instance", str(whole)], capsys, place)
        require_quoted(["show", str(path)], capsys, place)


@pytest.mark.parametrize("alone", [False, True])
def test_no_text_of_a_certificate_is_taken_for_ours(
    alone: bool, tmp_path: Path, capsys: Capture
) -> None:
    whole, path = str(shipped("mlbroker/tiny")), tmp_path / "file.json"
    quiet(["solve", whole, "-p", "mlbroker.relaxed[tight]", "--write", str(path)], capsys)
    data = json.loads(path.read_text())
    for place in texts(data):
        path.write_text(json.dumps(planted(data, place)))
        about = [] if alone else ["--instance", whole]
        require_quoted(["check", str(path), *about], capsys, place)
        require_quoted(["show", str(path)], capsys, place)


def test_no_word_of_a_vipr_file_is_taken_for_ours(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "proof.vipr"
    whole = str(shipped("mlbroker/tiny"))
    quiet(["solve", whole, "-p", "mlbroker.relaxed[tight]", "--write", str(path)], capsys)
    content = path.read_text()
    ends = [found.span() for found in re.finditer(r"\S+", content)]
    for begin, end in ends[:: max(1, len(ends) // 60)]:
        for words in (PLANTED, PLANTED.replace(" ", "").replace("\n", "")):
            path.write_text(content[:begin] + words + content[end:])
            require_quoted(["check", str(path)], capsys, content[begin:end])


def toml(data: dict[str, Any]) -> str:
    """Plain data as TOML."""

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            pairs = (f"{json.dumps(key)} = {inline(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, list):
            return f"[{', '.join(map(inline, value))}]"
        return json.dumps(value)

    return "".join(f"{json.dumps(key)} = {inline(value)}\n" for key, value in data.items())
