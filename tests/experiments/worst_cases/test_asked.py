"""Statements that somebody asks for are proved before anything is drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.adversary.shipped import find_statement
from farkas.errors import (
    FileProblem,
    InvalidOption,
    NoAnswer,
    NotACertificate,
    UnknownName,
)
from farkas.experiments.worst_cases import asked as module
from farkas.experiments.worst_cases.asked import asked


def test_by_name_with_or_without_kind_and_by_file() -> None:
    proof, pair = asked("eris", "eris.eris")
    again, _ = asked("eris", "eris")
    from_file, other = asked("eris", str(find_statement("eris.eris").path))
    assert proof.ratio == again.ratio == from_file.ratio
    assert pair == other


def test_what_is_not_proved_is_not_drawn(tmp_path: Path) -> None:
    data = json.loads(find_statement("eris.eris").path.read_text())
    data["ratio"] = "5000"
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(data))
    with pytest.raises(NotACertificate, match="claimed is the ratio 5000"):
        asked("eris", str(path))


def test_refusals(tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(UnknownName):
        asked("eris", "eris.nobody")
    with pytest.raises(FileProblem, match="No such file"):
        asked("eris", str(tmp_path / "none.json"))
    (tmp_path / "text.json").write_text("[]")
    with pytest.raises(FileProblem, match="no statement of a gap"):
        asked("eris", str(tmp_path / "text.json"))
    with pytest.raises(InvalidOption, match="is of kind eris, not coded"):
        asked("coded", str(find_statement("eris.eris").path))
    with pytest.raises(NoAnswer, match="farkas worst finds some"):
        asked("nobody", "nobody.algorithm")
    monkeypatch.setattr(module, "pair_of", lambda proof, again: None)
    with pytest.raises(NoAnswer, match="have no picture"):
        asked("eris", "eris.eris")
