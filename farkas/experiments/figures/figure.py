"""Plain data of a figure or table: what is drawn, what was published, what is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from farkas.numbers import Array

Chart = Literal["line", "step", "scatter", "bar"]
About = Literal["shape", "value", "ours"]
Cell = str | int | float | bool | None
Numbers = Sequence[float] | Array
Places = Sequence[float] | Sequence[str] | Array


@dataclasses.dataclass(frozen=True, slots=True)
class PlotAxis:
    """Title and scale of an axis, or head of a column.

    Parameters
    ----------
    title
        What is shown, without the unit.
    unit
        For example ``"USD"``; empty when there is none.
    log
        Whether the scale is logarithmic.
    """

    title: str
    unit: str = ""
    log: bool = False

    def __str__(self) -> str:
        return f"{self.title} [{self.unit}]" if self.unit else self.title


@dataclasses.dataclass(frozen=True, slots=True)
class Series:
    """One line, staircase, cloud or group of bars.

    Parameters
    ----------
    name
        Entry of the legend.
    x
        Numbers, or words for categories; shape (points,).
    y
        Numbers, NaN where nothing was computed; shape (points,).
    low, high
        Ends of the 95 % interval around a mean ``y``, shape (points,), or None; see
        `farkas.experiments.figures.lines.mean_series`.
    chart
        ``line``, ``step`` (constant until the next x), ``scatter`` or ``bar``.

    Raises
    ------
    ValueError
        When the lengths differ.
    """

    name: str
    x: Places
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    chart: Chart = "line"

    def __post_init__(self) -> None:
        for field in ("x", "y", "low", "high"):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, _plain(value))
        if (self.low is None) != (self.high is None):
            raise ValueError(f"series {self.name!r}: give both low and high, or neither")
        lengths = {len(v) for v in (self.x, self.y, self.low, self.high) if v is not None}
        if len(lengths) != 1:
            raise ValueError(f"series {self.name!r}: x, y, low and high differ in length")

    @property
    def categorical(self) -> bool:
        return any(isinstance(value, str) for value in self.x)


@dataclasses.dataclass(frozen=True, slots=True)
class Printed:
    """What the paper prints, drawn over our data.

    Parameters
    ----------
    name
        What it is and where it stands, for example ``"0.98 quantile (Fig. 2)"``.
    y
        One number (a horizontal line), or one per ``x``.
    x
        Where the numbers belong; None for a horizontal line.
    """

    name: str
    y: float | Numbers
    x: Places | None = None

    def __post_init__(self) -> None:
        if self.x is None:
            object.__setattr__(self, "y", float(self.y))  # type: ignore[arg-type]
            return
        object.__setattr__(self, "x", _plain(self.x))
        object.__setattr__(self, "y", _plain(self.y))  # type: ignore[arg-type]
        if len(self.x) != len(self.y):  # type: ignore[arg-type]
            raise ValueError(f"published {self.name!r}: x and y differ in length")


@dataclasses.dataclass(frozen=True, slots=True)
class Statement:
    """A statement about the figure, and whether this run's data shows it.

    Parameters
    ----------
    statement
        For example ``"falls with the number of jobs"``.
    holds
        Computed from the data.
    note
        The numbers behind it.
    about
        What the paper says of the ``shape`` (an order, a trend), a ``value`` that it prints, or a
        remark of ``ours``, which says nothing about the print.
    """

    statement: str
    holds: bool
    note: str = ""
    about: About = "shape"

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.statement}: {'yes' if self.holds else 'no'}{note}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Data of a figure.

    Parameters
    ----------
    x, y
        The axes.
    series
        What was computed.
    published
        What the paper prints.
    findings
        The paper's statements, checked on this run.
    caption
        Sentences on how it was computed: instances, number of seeds, what the intervals are.
    """

    x: PlotAxis
    y: PlotAxis
    series: Sequence[Series]
    published: Sequence[Printed] = ()
    findings: Sequence[Statement] = ()
    caption: str = ""

    def __post_init__(self) -> None:
        names = [s.name for s in self.series]
        if len(set(names)) != len(names):
            raise ValueError(f"two series share a name: {names}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Data of a table.

    Parameters
    ----------
    columns
        Heads with units.
    rows
        What was computed, one cell a column.
    published
        The paper's rows, with the same columns; None where it prints nothing.
    findings, caption
        As in `Figure`.

    Raises
    ------
    ValueError
        When a row does not have one cell per column.
    """

    columns: Sequence[PlotAxis]
    rows: Sequence[Sequence[Cell]]
    published: Sequence[Sequence[Cell]] = ()
    findings: Sequence[Statement] = ()
    caption: str = ""

    def __post_init__(self) -> None:
        for row in (*self.rows, *self.published):
            if len(row) != len(self.columns):
                raise ValueError(f"row {list(row)} needs {len(self.columns)} cells")


def _plain(values: Iterable[Any]) -> list[Any]:
    """Python numbers or strings instead of numpy scalars, NaN kept."""
    return list(np.asarray(values).tolist())
