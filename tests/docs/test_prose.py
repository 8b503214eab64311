"""Sentences of pages are short, and none is built like those that readers stumbled over."""

import re
from pathlib import Path

import pytest

from tests.tools.shared import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if not {"_ext", "generated"} & set(p.parts)),
]
RIDDLES = (
    r"\bOf \w+ \d+ to \d+\b",  # a count before its noun
    r"\b[Ww]hoever\b",
    r"\b[Ww]hat \w+ leaves? is\b",
    r"\bthan about (it|them)\b",
    r"\bas it was drawn\b",
)


def sentences(page: Path) -> list[list[str]]:
    """Words of each sentence of running text: no code, tables, heads or directives."""
    text = re.sub(r"(?s)\A---\n.*?\n---\n|```.*?```|</?[a-z][^<>]*>", "\n\n", page.read_text())
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    found = []
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        lines = [line.strip() for line in block.splitlines() if line[:1] not in tuple("|#:{($ >")]
        found += re.split(r"(?<=[.!?:])\s+(?=[A-Z(*\"]|code)", " ".join(lines))
    return [words for words in map(str.split, found) if len(words) > 1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_sentences_are_short(page: Path) -> None:
    lengths = [len(words) for words in sentences(page)]
    assert sum(lengths) <= 18 * len(lengths)
    assert sum(length > 30 for length in lengths) <= max(1, 0.05 * len(lengths))


def test_sentences_are_short_on_the_whole() -> None:
    lengths = [len(words) for page in PAGES for words in sentences(page)]
    assert len(lengths) > 1000
    assert sum(lengths) <= 16 * len(lengths)
    assert sum(length > 30 for length in lengths) <= 0.05 * len(lengths)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_page_has_a_riddle(page: Path) -> None:
    for words in sentences(page):
        said = " ".join(words)
        assert not any(re.search(riddle, said) for riddle in RIDDLES), said


def test_a_version_of_the_changelog_is_short() -> None:
    _, *versions = re.split(r"(?m)^(?=## )", (ROOT / "CHANGELOG.md").read_text())
    assert len(versions) >= 2
    for version in versions:
        assert len(version.strip().splitlines()) <= 60, version[:40]
