"""Pictures of statements: the same lanes twice, filled by an algorithm and by better decisions."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from farkas.experiments.figures.style import COLOURS, QUIET, styled, written
from farkas.experiments.labels import label, lines, width
from farkas.experiments.worst_cases.schedule import BothSides, Layout, Schedule, left_out, stacked
from farkas.extras import needed

WIDTH = 7.4
"""Inches."""
LANE, FRAME = 0.42, 1.05
"""Height of a lane, and of what is above and below all of them; inches."""
FILLED = 0.86
"""Share of a lane's height that a full lane takes."""
LINE = 0.16
"""Height of a line of remarks; inches."""
EDGE, TITLE_LINE, HEAD_LINE = 0.05, 0.2, 0.15
"""Height of what is above the title, of a line of it or of the legend, and of one of a head of a
side beyond the first; inches."""
TITLE_LETTERS, HEAD_LETTERS = 76, 40
LETTERS = 58
MOST_REMARKS = 8
MOST_TICKS = 12
"""Slots that carry a tick each."""
MOST_LANES = 60
"""More lanes are not drawn, but counted."""
MOST_OWNERS = 10
"""More owners have no legend: their numbers stand in their blocks."""
NAME_LETTERS = 24
ENTRY, LETTER = 0.35, 0.075
"""Width of an entry of the legend without its name, and of a letter; inches."""
WIDE = 0.045
"""Share of the axis that a block needs for its owner's number."""
SEEN = 0.006
"""Share of the axis that every block takes at least, so that it is seen."""
HIGH = 0.3
"""And of the lane."""
HATCHES = ("", "///", "...", "xxx")
"""Told apart where colours begin again."""


def picture(pair: BothSides, suffix: str) -> bytes:
    """Draw a statement in the format of ``suffix``; the same statement gives the same bytes."""
    return written(drawn(pair), suffix)


