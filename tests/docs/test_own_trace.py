"""Tables of the page on own traces: every column, unit and setting of every importer."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec
import pytest

from farkas.instances.traces import alibaba_dps, csv_coded, csv_jobs, google_jobs, importers, market
from tests.tools.shared import ROOT

PAGE = (ROOT / "docs" / "own_trace.md").read_text()
JOBS = ("gadget", "eris", "dps", "mlbroker")
CAPTION = re.compile(r"^(The window|The table|Kind \w+)\b([^\n]*(?:\n[^\n|]+)*):\n\n(\|.*?)\n\n",
                     re.DOTALL | re.MULTILINE)  # fmt: skip


def rows(table: str) -> list[list[str]]:
    """Cells of a table below its head."""
    lines = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return lines[2:]


def importers_of(caption: str, more: str) -> list[str]:
    """Importers that a caption names: sources in backticks, for its kind or those of jobs."""
    named = re.findall(r"`(\w+)`", more)
    kinds = [caption.removeprefix("Kind ")] if caption.startswith("Kind") else JOBS
    return [f"{s}:{k}" for s in named for k in kinds if f"{s}:{k}" in importers]


def shown(default: Any) -> str:
    """A default as the page writes it."""
    if default in (None, "", msgspec.NODEFAULT):
        return "none"
    if isinstance(default, str):
        return f"`{default}`" if "," in default else default
    plain = [int(x) if x == int(x) else x for x in default] if isinstance(default, tuple) else (
        int(default) if isinstance(default, float) and default == int(default) else default
    )  # fmt: skip
    return str(plain)


def default_for(cell: str, importer: str) -> str:
    """What a cell says of one importer: ``24 (dps: 10000, alibaba: 45000)``."""
    first, _, others = cell.partition(" (")
    said = dict(pair.split(": ") for pair in others.rstrip(")").split(", ") if pair)
    source, _, kind = importer.partition(":")
    return said.get(source, said.get(kind, first))


def written() -> dict[str, dict[str, str]]:
    """Default by setting, of every importer, as the page says."""
    found: dict[str, dict[str, str]] = {name: {} for name in importers}
    for caption, more, table in CAPTION.findall(PAGE + "\n\n"):
        named = importers_of(caption, more)
        for importer in named:
            for name, default, unit, meaning in rows(table):
                setting = name.strip("`")
                assert setting not in found[importer], f"{importer}: {setting} stands twice"
                assert unit
                assert meaning
                others = set(re.findall(r"(\w+): ", default.partition(" (")[2]))
                assert others <= {part for one in named for part in one.split(":")}, default
                found[importer][setting] = default_for(default, importer)
    return found


WRITTEN = written()


def mapped(field: Any) -> str:
    return "its columns" if field.default_factory() else "{}"


@pytest.mark.parametrize("name", sorted(importers))
def test_every_setting_of_an_importer_stands_with_its_default(name: str) -> None:
    fields = {
        field.name: shown(field.default) if field.name != "map" else mapped(field)
        for field in msgspec.structs.fields(importers[name])
    }
    assert WRITTEN[name] == fields


def test_every_role_of_a_column_stands_once_per_table() -> None:
    tables = re.findall(r"^\| role \|.*?\n\n", PAGE + "\n", re.DOTALL | re.MULTILINE)
    jobs, speeds = [[row[0].strip("`") for row in rows(table.strip())] for table in tables]
    assert sorted(jobs) == sorted(csv_jobs.ROLES)
    assert sorted(speeds) == sorted(csv_coded.ROLES)
    needed = {row[0].strip("`") for row in rows(tables[0].strip()) if row[2] == "required"}
    assert needed == {
        role for role, words in csv_jobs.ROLES.items() if words.endswith("; required")
    }


def test_every_choice_and_unit_is_named() -> None:
    hints = {field.name: field.type for field in msgspec.structs.fields(importers["csv:gadget"])}
    text = {row.split("`")[1]: row for row in PAGE.splitlines() if row.startswith("| `")}
    for name in ("submit_unit", "duration_unit", "incomplete", "part_of_gpu"):
        for choice in get_args(hints[name]):
            assert re.search(rf"\b{choice}\b", text[name]), (name, choice)
    assert set(get_args(hints["submit_unit"])) == {*csv_jobs.SECONDS, "date"}


@pytest.mark.parametrize(
    ("source", "columns"),
    [
        ("philly", importers["philly:gadget"].fixed_columns),
        ("google", google_jobs.TaskEvent.__struct_fields__),
        ("slurm", importers["slurm:gadget"].fixed_columns),
        ("alibaba", (*alibaba_dps.POD_COLUMNS, *alibaba_dps.NODE_COLUMNS)),
    ],
)
def test_columns_of_public_traces_are_those_that_are_read(source: str, columns: list[str]) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{source}` |")]
    assert sorted(set(re.findall(r"`(\w+)`", row)) - {source}) == sorted(set(columns))
    kinds = row.rstrip("| ").rpartition("| ")[2].split(", ")
    assert sorted(kinds) == sorted(n.partition(":")[2] for n in importers if n.startswith(source))


def test_columns_of_tables_of_prices_are_those_that_are_read() -> None:
    for column in market.COLUMNS:
        assert f"`{column}`" in PAGE


def test_all_sources_are_on_the_page() -> None:
    assert {name.partition(":")[0] for name in importers} == {
        "csv", "slurm", "philly", "google", "alibaba", "gavel",
    }  # fmt: skip
