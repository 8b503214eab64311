"""Trace sources say their columns, their settings, and what each is."""

from __future__ import annotations

import msgspec
import pytest

from farkas.instances.traces import importers, kinds_of, sources
from farkas.instances.traces.philly import COLUMNS
from farkas.verbs.show import entries
from farkas.verbs.shown_sources import columns, documented, source_lines, source_text


@pytest.mark.parametrize("source", sources())
def test_every_setting_and_column_of_a_source_is_shown(source: str) -> None:
    text = source_text(source)
    for kind in kinds_of(source):
        assert f"farkas import {source} FILE --kind {kind}" in text
        for field in importers[f"{source}:{kind}"].__struct_fields__:
            assert f"\n    {field} = " in text


def test_philly_names_its_columns_and_csv_its_roles() -> None:
    assert tuple(columns(importers["philly:eris"])) == COLUMNS
    roles = columns(importers["csv:dps"])
    assert roles["gpus"].endswith("--map gpus=COLUMN")
    assert "required" in roles["submit"]


def test_settings_say_what_they_are_and_their_default() -> None:
    importer = importers["philly:dps"]
    told = documented(importer)
    assert told["slot_seconds"] == "Length of a slot."
    assert {f.name for f in msgspec.structs.fields(importer)} <= set(told)
    assert "slot_seconds = 300.0  Length of a slot." in source_text("philly")


def test_show_knows_sources_and_solvers() -> None:
    (source,) = entries("philly")
    assert source.role == "source"
    (solver,) = entries("highs")
    assert solver.role == "solver"
    assert "linear, integer" in solver.text
    assert entries("highs:ipm")[0].role == "solver"


def test_lines_say_the_kinds_of_a_source() -> None:
    assert ("philly", "makes dps, eris, gadget, mlbroker") in source_lines()