def drawn(pair: BothSides) -> Any:
    """Draw a statement as a ``matplotlib.figure.Figure`` that belongs to no window."""
    needed("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = _of_most_lanes(pair.layout)
    remarks = [_remarks(side) for side in layout.sides]
    below = LINE * max(map(len, remarks))
    title, held = lines(label(pair.title, 3 * TITLE_LETTERS), TITLE_LETTERS), _held(layout)
    widest = max((ENTRY + LETTER * width(name) for name in held.values()), default=WIDTH)
    abreast = max(1, int(WIDTH / widest))
    above = TITLE_LINE * (len(title) + math.ceil(len(held) / abreast))
    heads = HEAD_LINE * (max(len(_head(head)) for head in pair.heads) - 1)
    height = FRAME + LANE * max(2, len(layout.lanes)) + below + above + heads
    with styled():
        share = below / height
        room = (0, share, 1, 1 - share - above / height)
        canvas, engine = Canvas(figsize=(WIDTH, height)), ConstrainedLayoutEngine(rect=room)
        FigureCanvasAgg(canvas)
        axes = canvas.subplots(1, len(layout.sides), sharey=True, squeeze=False)[0]
        canvas.text(
            0.01, 1 - EDGE / height, "\n".join(title), fontsize=10.5, fontweight="bold", va="top"
        )
        for one, head, side in zip(axes, pair.heads, layout.sides, strict=True):
            _side(one, head, side, layout)
        _legend(canvas, held, abreast, 1 - (EDGE + TITLE_LINE * len(title)) / height)
        for turn, said in enumerate(remarks):
            canvas.text(0.02 + turn * 0.5, share, "\n".join(said), fontsize=7.6, color=QUIET,
                        va="top", linespacing=1.3)  # fmt: skip
        engine.execute(canvas)  # once, and not whenever it is drawn
    return canvas


def _of_most_lanes(layout: Layout) -> Layout:
    """Layout of the first lanes; how many are left out is said first."""
    more = len(layout.lanes) - MOST_LANES
    if more <= 0:
        return layout
    sides = [
        Schedule([b for b in side.blocks if b.lane < MOST_LANES],
                 [left_out(more), *side.remarks])
        for side in layout.sides
    ]  # fmt: skip
    lanes, tops = layout.lanes[:MOST_LANES], layout.tops[:MOST_LANES]
    return dataclasses.replace(layout, lanes=lanes, tops=tops, sides=sides)


def _remarks(side: Schedule) -> list[str]:
    """Lines of the remarks, as many as there is room for."""
    every = [line for remark in side.remarks for line in lines(remark, LETTERS)]
    if len(every) > MOST_REMARKS:
        every = [*every[: MOST_REMARKS - 1], f"and {len(every) - MOST_REMARKS + 1} lines more"]
    return every


def _side(axes: Any, head: str, side: Schedule, layout: Layout) -> None:
    from matplotlib.collections import PolyCollection

    axes.set_title("\n".join(_head(head)), fontsize=8.8, fontweight="normal")
    count = max(1, len(layout.lanes))
    span = layout.end - layout.begin
    shapes: dict[tuple[int, bool], list[list[tuple[float, float]]]] = {}
    for block in stacked(side.blocks):
        scale = FILLED / layout.tops[block.lane]
        low = count - 1 - block.lane + scale * block.low
        rise = scale * (block.high - block.low)
        long = max(block.end - block.start, SEEN * span)
        start, end, top = block.start, block.start + long, low + rise
        corners = [(start, low), (end, low), (end, top), (start, top)]
        shapes.setdefault((block.owner, long > 3 * SEEN * span), []).append(corners)
        if long >= WIDE * span and rise >= HIGH:
            axes.text(block.start + long / 2, low + rise / 2, str(block.owner), color="white",
                      fontsize=7.5, fontweight="bold", ha="center", va="center")  # fmt: skip
    for (owner, edged), corners_of in shapes.items():
        width = 0.7 if edged else 0.0
        group = PolyCollection(corners_of, edgecolor="white", linewidth=width, **look(owner))
        axes.add_collection(group)
    for lane in range(count):
        axes.axhline(lane, color=QUIET, linewidth=0.6, zorder=3)
    axes.set_yticks([count - 1 - lane + FILLED / 2 for lane in range(len(layout.lanes))],
                    _lane_names(layout),
                    fontsize=7.6)  # fmt: skip
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(0, count)
    axes.set_xlim(layout.begin, layout.end)
    axes.set_xlabel(label(str(layout.x), 44), fontsize=8.2)
    if span <= MOST_TICKS and span == int(span) and layout.begin == int(layout.begin):
        axes.set_xticks(range(int(layout.begin), int(layout.end) + 1))


def _head(head: str) -> list[str]:
    """Lines of the head of a side."""
    return lines(label(head, 3 * HEAD_LETTERS), HEAD_LETTERS) or [""]


def _lane_names(layout: Layout) -> list[str]:
    """Names of lanes with what fills them."""
    return [
        "\n".join([*lines(label(lane, 36), 18), *([label(filling, 24)] if filling else [])])
        for lane, filling in zip(layout.lanes, layout.fillings, strict=True)
    ]


def look(owner: int) -> dict[str, Any]:
    """Colour of an owner, with a hatch where colours begin again."""
    turn, colour = divmod(owner, len(COLOURS))
    return {"facecolor": COLOURS[colour], "hatch": HATCHES[turn % len(HATCHES)]}


def _held(layout: Layout) -> dict[int, str]:
    """Short names of the owners that hold something; none where they are many."""
    held = sorted({block.owner for side in layout.sides for block in side.blocks})
    names = {owner: layout.owners[owner] for owner in held[: MOST_OWNERS + 1]}
    if len(names) > MOST_OWNERS:
        return {}
    return {owner: label(name, NAME_LETTERS) for owner, name in names.items()}


def _legend(canvas: Any, held: dict[int, str], abreast: int, top: float) -> None:
    """Name owners below the title, which ends at a share ``top`` of the height."""
    from matplotlib.patches import Patch

    handles = [Patch(label=name, edgecolor="white", **look(owner)) for owner, name in held.items()]
    if handles:
        canvas.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.01, top), ncols=abreast,
                      borderaxespad=0.0, borderpad=0.0, fontsize=7.6, handlelength=1.2,
                      columnspacing=1.0)  # fmt: skip
