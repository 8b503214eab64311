"""What a printed table says, cell by cell."""

from __future__ import annotations

import re


def cells(text: str) -> list[list[str]]:
    """Cells of every line; they stand two blanks apart, and nothing in a cell does."""
    return [re.split(r"  +", line.strip()) for line in text.splitlines() if line.strip()]


def rows(text: str) -> list[list[str]]:
    """Cells of the lines below the line under the heads, down to a line that is no row."""
    found = cells(text)
    ruler = next(n for n, line in enumerate(found) if set("".join(line)) == {"-"})
    below = []
    for line in found[ruler + 1 :]:
        if len(line) != len(found[ruler - 1]):
            break
        below.append(line)
    return below


def pairs(text: str) -> dict[str, str]:
    """What stands behind each word of a table of two columns."""
    return {line[0]: line[1] for line in cells(text) if len(line) == 2}
