"""Every figure that farkas draws, with its picture: parts of the page ``gallery``.

The pictures are kept in ``docs/_static/gallery``; ``tests/recorded/gallery.py`` draws them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from farkas.experiments.figures import Exhibit, of_kind
from farkas.instances.files import own_kinds
from farkas_docs.figures import PATH, label
from farkas_docs.text import cell, escaped, fence, table

DOCS = Path(__file__).resolve().parents[2]
PICTURES = DOCS / "_static" / "gallery"
KEPT = DOCS / "ledger" / "gallery.json"
"""How each picture was made."""


def pages() -> Iterator[tuple[str, str]]:
    """One listing a kind: pictures, and what is not drawn and why."""
    kept, said = json.loads(KEPT.read_text()), json.loads(PATH.read_text())
    for kind in own_kinds():
        exhibits = of_kind(kind)
        parts = [_shown(e, kept.get(e.name), said.get(e.name)) for e in exhibits if e.build]
        rows = [[label(e), cell(e.title), cell(e.reason)] for e in exhibits if not e.build]
        if rows:
            parts += [
                f"### Not drawn, of {kind}",
                table(["figure", "shows", "why it is not modelled"], rows),
            ]
        yield f"listings/{kind}_gallery", "\n\n".join(parts) + "\n"


def _shown(exhibit: Exhibit, made: Mapping[str, Any] | None, said: Mapping[str, Any] | None) -> str:
    """Picture of a figure, what it shows, its standing against the print, and its command."""
    name = f"{exhibit.kind}, {label(exhibit)}"
    parts = [f"### {name}: {escaped(exhibit.title)}"]
    if made:
        alt = exhibit.title.replace("[", "(").replace("]", ")")
        parts.append(f"![{name}: {alt}](_static/gallery/{exhibit.name}.png)")
    standing = said["standing"] if said else str(exhibit.agreement)
    if exhibit.method:
        parts.append(escaped(" ".join(exhibit.method.split())))
    parts.append(f"**{standing}** at the full preset: {escaped(_sentence(exhibit.reason))}")
    if made:
        words = f"The picture: {made['preset']} preset, seed {made['seed']}."
        words += f" {made['around']}" if "around" in made else ""
        words += f" {escaped(_sentence(made['caption']))}" if made["caption"] else ""
        parts.append(words)
    if said and said["findings"]:
        lines = [_finding(finding) for finding in said["findings"]]
        parts.append("\n".join([":::{dropdown} What was compared with the print", *lines, ":::"]))
    number = exhibit.label.removeprefix("figure")
    parts.append(fence(f"farkas figure {exhibit.kind} {number} -o figure.png", "bash"))
    return "\n\n".join(parts)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."


def _finding(finding: Mapping[str, Any]) -> str:
    note = f" ({finding['note']})" if finding["note"] else ""
    mark = "holds" if finding["holds"] else "**does not hold**"
    return f"- {escaped(finding['statement'])}: {mark}{escaped(note)}"
