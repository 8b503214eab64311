"""A figure of lines, one of bars, a table, the exhibit they belong to, and data of real ones."""

from __future__ import annotations

import functools
from typing import Any

from farkas.experiments.figures import (
    Agreement,
    Exhibit,
    Figure,
    PaperValue,
    PlotAxis,
    Series,
    Statement,
    Table,
    figures,
    find,
)
from farkas.experiments.figures.exhibit import Preset

NAN = float("nan")


def lines() -> Figure:
    return Figure(
        x=PlotAxis("sites"),
        y=PlotAxis("cost", "USD"),
        series=[
            Series("ours", x=[1, 2, 4], y=[3.0, NAN, 1.5], low=[2.5, NAN, 1.0], high=[4, NAN, 2]),
            Series("steps", x=[1, 2, 4], y=[1.0, 2.0, 3.0], chart="step"),
            Series("dots", x=[1, 2], y=[1.0, 2.0], chart="scatter"),
        ],
        published=[PaperValue("bound", y=2.5), PaperValue("points", x=[1, 4], y=[2.9, 1.4])],
        findings=[
            Statement("falls", True, "3 to 1.5"),
            Statement("below 2.5", False, about="value"),
        ],
        caption="One seed.",
    )


def bars() -> Figure:
    names = ["A", "B"]
    series = [Series(s, x=names, y=[1.0, 2.0], chart="bar") for s in ("first", "second")]
    published = [PaperValue("print", x=["B"], y=[2.1])]
    return Figure(x=PlotAxis("algorithm"), y=PlotAxis("cost", log=True), series=series,
                  published=published)  # fmt: skip


def rows() -> Table:
    columns = [PlotAxis("algorithm"), PlotAxis("total", "USD")]
    return Table(columns=columns, rows=[["A", 1.5]], published=[["A", 1.4], ["B", None]])


def exhibit(data=None, agreement=Agreement.TREND) -> Exhibit:
    build = None if data is None else lambda preset, seed: data
    return Exhibit(kind="mlbroker", label="figure5", title="Cost & load", source="Paper Fig. 5",
                   agreement=agreement, reason="prices are drawn", method="By hand.",
                   build=build)  # fmt: skip


def reduced(kind: str, number: str, seed: int = 0, instances: int = 2) -> Any:
    """Data of a figure or table at the reduced preset, computed once."""
    return _reduced(find(kind, number).name, seed, instances)


@functools.cache
def _reduced(name: str, seed: int, instances: int) -> Figure | Table:
    return figures[name].data(Preset("reduced", instances), seed=seed)


def findings(kind: str, number: str) -> dict[str, bool]:
    """Whether each statement of the paper holds at the reduced preset."""
    return {finding.statement: finding.holds for finding in reduced(kind, number).findings}
