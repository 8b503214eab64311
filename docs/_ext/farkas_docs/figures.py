"""What every figure shows at the full preset: the record of ``tests/recorded/figures.py``.

Part of the page of a kind, ``listings/<kind>_figures``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from farkas.experiments.figures import Exhibit, of_kind
from farkas.instances.files import own_kinds
from farkas_docs.text import cell, table

PATH = Path(__file__).resolve().parents[2] / "ledger" / "figures.json"
#: Captions of pictures, with the sizes that were run.
MADE = PATH.with_name("gallery.json")


def pages() -> Iterator[tuple[str, str]]:
    """One listing a kind."""
    kept, made = json.loads(PATH.read_text()), json.loads(MADE.read_text())
    runs = {name: one["caption"] for name, one in made.items() if one["preset"] == "full"}
    for kind in own_kinds():
        rows = [
            [label(one), *row(one, kept.get(one.name)), cell(runs.get(one.name, ""))]
            for one in of_kind(kind)
        ]
        yield (
            f"listings/{kind}_figures",
            table(["figure", "shows", "standing", "print", "repaired and ours", "run"], rows)
            + "\n",
        )


def label(exhibit: Exhibit) -> str:
    """Name of a figure as the papers write it."""
    return exhibit.label.replace("figure", "Fig. ").replace("table", "Table ")


def row(exhibit: Exhibit, said: Mapping[str, Any] | None) -> list[str]:
    """Title, standing, and with their numbers what the print says and what is ours to say."""
    if exhibit.build is None:
        return [cell(exhibit.title), str(exhibit.agreement), cell(exhibit.reason), ""]
    if said is None:
        return [cell(exhibit.title), str(exhibit.agreement), "recorded by `make figures`", ""]
    ours = [finding for finding in said["findings"] if finding["about"] == "ours"]
    printed = [finding for finding in said["findings"] if finding["about"] != "ours"]
    found = (cell("; ".join(map(_words, some))) for some in (printed, ours))
    return [cell(exhibit.title), said["standing"], *found]


def _words(finding: Mapping[str, Any]) -> str:
    note = f" ({finding['note']})" if finding["note"] else ""
    return f"{finding['statement']}: {'yes' if finding['holds'] else 'no'}{note}"
