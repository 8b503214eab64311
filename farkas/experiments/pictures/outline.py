"""What an instance looks like: jobs over time, what its sites have, how they are joined."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from farkas.experiments.figures.drawing import draw_axes
from farkas.experiments.figures.exhibit import Figure, PlotAxis, Series
from farkas.experiments.style import COLOURS, QUIET, blank, label, lines, styled, width, written
from farkas.registry import Registry


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """Amounts by place."""

    title: str
    places: Sequence[str]
    #: By resource, one amount >= 0 for each place in its unit; None where there is no limit.
    amounts: Mapping[str, Sequence[float | None]]


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnNetwork:
    """How places are joined."""

    nodes: Sequence[str]
    servers: Sequence[bool]  #: whether each node hosts workers
    links: Mapping[tuple[int, int], float]  #: bandwidth, infinite where there is no limit


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a picture of an instance shows; parts that a kind has not are None or empty."""

    #: First slot of each job and the slot after its last, ``start < end``.
    spans: Sequence[tuple[float, float]] = ()
    end: float = 0.0  #: slots in all
    spanned: str = ""  #: what jobs are between their slots, in words that follow "jobs"
    bars: Sequence[Bars] = ()
    network: DrawnNetwork | None = None


#: By kind: called with an instance; the docstring says what is shown.
outlines: Registry[Callable[[Any], Outline]] = Registry(
    "outline of instances", "farkas.experiments.pictures"
)


def together(spans: Sequence[tuple[float, float]], end: float) -> list[int]:
    """Count the jobs of each slot.

    >>> together([(0, 2), (1, 3)], 4)
    [1, 2, 1, 0]
    """
    steps = np.zeros(int(end) + 1, dtype=int)
    for start, stop in spans:
        steps[int(start)] += 1
        steps[min(int(stop), int(end))] -= 1
    return [int(count) for count in np.cumsum(steps[:-1])]


TITLE_LETTERS = 76  #: Of a line of the title.
#: Inches: of the picture, and the height of a panel; a network is twice as high.
WIDTH, PANEL = 7.4, 2.1
MOST_PLACES = 30  #: Bars of more places than this have no names.
MOST_NAMES = 40  #: And nodes of a network.
LETTER, NODE_LETTER = 0.075, 0.058  #: Width of a letter of a place, and of a node; inches.
#: Of a place whose name is turned, of a node that has near neighbours, and of any name.
STEEP_LETTERS, FEWEST_LETTERS, MOST_LETTERS = 14, 5, 28
HEAD_LETTERS = 60  #: Of the head of a panel.
MOST_SERIES = 8  #: Resources or masters beyond these are counted, not drawn.
HEADS = {"axes.titlesize": 8.8, "axes.titleweight": "normal"}
ALIKE = 20.0  #: Bars of resources share an axis where none is so many times as high as another.


def picture(title: str, shown: Outline, suffix: str) -> bytes:
    """Draw an outline in the format of ``suffix``; the same outline gives the same bytes."""
    return written(drawn(title, shown), suffix)


