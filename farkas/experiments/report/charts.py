"""Charts over slots, drawn for screens: they scale, follow the colours of the page, and speak."""

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from farkas.experiments.figures import Figure, Series
from farkas.experiments.figures.figure import Numbers
from farkas.experiments.report.svg import Scale, number, path, tag

WIDTH, HEIGHT = 480, 250
LEFT, RIGHT, TOP, BOTTOM = 54, 10, 10, 36
MOST_POINTS = 300
"""Longer series are drawn as means of equally long stretches."""


def line_chart(data: Figure, ident: str, title: str) -> Markup:
    """Draw lines, steps, or bars stacked on each other.

    Parameters
    ----------
    data
        Numbers over numbers; bands where a series has ``low`` and ``high``.
    ident
        Unique on the page.
    title
        Read out by screen readers, with the range of every series.
    """
    series = [thinned(one) for one in data.series]
    stacked = all(one.chart == "bar" for one in series)
    x, y = _scales(series, stacked)
    drawn = [_axes(x, y, str(data.x), str(data.y))]
    floor = np.zeros(max((len(one.x) for one in series), default=0))
    for number_, one in enumerate(series):
        if stacked:
            drawn.append(_bars(one, number_, x, y, floor))
            floor = floor + np.nan_to_num(np.asarray(one.y, dtype=float))
        else:
            drawn.append(_line(one, number_, x, y))
    return speaking(ident, title, _words(data.series), drawn, HEIGHT)


def legend(names: Sequence[str]) -> Markup:
    """List of the series with their colours; nothing for a single one."""
    if len(names) < 2:
        return Markup("")
    items = [
        tag("li", tag("span", class_=f"key c{i % 8}", aria_hidden="true"), name)
        for i, name in enumerate(names)
    ]
    return tag("ul", *items, class_="legend")


def speaking(ident: str, title: str, words: str, drawn: Sequence[Markup], height: float) -> Markup:
    """Drawing with a name and a description for those who cannot see it."""
    label = tag("title", title, id=f"{ident}-title")
    described = tag("desc", words, id=f"{ident}-desc")
    return tag("svg", label, described, *drawn, viewBox=f"0 0 {WIDTH} {height:g}", role="img",
               aria_labelledby=f"{ident}-title {ident}-desc")  # fmt: skip


def _words(series: Sequence[Series]) -> str:
    parts = []
    for one in series:
        values = np.asarray(one.y, dtype=float)
        values = values[np.isfinite(values)]
        if len(values):
            low, high = number(float(values.min())), number(float(values.max()))
            parts.append(f"{one.name}: from {low} to {high}")
    return "; ".join(parts) or "no values"


def thinned(series: Series) -> Series:
    """Means of stretches when there are more points than can be told apart."""
    if len(series.x) <= MOST_POINTS:
        return series
    size = math.ceil(len(series.x) / MOST_POINTS)

    def means(values: Numbers | None) -> list[float] | None:
        if values is None:
            return None
        stretches = np.split(np.asarray(values, dtype=float), range(size, len(values), size))
        return [float(part[np.isfinite(part)].mean()) if np.isfinite(part).any() else math.nan
                for part in stretches]  # fmt: skip

    y = means(series.y)
    assert y is not None
    starts = [float(value) for value in series.x[::size]]
    return Series(series.name, starts, y, means(series.low), means(series.high), series.chart)


def _scales(series: Sequence[Series], stacked: bool) -> tuple[Scale, Scale]:
    places = [float(value) for one in series for value in one.x] or [0.0]
    width = 1.0 if len(set(places)) < 2 else float(np.diff(np.unique(places)).min())
    if stacked:
        heights = np.nansum([np.asarray(one.y, dtype=float) for one in series], axis=0)
        values = np.concatenate([np.zeros(1), heights])
    else:
        parts = [np.asarray(v, dtype=float) for one in series
                 for v in (one.y, one.low, one.high) if v is not None]  # fmt: skip
        values = np.concatenate([np.zeros(1), *parts])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    high = high if high > low else low + 1.0
    x = Scale(min(places), max(places) + width, LEFT, WIDTH - RIGHT)
    return x, Scale(low, high + 0.04 * (high - low), HEIGHT - BOTTOM, TOP)


def _axes(x: Scale, y: Scale, across: str, upwards: str) -> Markup:
    drawn = []
    for value in y.ticks(5):
        at = y(value)
        drawn.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at, class_="grid"))
        drawn.append(tag("text", number(value), x=LEFT - 6, y=at + 3.5, class_="tick end"))
    for value in x.ticks(6):
        if value == int(value):
            words = number(value)
            drawn.append(tag("text", words, x=x(value), y=HEIGHT - BOTTOM + 15, class_="tick mid"))
    bottom = HEIGHT - BOTTOM
    drawn.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=bottom, y2=bottom, class_="axis"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn.append(tag("text", across, x=middle, y=HEIGHT - 4, class_="label mid"))
    centre = (TOP + HEIGHT - BOTTOM) / 2
    drawn.append(tag("text", upwards, transform=f"translate(11 {centre:.0f}) rotate(-90)",
                     class_="label mid"))  # fmt: skip
    return Markup("").join(drawn)


def _bars(series: Series, turn: int, x: Scale, y: Scale, floor: np.ndarray) -> Markup:
    """One closed staircase: thousands of rectangles would slow the page down."""
    heights = floor + np.nan_to_num(np.asarray(series.y, dtype=float))
    edges = [*(float(v) for v in series.x), x.high]
    top = [(x(a), y(h)) for left, right, h in zip(edges[:-1], edges[1:], heights, strict=True)
           for a in (left, right)]  # fmt: skip
    under = [(x(a), y(f)) for left, right, f in zip(edges[:-1], edges[1:], floor, strict=True)
             for a in (left, right)]  # fmt: skip
    outline = path([*top, *reversed(under)]) + "Z"
    return tag("path", tag("title", series.name), d=outline, class_=f"area c{turn % 8}")


def _line(series: Series, turn: int, x: Scale, y: Scale) -> Markup:
    colour = f"c{turn % 8}"
    drawn = []
    if series.low is not None and series.high is not None:
        upper = _points(series, series.high, x, y)
        lower = _points(series, series.low, x, y)
        solid = [p for p in zip(upper, lower, strict=True) if not math.isnan(p[0][1] + p[1][1])]
        around = [p for p, _ in solid] + [p for _, p in reversed(solid)]
        drawn.append(tag("path", d=path(around), class_=f"band {colour}"))
    line = path(_points(series, series.y, x, y))
    name = tag("title", series.name)
    drawn.append(tag("path", name, d=line, class_=f"line {colour} d{turn // 8 % 3}"))
    return Markup("").join(drawn)


def _points(series: Series, values: Numbers, x: Scale, y: Scale) -> list[tuple[float, float]]:
    places = [float(value) for value in series.x]
    if series.chart != "step":
        return [(x(a), y(b)) for a, b in zip(places, values, strict=True)]
    ends = [*places[1:], x.high]
    return [(x(a), y(v)) for start, end, v in zip(places, ends, values, strict=True)
            for a in (start, end)]  # fmt: skip
