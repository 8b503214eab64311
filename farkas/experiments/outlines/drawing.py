"""Outlines as pictures."""

from __future__ import annotations

import math
from typing import Any

from farkas.experiments.figures.style import COLOURS, QUIET, styled, written
from farkas.experiments.labels import label, lines, width
from farkas.experiments.outlines.outline import Bars, DrawnNetwork, Outline, together
from farkas.portable.turns import cospi, sinpi

TITLE_LETTERS = 76
"""Of a line of the title."""
WIDTH, PANEL = 7.4, 2.1
"""Inches: of the picture, and the height of a panel; a network is twice as high."""
MOST_PLACES = 30
"""Bars of more places than this have no names."""
MOST_NAMES = 40
"""And nodes of a network."""
LETTER, NODE_LETTER = 0.075, 0.058
"""Width of a letter of a place, and of a node; inches."""
STEEP_LETTERS, FEWEST_LETTERS, MOST_LETTERS = 14, 5, 28
"""Of a place whose name is turned, of a node that has near neighbours, and of any name."""
HEAD_LETTERS = 60
"""Of the head of a panel."""
MOST_SERIES = 8
"""Resources or masters beyond these are counted, not drawn."""


def picture(title: str, shown: Outline, suffix: str) -> bytes:
    """Draw an outline in the format of ``suffix``; the same outline gives the same bytes."""
    with styled():
        return written(drawn(title, shown), suffix)


def drawn(title: str, shown: Outline) -> Any:
    """Draw an outline as a ``matplotlib.figure.Figure`` that belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    heights = [1.0] * (bool(shown.spans) + len(shown.bars)) + [2.0] * (shown.network is not None)
    canvas = Canvas(figsize=(WIDTH, 0.5 + PANEL * sum(heights)), layout="constrained")
    FigureCanvasAgg(canvas)
    head = "\n".join(lines(title, TITLE_LETTERS))
    canvas.suptitle(head, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    panels = canvas.subplots(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0].tolist()
    if shown.spans:
        _over_time(panels.pop(0), shown)
    for bars in shown.bars:
        _bars(panels.pop(0), bars)
    if shown.network is not None:
        _network(panels.pop(0), shown.network)
    return canvas


def _over_time(axes: Any, shown: Outline) -> None:
    counts = together(shown.spans, shown.end)
    edges = list(range(len(counts) + 1))
    axes.stairs(counts, edges, fill=True, color=COLOURS[0], alpha=0.25)
    axes.stairs(counts, edges, color=COLOURS[0])
    axes.set_title(f"jobs {shown.spanned}, {len(shown.spans)} in all", fontsize=8.8,
                   fontweight="normal")  # fmt: skip
    axes.set_xlabel("slot")
    axes.set_xlim(0, len(counts))
    axes.set_ylim(0, 1.08 * max(*counts, 1))
    axes.yaxis.get_major_locator().set_params(integer=True)


def _bars(axes: Any, bars: Bars) -> None:
    """Bars of each resource as shares of its largest, which the legend names: units differ."""
    series = list(bars.amounts.items())
    left = len(series) - MOST_SERIES
    series = series[:MOST_SERIES]
    tops = [max((x for x in each if x is not None), default=0.0) for _, each in series]
    alike = len(series) == 1 or _near(tops)
    wide = 0.8 / len(series)
    for turn, ((name, each), top) in enumerate(zip(series, tops, strict=True)):
        unit = 1.0 if alike or not top else top
        at = [k - 0.4 + (turn + 0.5) * wide for k, x in enumerate(each) if x is not None]
        amounts = [x / unit for x in each if x is not None]
        short = label(name, MOST_LETTERS)
        entry = short if alike else f"{short} (1 is {top:.4g})"
        axes.bar(at, amounts, wide, color=COLOURS[turn % len(COLOURS)], label=entry)
    head = bars.title if len(series) > 1 else f"{bars.title}, {series[0][0]}"
    title = label(head, HEAD_LETTERS) + ("" if alike else ", as a share of the largest")
    title += f"; {left} more are not drawn" if left > 0 else ""
    axes.set_title(title, fontsize=8.8, fontweight="normal")
    axes.set_xlim(-0.6, len(bars.places) - 0.4)
    axes.grid(visible=False, axis="x")
    if len(bars.places) <= MOST_PLACES:
        room = (WIDTH - 0.6 if len(series) == 1 else 0.6 * WIDTH) / len(bars.places)
        widest = max(map(width, bars.places))
        steep = len(bars.places) > 8 or LETTER * widest > room
        places = [label(name, STEEP_LETTERS if steep else widest) for name in bars.places]
        axes.set_xticks(range(len(places)), places, rotation=60 if steep else 0,
                        ha="right" if steep else "center")  # fmt: skip
    else:
        axes.set_xticks([])
        axes.set_xlabel(f"{len(bars.places)} places")
    if len(series) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _near(tops: list[float]) -> bool:
    """Whether bars of all can be seen on one axis."""
    positive = [top for top in tops if top > 0]
    return not positive or max(positive) <= 20 * min(positive)


def _network(axes: Any, network: DrawnNetwork) -> None:
    places = places_of(network)
    widest = max((x for x in network.links.values() if math.isfinite(x)), default=1.0)
    for (one, other), bandwidth in network.links.items():
        width = 0.6 + 1.8 * (min(bandwidth / widest, 1.0) if widest else 1.0)
        (x0, y0), (x1, y1) = places[one], places[other]
        axes.plot([x0, x1], [y0, y1], color="#9ca3af", linewidth=width, zorder=1)
    for server, colour, marker in ((True, COLOURS[0], "s"), (False, COLOURS[1], "o")):
        mine = [k for k, hosts in enumerate(network.servers) if hosts is server]
        role = "server" if server else "switch"
        if mine:
            axes.scatter([places[k][0] for k in mine], [places[k][1] for k in mine], s=38,
                         color=colour, marker=marker, zorder=2, label=role)  # fmt: skip
    if len(network.nodes) <= MOST_NAMES:
        rooms = _rooms(places)
        for name, place, room in zip(network.nodes, places, rooms, strict=True):
            most = min(MOST_LETTERS, max(FEWEST_LETTERS, int(room / NODE_LETTER)))
            axes.annotate(label(name, most), place, xytext=(0, -11), textcoords="offset points",
                          ha="center", fontsize=6.8, color=QUIET)  # fmt: skip
    pairs = {frozenset(pair) for pair in network.links}
    axes.set_title(f"{len(network.nodes)} nodes, {len(pairs)} of their pairs joined",
                   fontsize=8.8, fontweight="normal")  # fmt: skip
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
    return [(cospi(2 * k / count), sinpi(2 * k / count)) for k in range(count)]


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
