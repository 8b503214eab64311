"""What pages say of figures is what they showed at the full preset, and what the code declares."""

from __future__ import annotations

import pytest
from farkas_docs import figures as listing

from farkas.experiments.figures import Statement, agreement, figures, of_kind
from farkas.instances.files import own_kinds
from tests.experiments.figures.made import exhibit, lines
from tests.recorded import figures as record
from tests.tools.shared import ROOT

KEPT = record.kept()


def test_the_standing_of_every_recorded_figure_is_declared_and_follows_from_its_findings():
    assert KEPT.keys() == set(record.names())
    for name, said in KEPT.items():
        findings = [Statement(**finding) for finding in said["findings"]]
        assert said["standing"] == agreement(findings), name
        assert said["standing"] == figures[name].agreement, name
        assert said["instances"] >= 5, name


@pytest.mark.parametrize("kind", own_kinds())
def test_the_page_of_a_kind_shows_what_was_recorded_of_its_figures(kind):
    page = (ROOT / "docs" / f"{kind}.md").read_text()
    assert page.count(f"{{include}} generated/listings/{kind}_figures.md") == 1
    (listed,) = (text for name, text in listing.pages() if name == f"listings/{kind}_figures")
    rows = listed.splitlines()[2:]
    labels = [row.split("|")[1].strip() for row in rows if row]
    assert labels == [listing.label(one) for one in of_kind(kind)]
    assert "make figures" not in listed


def test_a_page_shows_what_a_figure_finds_with_its_numbers():
    said = {"standing": "trend reproduced", "findings": [
        {"statement": "falls", "holds": True, "note": "3 to 1", "about": "shape"},
        {"statement": "is 1", "holds": False, "note": "", "about": "value"}]}  # fmt: skip
    assert listing.label(exhibit(lines())) == "Fig. 5"
    shown = listing.row(exhibit(lines()), said)
    assert shown == ["Cost & load", "trend reproduced", "falls: yes (3 to 1); is 1: no"]
    assert listing.row(exhibit(lines()), None)[1:] == [
        "trend reproduced", "recorded by `make figures`"
    ]  # fmt: skip
