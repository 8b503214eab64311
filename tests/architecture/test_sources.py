"""Size and cleanliness of the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.shared import ROOT

SOURCES = sorted(
    path
    for folder in ("farkas", "tests", "examples", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)
MODULES = [path for path in SOURCES if ROOT / "farkas" in path.parents]
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MOST_LINES = 400


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_no_module_is_longer_than_its_reader(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= MOST_LINES, f"{short(path)} has {lines} lines: look for a seam"


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_nothing_is_left_to_do(path: Path) -> None:
    assert not UNFINISHED.search(path.read_text())


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_every_ignored_type_error_has_a_code(path: Path) -> None:
    assert not re.search(r"type:\s*ignore(?!\[)", path.read_text())


@pytest.mark.parametrize("name", ["pyproject.toml", "Makefile", ".ci/run", "requirements.lock"])
def test_no_package_host_is_written_down(name: str) -> None:
    # Where packages come from is the machine's affair.
    assert not re.search(r"https?://|index-url|find-links", (ROOT / name).read_text())


def test_every_pin_carries_a_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    blocks = re.split(r"\n(?=[a-z0-9])", lock.split("\n", 1)[1])
    assert len(blocks) > 50
    assert all(re.match(r"[a-z0-9._-]+==\S+", b) and "--hash=sha256:" in b for b in blocks)
