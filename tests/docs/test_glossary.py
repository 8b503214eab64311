"""Terms that pages use stand in the glossary, once and in order; the library's words do, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.shared import ROOT

DOCS = ROOT / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text()
BODY = GLOSSARY.partition("```{glossary}\n")[2].partition("```")[0]
TERMS = re.findall(r"^(\S.*)$", BODY, re.MULTILINE)
TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`")
PAGES = sorted(p for p in DOCS.rglob("*.md") if not {"generated", "_build"} & set(p.parts))


def test_terms_stand_once_and_in_order() -> None:
    assert len(TERMS) > 40
    assert len({term.lower() for term in TERMS}) == len(TERMS)
    assert [t.lower() for t in TERMS] == sorted((t.lower() for t in TERMS), key=_letters)


def _letters(term: str) -> str:
    return re.sub(r"[^a-z ]", " ", term)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_terms_of_a_page_are_explained(page: Path) -> None:
    text = re.sub(r"\s+", " ", page.read_text())
    for term in TERM.findall(text):
        assert term in TERMS, term


def test_terms_are_found_in_all_spellings() -> None:
    assert TERM.findall("{term}`stragglers <straggler>` and {term}`gap`") == ["straggler", "gap"]


def test_the_nine_words_of_the_library_are_explained() -> None:
    design = (DOCS / "design.md").read_text().partition("## Nine words")[2].partition("\n## ")[0]
    words = re.findall(r"^\| \*\*(\w+)\*\*", design, re.MULTILINE)
    assert len(words) == 9
    for word in words:
        assert f"\n{word.lower()}\n  **{word}**" in BODY, word
