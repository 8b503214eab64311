"""The table of the dual's letters on the page of mlBroker says what the program says of them."""

from __future__ import annotations

import re

from farkas.algebra import programs
from farkas.instances import library
from tests.tools.shared import ROOT


def test_letters_of_the_dual_are_those_of_its_variables() -> None:
    page = (ROOT / "docs" / "mlbroker.md").read_text()
    section = page.partition("| letter | row of (9) |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (.) \| `(\w+)` \((8\w)\) \| (.+) \|$", section, re.MULTILINE)
    tiny = library.load("mlbroker/tiny")
    known = programs.build("mlbroker.dual").form(tiny).columns
    assert [name for _, name, _, _ in rows] == [block.name for block in known]
    labels = {b.name: b.label for b in programs.build("mlbroker.relaxed[printed]").form(tiny).rows}
    for (letter, name, label, meaning), block in zip(rows, known, strict=True):
        said = f"{meaning[0].upper()}{meaning[1:]}; {letter}."
        assert said == block.doc
        assert labels.get(name, label) == label
