"""Tables and progress bars of the command line."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from types import NoneType
from typing import TYPE_CHECKING, Any

from farkas.cli.layout import folded, laid_out, room
from farkas.cli.output import write
from farkas.words import cleaned

if TYPE_CHECKING:
    from farkas.offline.climbing import Advance


class Number(str):
    """Text of a number that was rounded to a side; stands right in its column, like a number."""

    __slots__ = ()


_NUMBERS = (int, float, Number, NoneType)


def promised(value: Fraction | float | None, *, up: bool, digits: int = 9) -> Number | None:
    """Return the cell of a proved number, rounded to its proved side."""
    from farkas.certificates.proof import rounded

    return None if value is None else Number(rounded(value, up=up, digits=digits))


def promised_ratio(ratio: float | None) -> Number | None:
    """Return the cell of a certified ratio."""
    from farkas.certificates.ratio import ratio_words

    return None if ratio is None else Number(ratio_words(ratio))


def seconds(value: float | None) -> Number | None:
    """Return the cell of a time, with three significant digits.

    >>> seconds(0.0360217), seconds(1.005), seconds(12.34), seconds(1234.5), seconds(0.0)
    ('0.0360', '1.00', '12.3', '1234', '0')
    """
    if value is None:
        return None
    exponent = int(f"{value:.2e}".partition("e")[2])
    return Number(f"{value:.{max(0, 2 - exponent)}f}" if value else "0")


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, spare: Sequence[str] = ()
) -> None:
    """Print a table; numbers stand right, words left.

    Parameters
    ----------
    spare
        Heads of columns that a narrow terminal may lack, the first one first; see `laid_out`.
    """
    right = [
        bool(rows) and any(columns) and all(isinstance(row[place], _NUMBERS) for row in rows)
        for place in range(len(columns))
    ]
    cells = [[cleaned(show(cell)) for cell in row] for row in rows]
    width = room()
    lines = [*folded(cleaned(title), width), *laid_out(columns, cells, right, width, spare)]
    write("".join(f"{line}\n" for line in lines))


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


@contextlib.contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Progress bar on standard error of a terminal; elsewhere nothing.

    The value is called with the number done and the total.
    """
    with _bars() as show:
        show(label, 0, None)
        yield lambda done, total: show(label, done, total)


@contextlib.contextmanager
def progress_of_many(label: str, count: int) -> Iterator[Callable[[str, int, int], None]]:
    """Progress bars of ``count`` things: one over all, and one for each that is under way.

    The value is called with the name of a thing, the number of its steps done and their total.
    """
    done: set[str] = set()
    with _bars() as show:
        show(label, 0, count)

        def report(name: str, steps: int, total: int) -> None:
            show(name, steps, total)
            if steps == total:
                done.add(name)
                show(label, len(done), count)

        yield report


@contextlib.contextmanager
def progress_of_runs(
    label: str,
) -> Iterator[tuple[Callable[[int, int], None], Callable[[str, int, int], None]]]:
    """Progress bars over runs, and of the run under way.

    The values are called with the number of runs done and their total, and with the name of a run,
    the number of its steps done and their total.
    """
    with _bars() as show:
        show(label, 0, None)
        yield lambda done, total: show(label, done, total), show


def searching() -> Callable[[Advance], None] | None:
    """Return what says on standard error that a search moved; None without a terminal."""
    if not sys.stderr.isatty():
        return None
    from farkas.certificates.proof import rounded

    def told(step: Advance) -> None:
        up = step.sense == "min"
        value = "-" if step.value is None else rounded(step.value, up=up)
        bound = "-" if step.bound is None else rounded(step.bound, up=not up)
        sys.stderr.write(
            f"{seconds(step.seconds)} s: value {value}, bound {bound}: {step.method}\n"
        )
        sys.stderr.flush()

    return told


@contextlib.contextmanager
def _bars() -> Iterator[Callable[[str, int, int | None], None]]:
    """Named bars on standard error of a terminal; a full one vanishes."""
    if not sys.stderr.isatty():
        yield lambda label, done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def show(label: str, done: int, total: int | None) -> None:
        if label not in tasks:
            tasks[label] = bar.add_task(label, total=total)
        bar.update(tasks[label], completed=done, total=total, visible=done != total)

    with bar:
        yield show
