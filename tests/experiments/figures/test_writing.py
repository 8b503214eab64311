"""Figures are written so that others can read them."""

from __future__ import annotations

import csv
import dataclasses
import json
from xml.etree import ElementTree

import pytest

from farkas.errors import InvalidOption
from farkas.experiments.figures import PRESETS, Statement
from farkas.experiments.figures.writing import as_csv, caption, write
from tests.experiments.figures.made import exhibit, lines, rows

FULL = PRESETS["full"]


def test_csv_tells_computed_from_published():
    table = list(csv.reader(as_csv(lines()).splitlines()))
    assert table[0] == ["origin", "series", "sites", "cost [USD]", "low", "high"]
    assert table[1] == ["computed", "ours", "1", "3.0", "2.5", "4.0"]
    assert table[-3:] == [
        ["published", "bound", "", "2.5", "", ""],
        ["published", "points", "1", "2.9", "", ""],
        ["published", "points", "4", "1.4", "", ""],
    ]
    assert as_csv(rows()).splitlines()[1:] == ["computed,A,1.5", "published,A,1.4", "published,B,"]


def test_json_holds_everything_and_no_nan(tmp_path):
    path = tmp_path / "figure.json"
    write(exhibit(), lines(), str(path), FULL, 3)
    found = json.loads(path.read_text(), parse_constant=lambda word: pytest.fail(word))
    assert found["data"]["series"][0]["y"] == [3.0, None, 1.5]
    assert (found["standing"], found["seed"], found["preset"]) == ("trend reproduced", 3, "full")
    assert "trend reproduced; falls: yes (3 to 1.5); below 2.5: no" in found["caption"]
    assert "Means of 5 instances; 95 % t intervals of the mean." in found["caption"]
    assert found["instances"] == 5


def test_a_caption_compares_its_own_run_whatever_the_full_preset_shows():
    shape, value = Statement("falls", True), Statement("ends at 2", True, about="value")
    remark = Statement("faster", False, about="ours")
    for findings, words in (
        ([shape, value, remark], "reproduced; falls"),
        ([shape, dataclasses.replace(value, holds=False)], "trend reproduced; falls"),
        ([dataclasses.replace(shape, holds=False), value], "not reproduced; falls"),
    ):
        data = dataclasses.replace(rows(), findings=findings)
        assert f"This run (full, seed 0): {words}" in caption(exhibit(), data, FULL, 0)


def test_the_same_data_gives_the_same_picture_and_text_stays_text(tmp_path):
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        write(exhibit(), lines(), str(path), FULL, 0)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    words = " ".join(ElementTree.fromstring(first).itertext())
    assert "Cost & load" in words
    assert "trend reproduced; falls: yes" in words
    for suffix, magic in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        write(exhibit(), rows(), str(tmp_path / f"c{suffix}"), FULL, 0)
        assert (tmp_path / f"c{suffix}").read_bytes().startswith(magic)


def test_a_name_without_suffix_is_quoted():
    with pytest.raises(InvalidOption, match='"written: it is true": unknown suffix'):
        write(exhibit(), rows(), "written: it is true", "full", 0)


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(InvalidOption, match=r"did you mean \.png"):
        write(exhibit(), lines(), str(tmp_path / "a.pgn"), FULL, 0)
