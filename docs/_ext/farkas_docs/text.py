"""Pieces of Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence

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


# Heads of numpydoc; left alone, Markdown would read them as titles of chapters.
_SECTION = re.compile(
    r"^(Attributes|Examples|Notes|Parameters|Raises|References|Returns|Warns|Yields)\n-{3,}\n",
    re.MULTILINE,
)


def sections(doc: str) -> tuple[str, dict[str, dict[str, str]]]:
    r"""Split a docstring into what it says and its sections: entry to meaning.

    >>> sections("Sorts.\n\nParameters\n----------\nup, down\n    Which\n    way.\n")
    ('Sorts.', {'Parameters': {'up': 'Which way.', 'down': 'Which way.'}})
    """
    first, *rest = _SECTION.split(inspect.cleandoc(doc) + "\n")
    return first.strip(), {
        title: dict(_entries(body)) for title, body in zip(rest[::2], rest[1::2], strict=True)
    }


def _entries(body: str) -> Iterator[tuple[str, str]]:
    """Entries of a section; one without a meaning is a sentence."""
    for block in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, meaning = block.partition("\n")
        words = " ".join(meaning.split())
        yield from ((name, words) for name in (head.split(", ") if words else [head]))


def docstring(doc: str) -> str:
    """Docstring as Markdown, its sections as lists under a word in bold."""
    text, found = sections(doc)
    parts = [escaped(text)]
    for title, entries in found.items():
        lines = [f"- `{name}`: {escaped(words)}" if words else f"- {escaped(name)}"
                 for name, words in entries.items()]  # fmt: skip
        parts.append(f"**{title}**\n\n" + "\n".join(lines))
    return "\n\n".join(part for part in parts if part)


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
