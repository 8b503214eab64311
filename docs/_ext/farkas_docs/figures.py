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


def pages() -> Iterator[tuple[str, str]]:
    """One listing a kind."""
    kept = json.loads(PATH.read_text())
    for kind in own_kinds():
        rows = [[label(one), *row(one, kept.get(one.name))] for one in of_kind(kind)]
        yield (
            f"listings/{kind}_figures",
            table(["figure", "shows", "standing", "finds"], rows) + "\n",
        )


def label(exhibit: Exhibit) -> str:
    """Name of a figure as the papers write it."""
    return exhibit.label.replace("figure", "Fig. ").replace("table", "Table ")


def row(exhibit: Exhibit, said: Mapping[str, Any] | None) -> list[str]:
    """Title, standing, and findings of a figure with the numbers behind them."""
    if exhibit.build is None:
        return [cell(exhibit.title), str(exhibit.agreement), cell(exhibit.reason)]
    if said is None:
        return [cell(exhibit.title), str(exhibit.agreement), "recorded by `make figures`"]
    return [cell(exhibit.title), said["standing"], cell("; ".join(map(_words, said["findings"])))]


def _words(finding: Mapping[str, Any]) -> str:
    note = f" ({finding['note']})" if finding["note"] else ""
    return f"{finding['statement']}: {'yes' if finding['holds'] else 'no'}{note}"
