"""Where the cells of a table stand: in columns where these fit, else one below the other.

Names and numbers are never folded; only words part.
"""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence

PIPED_WIDTH = 1000
"""Characters of a line where neither a terminal nor COLUMNS limits them."""
LEAST_PROSE = 24
"""Characters below which sentences are not folded into a column."""
GAP = "  "
NOTE = "note"
"""A column of this name goes below the table where it does not fit."""

Row = Sequence[str]


def room() -> int:
    """Characters of a line of standard output: a terminal's, else those of COLUMNS, else plenty."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else PIPED_WIDTH


def laid_out(
    columns: Row, rows: Sequence[Row], right: Sequence[bool], width: int, spare: Sequence[str] = ()
) -> list[str]:
    r"""Lines of a table.

    Parameters
    ----------
    columns
        Heads; without any there is no line for them.
    rows
        Cells; ``-`` is an empty one.
    right
        Whether each column stands right.
    width
        Characters of a line.
    spare
        Heads of columns that may be left out where there is no room, the first one first.

    >>> print("\n".join(laid_out(["name", "n"], [["a", "1"], ["bc", "10"]], [False, True], 80)))
    name   n
    ----  --
    a      1
    bc    10
    >>> print("\n".join(laid_out(["name", "n"], [["a-long-name", "1"]], [False, True], 12)))
    a-long-name
      n  1
    """
    shown, below = list(range(len(columns))), []
    leave = [columns.index(head) for head in spare if head in columns]
    if NOTE in columns and not _fits(columns, rows, right, width, shown):
        below = [columns.index(NOTE)]
        shown.remove(below[0])
    while not _fits(columns, rows, right, width, shown):
        if not leave:
            return [line for row in rows for line in _stacked(columns, row, width)]
        shown.remove(leave.pop(0))
    lines = list(_table(columns, rows, right, width, shown))
    for row in rows:
        for place in below:
            if row[place] != "-":
                lines += folded(f"{row[0]}: {row[place]}", width, indent="  ")
    return lines


def folded(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most ``width`` characters, those after the first indented; words stay whole."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if size(longer) > width and lines[-1].strip():
            longer = indent + word
            lines.append("")
        lines[-1] = longer
    return lines


def size(text: str) -> int:
    """Places that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 for letter in text)


def _fits(
    columns: Row, rows: Sequence[Row], right: Sequence[bool], width: int, shown: Sequence[int]
) -> bool:
    least = [_least(columns[c], [row[c] for row in rows], right[c]) for c in shown]
    return sum(least) + len(GAP) * (len(shown) - 1) <= width


def _least(head: str, cells: Row, right: bool) -> int:
    """Places that a column needs: its longest word and, of sentences, enough to be read."""
    longest = max((size(word) for text in [head, *cells] for word in text.split(" ")), default=0)
    whole = max(map(size, cells), default=0)
    return max(longest, whole if right else min(whole, LEAST_PROSE))


def _table(
    columns: Row, rows: Sequence[Row], right: Sequence[bool], width: int, shown: Sequence[int]
) -> Iterator[str]:
    cells = {c: [row[c] for row in rows] for c in shown}
    widths = {c: _least(columns[c], cells[c], right[c]) for c in shown}
    wanted = {c: max(map(size, [columns[c], *cells[c]])) for c in shown}
    spent = sum(widths.values()) + len(GAP) * (len(shown) - 1)
    for _ in range(width - spent):
        lacking = {c: wanted[c] - widths[c] for c in shown if wanted[c] > widths[c]}
        if not lacking:
            break
        widths[max(lacking, key=lambda c: lacking[c])] += 1
    if any(columns):
        yield from _lines([columns[c] for c in shown], shown, widths, right, bottom=True)
        yield GAP.join("-" * widths[c] for c in shown)
    for row in rows:
        yield from _lines([row[c] for c in shown], shown, widths, right)


def _lines(
    cells: Row,
    shown: Sequence[int],
    widths: dict[int, int],
    right: Sequence[bool],
    bottom: bool = False,
) -> Iterator[str]:
    parts = [folded(cell, widths[c]) for cell, c in zip(cells, shown, strict=True)]
    height = max(map(len, parts))
    for part in parts:
        missing = [""] * (height - len(part))
        part[:] = [*missing, *part] if bottom else [*part, *missing]
    for line in zip(*parts, strict=True):
        yield GAP.join(
            _padded(text, widths[c], right[c]) for text, c in zip(line, shown, strict=True)
        ).rstrip()


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - size(text))
    return blanks + text if right else text + blanks


def _stacked(columns: Row, row: Row, width: int) -> Iterator[str]:
    yield row[0]
    heads = max(map(size, columns[1:]), default=0)
    for head, cell in zip(columns[1:], row[1:], strict=True):
        if cell != "-":
            label = GAP + (_padded(head, heads, right=False) + GAP if heads else "")
            for line in folded(cell, width - size(label)):
                yield label + line
                label = " " * size(label)
