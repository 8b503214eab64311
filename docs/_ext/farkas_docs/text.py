"""Pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
_SPECIAL = re.compile(r"([\\*_\[\]<>$#|{}~])")
# :role:`target` of reStructuredText, as docstrings have it
_ROLE = re.compile(r":[a-z:]+:`~?([^`]+)`")


def escaped(text: str) -> str:
    """Text of a docstring as Markdown: code stays code, everything else stands for itself."""
    parts = _CODE.split(_ROLE.sub(r"``\1``", text))
    return "".join(
        part if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def cell(text: str) -> str:
    """One table cell."""
    return escaped(" ".join(text.split())) or "–"


def code_cell(text: str) -> str:
    """One table cell in code, or a dash."""
    return f"`{text}`" if text else "–"


def anchor(name: str) -> str:
    """Label of a name, as links to it have it."""
    return name.replace(".", "-").replace("_", "-")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown table; cells are Markdown already."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def fence(content: str, language: str = "text") -> str:
    """Code block, with a fence longer than any inside."""
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", content)), default=0))
    return f"{ticks}{language}\n{content.rstrip()}\n{ticks}"


def page(title: str, *parts: str) -> str:
    """Page with its title."""
    return "\n\n".join([f"# {title}", *(p.strip("\n") for p in parts if p)]) + "\n"
