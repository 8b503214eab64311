"""Entries of a comparison: found, saved, the best of them, and what their notes say."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import msgspec
import pytest

from farkas.api.compare import compare
from farkas.errors import UnknownName


def test_entries_are_found_by_place_and_by_name(tmp_path: Path) -> None:
    found = compare("eris/tiny")
    assert list(found) == list(found.entries)
    assert len(found) == len(found.entries)
    assert found[0] is found.entries[0]
    assert found[:2] == found.entries[:2]
    assert "eris.eris" in found
    assert "eris.nope" not in found
    assert found["eris.antman"].algorithm == "eris.antman"
    with pytest.raises(UnknownName, match=r"did you mean eris\.antman"):
        found["eris.antmen"]
    found.save(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_bytes()) == found.to_builtins()


def test_the_best_entry_keeps_every_requirement() -> None:
    kept, broken = compare("eris/tiny", ["eris.eris"])[0], compare("eris/tiny", ["eris.antman"])[0]
    assert broken.run is not None
    wrong = dataclasses.replace(broken, run=msgspec.structs.replace(broken.run, violations=["row"]))
    found = compare("eris/tiny", ["eris.eris"])
    assert dataclasses.replace(found, entries=(wrong, kept)).best is kept
    assert dataclasses.replace(found, entries=(wrong,)).best is None
    assert dataclasses.replace(found, entries=(broken, kept)).best is broken
