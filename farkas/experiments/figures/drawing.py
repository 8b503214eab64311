"""Drawing of figures and tables with matplotlib."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from farkas.certificates.ratio import ratio_or_optimal
from farkas.experiments.figures.exhibit import Cell, Figure, PaperValue, Places, Series, Table
from farkas.experiments.style import DASHES, PUBLISHED, QUIET, blank, looks, styled

WIDTH = 7.0  #: Inches.
PLOT_HEIGHT = 3.9
CAPTION_LETTERS = 124
CAPTION_LINE = 0.155
MOST_TICKS = 10  #: Up to so many measured places carry a tick each; more would collide.
MOST_MARKERS = 40  #: Longer lines carry a marker at a few of their places only.
FEW_MARKERS = 8
HEAD_LETTERS = 13
BOLD = 1.2  #: Width of a letter in the head of a table, over that of others.
#: Entries of a legend beside the plot are wrapped, so that they leave room for it.
LEGEND_LETTERS = 28
SAME = 0.01  #: Share of the height of a plot within which two lines look like one.
ARROW = 0.14  #: Share of the height that arrows take, which stand for infinite numbers.
APART = 0.14  #: Places between arrows of different series at the same place.
BARS = 0.8  #: Share of the distance between two categories that bars fill.
ROW = 0.27  #: Inches a row.


def draw(data: Figure | Table, title: str, caption: str) -> Any:
    """Draw a figure or table, with its caption below, as a ``matplotlib.figure.Figure``."""
    lines = textwrap.wrap(caption, CAPTION_LETTERS)
    space = CAPTION_LINE * (len(lines) + 1)
    height = _plot_height(data) if isinstance(data, Figure) else _table_height(data)
    with styled():
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        share = space / (height + space)
        engine = ConstrainedLayoutEngine(rect=(0, share, 1, 1 - share))
        canvas = blank(WIDTH, height + space, layout=engine)
        axes = canvas.add_subplot()
        axes.set_title(title)
        if isinstance(data, Figure):
            draw_axes(axes, data)
        else:
            _table(axes, data)
        canvas.text(0.012, share * 0.92, "\n".join(lines), fontsize=7.6, color=QUIET,
                    va="top", linespacing=1.35)  # fmt: skip
        canvas.draw_without_rendering()
    return canvas


def draw_axes(axes: Any, data: Figure) -> None:
    """Draw a figure into axes; what is infinite is an arrow."""
    if data.series and data.series[0].chart == "row":
        _rows(axes, data)
        return
    categories = _categories(data)
    bars = [series for series in data.series if series.chart == "bar"]
    count = len(data.series)
    for turn, (series, look) in enumerate(zip(data.series, looks(count), strict=True)):
        place = np.array(_places(series.x, categories), dtype=float)
        if series.chart == "bar":
            _bar(axes, series, place, look, bars.index(series), len(bars))
        else:
            covers = series.chart != "scatter" and _covers(data.series, turn)
            _curve(axes, series, place, look, turn, count, covers)
    for number, published in enumerate(data.published):
        _published(axes, published, categories, number)
    _scale(axes, data, categories)
    _arrows(axes, data, categories)
    names = [*(one.name for one in data.series), *(_label(one) for one in data.published)]
    if len(names) > 1:
        _legend(axes, names)


def _covers(every: Sequence[Series], turn: int) -> bool:
    """Whether a line runs where one of those before it does, as far as one can see."""
    line = np.asarray(every[turn].y, dtype=float)
    span = np.ptp([y for series in every for y in series.y if math.isfinite(y)] or [0.0])
    return any(
        list(other.x) == list(every[turn].x)
        and bool(np.all(np.abs(line - np.asarray(other.y, dtype=float)) <= SAME * span))
        for other in every[:turn]
    )


def _categories(data: Figure) -> list[str] | None:
    """Words of a categorical horizontal axis in order of appearance; None when it has numbers."""
    if not any(series.categorical for series in data.series):
        return None
    published = [p.x for p in data.published if p.x is not None]
    every = [*(series.x for series in data.series), *published]
    return list(dict.fromkeys(str(word) for words in every for word in words))


def _places(x: Places, categories: list[str] | None) -> list[float]:
    if categories is None:
        return [float(value) for value in x]
    return [float(categories.index(str(word))) for word in x]


def _bar(
    axes: Any, series: Series, place: Any, look: dict[str, str], turn: int, count: int
) -> None:
    distance = float(np.min(np.diff(np.unique(place)))) if len(np.unique(place)) > 1 else 1.0
    width = BARS * distance / count
    middle = place + (turn - (count - 1) / 2) * width
    axes.bar(middle, series.y, width * 0.94, color=look["color"], label=series.name)
    _interval(axes, series, middle, PUBLISHED)


def _curve(
    axes: Any, series: Series, place: Any, look: dict[str, str], turn: int, count: int, covers: bool
) -> None:
    if series.chart == "scatter":
        axes.plot(place, series.y, look["marker"], color=look["color"], label=series.name)
        _interval(axes, series, place, look["color"])
        return
    style: dict[str, Any] = dict(look)
    if covers:  # the line below shows through
        style |= {"linestyle": (0, (2, 2)), "markerfacecolor": "none", "markersize": 7.0}
    if len(place) > MOST_MARKERS:  # lines that coincide show each other's markers
        apart = len(place) // FEW_MARKERS
        style["markevery"] = (turn * apart // count, apart)
    if series.chart == "step":
        style |= {"drawstyle": "steps-post", "marker": ""}
    axes.plot(place, series.y, label=series.name, **style)
    if series.low is not None:
        step = "post" if series.chart == "step" else None
        axes.fill_between(place, series.low, series.high, color=look["color"], alpha=0.16,
                          linewidth=0, step=step)  # fmt: skip


def _plot_height(data: Figure) -> float:
    rows = [series for series in data.series if series.chart == "row"]
    return 1.0 + ROW * len(rows[0].x) if rows else PLOT_HEIGHT


def _rows(axes: Any, data: Figure) -> None:
    """Draw ratios as horizontal bars from 1, the first on top; infinite ones take all the width."""
    (series,) = data.series
    y = [float(value) for value in series.y]
    finite = [value for value in y if math.isfinite(value)]
    if data.y.log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    most = max(finite, default=1.0)
    end = 1.0 + 1.18 * (most - 1.0) if most > 1.0 else 2.0
    axes.set_xlim(1.0, end)
    places = range(len(y))
    lengths = [min(value, end) - 1.0 for value in y]
    axes.barh(places, lengths, BARS, left=1.0, color=looks(1)[0]["color"])
    for place, value in enumerate(y):
        beyond = math.isinf(value)
        axes.text(
            end if beyond else value, place,
            " unbounded " if beyond else f" {ratio_or_optimal(value)}",
            color="white" if beyond else "black", ha="right" if beyond else "left", va="center",
            fontsize=7.6,
        )  # fmt: skip
    axes.set_yticks(places, [str(name) for name in series.x])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(str(data.y))


def _interval(axes: Any, series: Series, place: Any, colour: str) -> None:
    if series.low is None or series.high is None:
        return
    middle = np.asarray(series.y, dtype=float)
    # a mean may lie a rounding error outside its own range
    below = np.maximum(middle - np.asarray(series.low, dtype=float), 0.0)
    above = np.maximum(np.asarray(series.high, dtype=float) - middle, 0.0)
    axes.errorbar(place, middle, [below, above], fmt="none", ecolor=colour, elinewidth=1.1,
                  capsize=2.5)  # fmt: skip


def _published(axes: Any, published: PaperValue, categories: list[str] | None, number: int) -> None:
    label = _label(published)
    if published.x is None:
        axes.axhline(published.y, color=PUBLISHED, linestyle=DASHES[1 + number % 3], linewidth=1.2,
                     label=label)  # fmt: skip
        return
    place = _places(published.x, categories)
    face = ("none", "#bbbbbb")[number % 2]
    axes.plot(place, published.y, "Dvp^"[number % 4], markerfacecolor=face, label=label,
              markeredgecolor=PUBLISHED, markersize=6.5, zorder=5)  # fmt: skip


def _scale(axes: Any, data: Figure, categories: list[str] | None) -> None:
    axes.set_xlabel(str(data.x))
    axes.set_ylabel(str(data.y))
    if categories is not None:
        turned = sum(map(len, categories)) > 70
        axes.set_xticks(range(len(categories)), categories, rotation=25 if turned else 0,
                        ha="right" if turned else "center")  # fmt: skip
        axes.grid(visible=False, axis="x")
    elif data.x.log:
        axes.set_xscale("log")
    else:
        measured = sorted({float(value) for series in data.series for value in series.x})
        if len(measured) <= MOST_TICKS:
            axes.set_xticks(measured, [f"{value:g}" for value in measured])
    if data.y.log:
        axes.set_yscale("log")
    for axis in [axes.xaxis] * data.x.log + [axes.yaxis] * data.y.log:
        axis.set_major_formatter("{x:g}")  # powers would be formulas, which are not set


def _arrows(axes: Any, data: Figure, categories: list[str] | None) -> None:
    """Point upwards, beyond all other numbers, where a single measurement is infinite."""
    every = [
        (turn, series, [x for x, y in zip(place, series.y, strict=True) if y == math.inf])
        for turn, series in enumerate(data.series)
        if series.chart == "scatter"
        for place in [_places(series.x, categories)]
    ]
    if not any(places for _, _, places in every):
        return
    if not any(math.isfinite(y) for series in data.series for y in series.y):
        axes.set_ylim(1.0, 10.0)
    axes.margins(y=ARROW)
    inside = axes.get_ylim()
    axes.set_ylim(inside)
    shares = axes.get_xaxis_transform()  # numbers across, shares of the height upwards
    colours = looks(len(data.series))
    for turn, _, places in every:
        apart = (turn - (len(every) - 1) / 2) * APART
        for place in places:
            axes.annotate("", (place + apart, 1.0), (place + apart, 1.0 - ARROW), xycoords=shares,
                          textcoords=shares, annotation_clip=False,
                          arrowprops={"arrowstyle": "-|>", "linewidth": 1.6, "shrinkA": 0,
                                      "shrinkB": 0, "color": colours[turn]["color"]})  # fmt: skip


def _label(published: PaperValue) -> str:
    return f"published: {published.name}"


def _legend(axes: Any, names: list[str]) -> None:
    """Beside the plot when long, above it when short: it never hides data."""
    found = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    handles = [found[name] for name in names]
    if len(names) <= 4:
        axes.legend(handles, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2,
                    borderaxespad=0.1, columnspacing=1.2)  # fmt: skip
        axes.set_title(axes.get_title(loc="left"), pad=8 + 13 * math.ceil(len(names) / 2))
        return
    wrapped = [textwrap.fill(name.replace("Fig. ", "Fig.\N{NO-BREAK SPACE}"), LEGEND_LETTERS)
               for name in names]  # fmt: skip
    axes.legend(handles, wrapped, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


def _table_height(data: Table) -> float:
    return 0.75 + 0.27 * (1 + len(data.rows) + len(data.published))


def _table(axes: Any, data: Table) -> None:
    axes.axis("off")
    columns = [column_texts(cells) for cells in zip(*data.rows, *data.published, strict=True)]
    first = [f"published: {text}" if row >= len(data.rows) else text
             for row, text in enumerate(columns[0])]  # fmt: skip
    texts = list(zip(first, *columns[1:], strict=True))
    head = [textwrap.fill(str(column), HEAD_LETTERS) for column in data.columns]
    widths = [max(BOLD * max(map(len, h.split("\n"))), *(len(row[place]) for row in texts)) + 2
              for place, h in enumerate(head)]  # fmt: skip
    shares = [width / sum(widths) for width in widths]
    drawn = axes.table(texts, colLabels=head, colWidths=shares, loc="upper left", cellLoc="right",
                       edges="horizontal")  # fmt: skip
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(8.0)
    drawn.scale(1.0, 1.35)
    for (row, column), cell in drawn.get_celld().items():
        cell.set_edgecolor("#d1d5db")
        if row == 0:
            cell.set_text_props(weight="bold")
            cell.set_height(cell.get_height() * (1 + max(h.count("\n") for h in head)) * 0.9)
        if column == 0:
            cell.set_text_props(ha="left")
        if row > len(data.rows):
            cell.set_text_props(style="italic", color=QUIET)


def column_texts(cells: Sequence[Cell]) -> list[str]:
    """Texts of a column, its numbers with the same digits after the point: five in all, or fewer.

    >>> column_texts([9185.6, 852.78, None, 44.0])
    ['9,185.6', '852.8', '–', '44.0']
    >>> column_texts([0.85, 0.9123]), column_texts([5.0])
    (['0.8500', '0.9123'], ['5'])
    """
    texts = [cell_text(cell) for cell in cells]
    numbers = [cell for cell in cells if isinstance(cell, float) and math.isfinite(cell)]
    if not numbers:
        return texts
    before = len(str(int(max(map(abs, numbers)))))
    after = max(len(f"{cell:.5g}".partition(".")[2]) for cell in numbers)
    places = max(0, min(after, 5 - before))
    return [
        f"{cell:,.{places}f}" if isinstance(cell, float) and math.isfinite(cell) else text
        for cell, text in zip(cells, texts, strict=True)
    ]


def cell_text(cell: Cell) -> str:
    """Text of a cell.

    >>> [cell_text(value) for value in (None, True, 3, 1018.34567, float("nan"), "Local")]
    ['–', 'yes', '3', '1018.3', '–', 'Local']
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "–"
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.5g}" if abs(cell) < 1e4 else f"{cell:,.0f}"
    return str(cell)
