"""The figure of worst cases: what is proved is shown, what is not is named."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from pathlib import Path

import pytest

from farkas.errors import NoAnswer, UnknownName
from farkas.experiments.figures import PRESETS, Agreement
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.writing import caption, document
from farkas.experiments.worst_cases.cases import WorstKnown, case_of
from farkas.experiments.worst_cases.overview import figure_of, overview
from tests.experiments.worst_cases.made import copied, proof_of

REDUCED = PRESETS["reduced"]


def by_name(cases: list[WorstKnown]) -> dict[str, dict[str, float]]:
    return {
        one.name: {str(x): float(y) for x, y in zip(one.x, one.y, strict=True)}
        for one in figure_of(cases).series
    }


def statement(cases: list[WorstKnown], words: str) -> tuple[bool, str]:
    (found,) = [one for one in figure_of(cases).findings if words in one.statement]
    return found.holds, found.note


def test_bars_are_proved_ratios_and_theorems() -> None:
    case = case_of_name("eris.eris")
    shown = by_name([case])
    ratio = proof_of("eris.eris").ratio
    assert ratio is not None
    assert shown["worst found, proved"] == {"eris": float(ratio)}
    assert shown["theorem, as printed"]["eris"] == pytest.approx(39.863, abs=1e-3)
    assert "theorem, repaired" not in shown
    holds, note = statement([case], "as printed is exceeded")
    assert not holds
    assert note.startswith("eris.eris: ")


def case_of_name(name: str) -> WorstKnown:
    from farkas.adversary.shipped import find_statement

    return case_of(find_statement(name))


def test_unbounded_ratios_are_named_and_drawn_as_arrows() -> None:
    case = case_of_name("gadget.fifo")
    data = figure_of([case])
    assert by_name([case])["worst found, proved"] == {"fifo": math.inf}
    assert statement([case], "every ratio is bounded") == (False, "gadget.fifo")
    canvas = draw(data, "title", "caption")
    (axes,) = canvas.axes
    assert len([t for t in axes.texts if t.arrow_patch is not None]) >= 1
    assert all(math.isfinite(end) for end in axes.get_ylim())


def test_forged_statements_are_left_out_and_named(tmp_path: Path) -> None:
    shipped = copied(tmp_path, "eris.eris")
    data = json.loads(shipped.path.read_text())
    data["ratio"] = "5000"
    shipped.path.write_text(json.dumps(data))
    cases = [case_of(shipped), case_of_name("eris.learned")]
    assert "eris" not in by_name(cases)["worst found, proved"]
    holds, note = statement(cases, "every statement is proved")
    assert not holds
    assert note.startswith("eris.eris: claimed is the ratio 5000")
    assert statement(cases[1:], "every statement is proved") == (True, "")


def test_decisions_that_are_not_repeated_are_named() -> None:
    case = case_of_name("mlbroker.local")
    other = WorstKnown(dataclasses.replace(case.standing, repeats=False), [])
    assert statement([other], "decides so again") == (False, "mlbroker.local")
    assert "worst found, proved" not in by_name([other])
    assert statement([case], "decides so again") == (True, "")


def test_the_exhibit_is_of_no_paper_and_its_caption_says_nothing_of_print() -> None:
    exhibit = overview("coded")
    data = exhibit.data("reduced")
    words = caption(exhibit, data, REDUCED, 0)
    assert "This run" not in words
    assert "every statement is proved: yes" in words
    assert document(exhibit, data, REDUCED, 0)["standing"] == str(Agreement.OURS)
    assert exhibit.name == "coded.worst"


def test_a_kind_without_statements_or_that_is_none_is_refused(monkeypatch) -> None:
    with pytest.raises(UnknownName):
        overview("nobody")
    module = sys.modules["farkas.experiments.worst_cases.overview"]
    monkeypatch.setattr(module, "statements_of", lambda kind: [])
    with pytest.raises(NoAnswer, match="farkas worst finds some"):
        overview("dps").data()


def test_long_names_are_drawn(tmp_path: Path) -> None:
    case = case_of_name("mlbroker.local")
    shipped = dataclasses.replace(case.standing.shipped, name="mlbroker." + "long_name_" * 9)
    other = WorstKnown(dataclasses.replace(case.standing, shipped=shipped), [])
    draw(figure_of([case, other]), "title", "caption")