def drawn(title: str, shown: Outline) -> Any:
    """Draw an outline as a ``matplotlib.figure.Figure`` that belongs to no window."""
    heights = [1.0] * (bool(shown.spans) + len(shown.bars)) + [2.0] * (shown.network is not None)
    with styled(**HEADS):
        canvas = blank(WIDTH, 0.5 + PANEL * sum(heights), layout="constrained")
        head = "\n".join(lines(title, TITLE_LETTERS))
        canvas.suptitle(head, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
        axes = canvas.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
        panels = axes[:, 0].tolist()
        if shown.spans:
            _over_time(panels.pop(0), shown)
        for bars in shown.bars:
            _bars(panels.pop(0), bars)
        if shown.network is not None:
            _network(panels.pop(0), shown.network)
    return canvas


def _over_time(axes: Any, shown: Outline) -> None:
    counts = together(shown.spans, shown.end)
    jobs = Series("jobs", range(len(counts) + 1), [*counts, counts[-1]], chart="area")
    axes.set_title(f"jobs {shown.spanned}, {len(shown.spans)} in all")
    draw_axes(axes, Figure(x=PlotAxis("slot"), y=PlotAxis("jobs"), series=[jobs]))
    axes.set_xlim(0, len(counts))
    axes.set_ylim(0, 1.08 * max(*counts, 1))
    axes.xaxis.set_major_locator(_whole())
    axes.yaxis.set_major_locator(_whole())


def _whole() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator("auto", integer=True)


def _bars(axes: Any, bars: Bars) -> None:
    """Bars of each resource as shares of its largest, which the legend names: units differ."""
    left = len(bars.amounts) - MOST_SERIES
    names = list(bars.amounts)[:MOST_SERIES]
    tops = {name: max((x for x in bars.amounts[name] if x is not None), default=0.0)
            for name in names}  # fmt: skip
    positive = [top for top in tops.values() if top > 0]
    alike = len(names) == 1 or not positive or max(positive) <= ALIKE * min(positive)
    series = {}
    for name in names:
        unit = 1.0 if alike else tops[name] or 1.0
        short = label(name, MOST_LETTERS)
        entry = short if alike else f"{short} (1 is {tops[name]:.4g})"
        while entry in series:  # another name that begins and ends alike
            entry += " "
        heights = [math.nan if x is None else x / unit for x in bars.amounts[name]]
        series[entry] = Series(entry, range(len(heights)), heights, chart="bar")
    head = bars.title if len(names) > 1 else f"{bars.title}, {names[0]}"
    head = label(head, HEAD_LETTERS) + ("" if alike else ", as a share of the largest")
    axes.set_title(head + (f"; {left} more are not drawn" if left > 0 else ""))
    draw_axes(axes, Figure(x=PlotAxis(""), y=PlotAxis(""), series=list(series.values())))
    _name_places(axes, bars.places, WIDTH - 0.6 if len(names) == 1 else 0.6 * WIDTH)


def _name_places(axes: Any, places: Sequence[str], room: float) -> None:
    """Name places below the axis, turned where ``room`` inches are too few for all."""
    axes.set_xlim(-0.6, len(places) - 0.4)
    axes.grid(visible=False, axis="x")
    if len(places) > MOST_PLACES:
        axes.set_xticks([])
        axes.set_xlabel(f"{len(places)} places")
        return
    widest = max(map(width, places))
    steep = len(places) > 8 or LETTER * widest > room / len(places)
    names = [label(name, STEEP_LETTERS if steep else widest) for name in places]
    axes.set_xticks(range(len(places)), names, rotation=60 if steep else 0,
                    ha="right" if steep else "center")  # fmt: skip


def _network(axes: Any, network: DrawnNetwork) -> None:
    places = places_of(network)
    widest = max((x for x in network.links.values() if math.isfinite(x)), default=1.0)
    for (one, other), bandwidth in network.links.items():
        share = min(bandwidth / widest, 1.0) if widest else 1.0
        ends = zip(places[one], places[other], strict=True)
        axes.plot(*ends, color="#9ca3af", linewidth=0.6 + 1.8 * share, zorder=1)
    for server, colour, marker in ((True, COLOURS[0], "s"), (False, COLOURS[1], "o")):
        mine = [place for place, hosts in zip(places, network.servers, strict=True)
                if hosts is server]  # fmt: skip
        if mine:
            axes.scatter(*zip(*mine, strict=True), s=38, color=colour, marker=marker, zorder=2,
                         label="server" if server else "switch")  # fmt: skip
    if len(network.nodes) <= MOST_NAMES:
        rooms = _rooms(places)
        for name, place, room in zip(network.nodes, places, rooms, strict=True):
            most = min(MOST_LETTERS, max(FEWEST_LETTERS, int(room / NODE_LETTER)))
            axes.annotate(label(name, most), place, xytext=(0, -11), textcoords="offset points",
                          ha="center", fontsize=6.8, color=QUIET)  # fmt: skip
    pairs = {frozenset(pair) for pair in network.links}
    axes.set_title(f"{len(network.nodes)} nodes, {len(pairs)} of their pairs joined")
    axes.margins(0.08, 0.16)
    axes.set_axis_off()
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _rooms(places: list[tuple[float, float]]) -> list[float]:
    """Inches from each node to the nearest one beside it, as wide as panels are."""
    across = [x for x, _ in places]
    inch = (max(across) - min(across) or 1.0) / (0.7 * WIDTH)
    high = (max(y for _, y in places) - min(y for _, y in places)) / 20
    return [
        min((abs(x - u) for u, v in places if u != x and abs(y - v) <= high), default=WIDTH * inch)
        / inch
        for x, y in places
    ]


def places_of(network: DrawnNetwork) -> list[tuple[float, float]]:
    """Place nodes: by their distance from the middle if the network is a tree, else on a circle.

    >>> places_of(DrawnNetwork(["a", "b"], [True, True], {}))
    [(1.0, 0.0), (-1.0, 0.0)]
    """
    joined: dict[int, list[int]] = {k: [] for k in range(len(network.nodes))}
    for one, other in sorted({tuple(sorted(pair)) for pair in network.links}):
        joined[one].append(other)
        joined[other].append(one)
    edges = sum(map(len, joined.values())) // 2
    count = len(joined)
    if edges == count - 1 and count > 2 and len(_within(joined, 0)) == count:
        return _tree(joined)
    return [
        (math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count)) for k in range(count)
    ]


def _within(joined: dict[int, list[int]], root: int) -> dict[int, int]:
    """Distance of every node that can be reached."""
    found, turn = {root: 0}, [root]
    for node in turn:
        for other in joined[node]:
            if other not in found:
                found[other] = found[node] + 1
                turn.append(other)
    return found


def _tree(joined: dict[int, list[int]]) -> list[tuple[float, float]]:
    """Place the leaves of a tree side by side, and every other node above its own."""
    root = min(joined, key=lambda k: (max(_within(joined, k).values()), -len(joined[k]), k))
    depth, leaves = _within(joined, root), 0
    places: dict[int, float] = {}
    stack = [(root, False)]
    while stack:
        node, seen = stack.pop()
        below = [k for k in joined[node] if depth[k] > depth[node]]
        if below and not seen:
            stack += [(node, True), *((k, False) for k in reversed(below))]
        elif below:
            places[node] = sum(places[k] for k in below) / len(below)
        else:
            places[node] = float(leaves)
            leaves += 1
    return [(places[k], -float(depth[k])) for k in sorted(joined)]
