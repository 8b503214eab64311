"""Size and cleanliness of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.shared import ROOT
from tests.tools.sources import MODULES, short, text

OTHERS = [
    path
    for folder in ("tests", "examples", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MOST_LINES = 500
ONE_FILE = {"farkas/standalone/checker.py"}
"""Must be one file, of at most 500 lines: its own test holds that."""


def offending(paths: list[Path], pattern: re.Pattern[str]) -> list[str]:
    """``file:line`` of every line that has the pattern."""
    return [
        f"{short(path)}:{number}"
        for path in paths
        for number, line in enumerate(text(path).splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_module_is_longer_than_its_reader() -> None:
    lengths = {short(path): len(text(path).splitlines()) for path in MODULES}
    assert len(lengths) > 300, "these are not the sources"
    long = {name for name, lines in lengths.items() if lines > MOST_LINES} - ONE_FILE
    assert not long, "look for a seam"


def test_nothing_is_left_to_do() -> None:
    assert not offending([*MODULES, *OTHERS], UNFINISHED)


def test_every_ignored_type_error_has_a_code() -> None:
    assert not offending(MODULES, re.compile(r"type:\s*ignore(?!\[)"))


def test_nobody_keeps_state_in_the_dict_of_another_object() -> None:
    # `farkas.registry` is the place for what one module knows about another one's objects.
    of_others = r"(?<!\bself)\.__dict__(\[|\.(pop|get|setdefault|update)\()"
    assert not offending(MODULES, re.compile(of_others))


@pytest.mark.parametrize("name", ["pyproject.toml", "Makefile", ".ci/run", "requirements.lock"])
def test_no_package_host_is_written_down(name: str) -> None:
    # Where packages come from is the machine's affair.
    assert not re.search(r"https?://|index-url|find-links", (ROOT / name).read_text())


def test_every_pin_carries_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    blocks = re.split(r"\n(?=[a-z0-9])", re.sub(r"^#.*\n", "", lock))
    assert len(blocks) > 50
    assert all(re.match(r"[a-z0-9._-]+==\S+", b) and "--hash=sha256:" in b for b in blocks)


def test_a_module_says_once_what_it_exports() -> None:
    found = [p for p in MODULES if len(re.findall(r"^__all__\b", text(p), re.M)) > 1]
    assert not found, [short(path) for path in found]
