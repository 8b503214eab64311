"""Modules imported by what they belong to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from farkas.loading import load_package, load_part, load_role


@pytest.fixture
def shed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name of a package with modules of ``bee``, and of ``beetle`` beside it."""
    for path in ("__init__", "bee", "bee_wild", "beetle", "wasp/__init__", "wasp/nest"):
        file = tmp_path / "shed" / f"{path}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "shed"
    for name in loaded():
        del sys.modules[name]


def loaded() -> set[str]:
    return {name for name in sys.modules if name.partition(".")[0] == "shed"}


def test_a_part_says_whether_there_is_one(shed: str) -> None:
    assert load_part(shed, "bee")
    assert not load_part(shed, "be")
    assert loaded() == {"shed", "shed.bee", "shed.bee_wild"}


def test_a_package_is_imported_with_all_below_it(shed: str) -> None:
    load_package("shed.wasp")
    assert loaded() == {"shed", "shed.wasp", "shed.wasp.nest"}


def test_a_role_loads_an_owner_or_for_a_stranger_everything(shed: str) -> None:
    load_role([shed], "bee")
    assert loaded() == {"shed", "shed.bee", "shed.bee_wild"}
    load_role([shed], "moth")
    assert loaded() >= {"shed.beetle", "shed.wasp.nest"}
