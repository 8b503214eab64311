"""Tables and progress bars of the command line."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

from farkas.cli.printing import complain, write
from farkas.messages import cleaned

if TYPE_CHECKING:
    from farkas.offline.search import Advance

PIPED_WIDTH = 1000  #: Characters of a line where neither a terminal nor COLUMNS limits them.
SELDOM = 10.0  #: Seconds between two lines about what is running, where no terminal has bars.
LEAST_PROSE = 20  #: Characters below which sentences are not folded into a column.


class Number(str):
    """Text of a number that was rounded to a side; stands right in its column, like a number."""

    __slots__ = ()


_NUMBERS = (int, float, Number, NoneType)


def promised(value: Fraction | float | None, *, up: bool | None, digits: int = 9) -> Number | None:
    """Return the cell of a proved number, rounded to its proved side; ``up`` as of `rounded`."""
    from farkas.certificates.proof import rounded

    return None if value is None else Number(rounded(value, up=up, digits=digits))


def promised_ratio(ratio: float | None) -> Number | None:
    """Return the cell of a certified ratio."""
    from farkas.certificates.ratio import ratio_or_optimal

    return None if ratio is None else Number(ratio_or_optimal(ratio))


def seconds(value: float | None) -> Number | None:
    """Return the cell of a time, with three significant digits.

    >>> seconds(0.0360217), seconds(1.005), seconds(12.34), seconds(1234.5), seconds(0.0)
    ('0.0360', '1.00', '12.3', '1234', '0')
    """
    if value is None:
        return None
    exponent = int(f"{value:.2e}".partition("e")[2])
    return Number(f"{value:.{max(0, 2 - exponent)}f}" if value else "0")


def show(value: Any) -> str:
    """Text of one table cell.

    >>> show(1234.56789), show(None), show(True), show("a")
    ('1234.57', '-', 'yes', 'a')
    """
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def room() -> int:
    """Characters of a line of standard output: a terminal's, else those of COLUMNS, else plenty."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else PIPED_WIDTH


def folded(text: str, width: int, indent: str = "") -> str:
    """Lines of at most ``width`` characters, those after the first indented; words stay whole."""
    return textwrap.fill(
        text, max(width, 1), subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def print_folded(text: str) -> None:
    """Print text of several lines, long ones folded below their begin where room is short."""
    for line in map(cleaned, text.rstrip("\n").split("\n")):
        begin = " " * (len(line) - len(line.lstrip(" ")) + 2)
        write(folded(line, room(), begin) + "\n")


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, spare: Sequence[str] = ()
) -> None:
    """Print a table; numbers stand right, words left, and no word of either is folded.

    ``columns`` are heads; those of words and what they are may be empty.  A narrow terminal may
    lack the columns ``spare``, the first one first; where the others do not fit, every row is a
    list of its cells.
    """
    width = room()
    write(folded(cleaned(title), width) + "\n")
    cells = [[cleaned(show(cell)) for cell in row] for row in rows]
    shown = [
        Column(
            head, [row[k] for row in cells],
            any(columns) and all(isinstance(row[k], _NUMBERS) for row in rows),
        )
        for k, head in enumerate(columns)
    ]  # fmt: skip
    kept, leave = shown, list(spare)
    while leave and not _fit(kept, width):
        kept = [column for column in kept if column.head != leave[0]]
        leave.pop(0)
    if not rows:
        return
    if _fit(kept, width):
        _write_columns(kept, width)
        return
    for row in cells:
        write(f"{row[0]}\n")
        for head, cell in zip(columns[1:], row[1:], strict=True):
            if cell != "-":
                write(folded(f"  {head}: {cell}" if head else f"  {cell}", width, "    ") + "\n")


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """Text of a column of a table."""

    head: str
    cells: Sequence[str]
    right: bool

    @property
    def whole(self) -> int:
        """Places that its longest line takes."""
        return max(map(_size, [self.head, *self.cells]))

    @property
    def least(self) -> int:
        """Places that it needs: its longest word and, of sentences, enough to be read."""
        words = [word for text in [self.head, *self.cells] for word in text.split(" ")]
        prose = max(map(_size, self.cells), default=0)
        return max(*map(_size, words), prose if self.right else min(prose, LEAST_PROSE))


def _size(text: str) -> int:
    """Places that a text takes on a terminal."""
    from rich.cells import cell_len

    return cell_len(text)


def _fit(columns: Sequence[Column], width: int) -> bool:
    return sum(column.least + 2 for column in columns) - 2 <= width


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Give every column its least width, and what is left to those that need most."""
    widths, wanted = [column.least for column in columns], [column.whole for column in columns]
    for _ in range(width - sum(widths) - 2 * (len(widths) - 1)):
        lacking = [whole - places for whole, places in zip(wanted, widths, strict=True)]
        widths[lacking.index(max(lacking))] += max(lacking) > 0
    return widths


def _write_columns(columns: Sequence[Column], width: int) -> None:
    from rich.box import Box
    from rich.console import Console
    from rich.table import Table

    plain = any(column.head for column in columns)
    ruler = Box("    \n    \n -- \n" + 5 * "    \n", ascii=True)
    table = Table(
        box=ruler, show_header=plain, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for column, places in zip(columns, _widths(columns, width), strict=True):
        justify: Literal["right", "left"] = "right" if column.right else "left"
        table.add_column(column.head, justify=justify, width=places)
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    # without styles, marks and colours, which are words of others
    console = Console(width=width, color_system=None, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        console.print(table, crop=False)
    write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


@contextlib.contextmanager
def bars() -> Iterator[Callable[[str, int, int | None], None]]:
    """Named progress bars on standard error of a terminal, elsewhere a line now and then.

    The value is called with the name of a thing, the number of its steps done and their total, None
    where that is not known.  A full bar vanishes.
    """
    if not sys.stderr.isatty():
        told = time.monotonic()

        def tell_seldom(label: str, done: int, total: int | None) -> None:
            nonlocal told
            if done != total and time.monotonic() - told >= SELDOM:
                told = time.monotonic()
                complain(label if total is None else f"{label}: {done} of {total}")

        yield tell_seldom
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress, TaskID

    tasks: dict[str, TaskID] = {}
    with Progress(console=Console(stderr=True), transient=True) as bar:

        def show(label: str, done: int, total: int | None) -> None:
            if label not in tasks:
                tasks[label] = bar.add_task(escape(label), total=total)
            bar.update(tasks[label], completed=done, total=total, visible=done != total)

        yield show


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Progress bar of one thing; the value is called with the number done and the total."""
    with bars() as show:
        show(label, 0, None)
        yield functools.partial(show, label)


def tell(line: str) -> None:
    """Say on standard error of a terminal how a search goes; lines without an end are replaced."""
    if sys.stderr.isatty():
        sys.stderr.write(line)
        sys.stderr.flush()


def told_search(step: Advance) -> None:
    """Say what a search for an optimum has found."""
    up = step.sense == "min"
    value, bound = show(promised(step.value, up=up)), show(promised(step.bound, up=not up))
    tell(f"{seconds(step.seconds)} s: value {value}, bound {bound}: {step.method}\n")


def told_nodes(nodes: int, bound: Fraction | None, value: Fraction | None) -> None:
    """Say what a search of a tree has found."""
    shown = [show(promised(x, up=False)) for x in (bound, value)]
    tell(f"\r{nodes} nodes, bound {shown[0]}, value {shown[1]}   ")


ERASED = "\r\x1b[K"  #: What replaces the last line of `told_nodes`.
