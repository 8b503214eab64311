"""Rows as frames of whichever library of frames is installed, else as a list that shows itself."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from farkas.certificates.doubles import nearest
from farkas.plurals import number_of

FRAMES = ("pandas", "polars")
"""Libraries of frames, the first that is installed is taken."""
SHOWN = 10
"""Rows of a list that a console shows."""


class Rows(list[dict[str, Any]]):
    """Rows with the same keys, as a list of dictionaries; a table in a console and a notebook.

    Parameters
    ----------
    rows
        Rows by column.
    columns
        Names of the columns, in their order.
    """

    def __init__(self, rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
        super().__init__({name: row[name] for name in columns} for row in rows)
        self.columns = list(columns)

    def head(self, count: int = 5) -> Rows:
        """Return the first rows."""
        return Rows(self[:count], self.columns)

    def __repr__(self) -> str:
        cells = [[_cell(row[name]) for name in self.columns] for row in self[:SHOWN]]
        widths = [max(map(len, column)) for column in zip(self.columns, *cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in [self.columns, *cells]
        ]
        more = len(self) - SHOWN
        if more > 0:
            left = number_of(more, "rows")
            lines.append(f"{left} more; pandas or polars would make a frame of them")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from farkas.verbs.html_tables import table

        return table(f"{len(self)} rows", self.columns, [[*row.values()] for row in self])


def framed(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> Any:
    """Rows as a frame of the first library of `FRAMES` that is there, else as `Rows`."""
    for library in FRAMES:
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        return frames.DataFrame({name: [row[name] for row in rows] for name in columns})
    return Rows(rows, columns)


def of_point(point: Mapping[str, Fraction | float]) -> Any:
    """Names and values of variables as a frame; a value is the nearest double."""
    rows = [{"variable": name, "value": nearest(value)} for name, value in point.items()]
    return framed(rows, ("variable", "value"))


def _cell(value: object) -> str:
    return "" if value is None else str(value)  # all digits: ratios are not rounded down
