"""Both schedules of a worst case as a small drawing, one below the other, for narrow screens."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from markupsafe import Markup

from farkas.experiments.labels import label
from farkas.experiments.report.charts import WIDTH, speaking
from farkas.experiments.report.svg import Scale, number, tag
from farkas.experiments.worst_cases import BothSides
from farkas.experiments.worst_cases.schedule import Layout, Schedule, left_out, stacked

LEFT, RIGHT = 112, 10
LANE, HEAD, FOOT = 26, 24, 20
FILLED = 0.86
"""Share of a lane's height that a full lane takes."""
LETTERS = 19
SEEN = 2.0
"""Width of the narrowest block."""
WIDE, HIGH = 14.0, 11.0
"""Room that a block needs for its owner's number."""
MOST_LANES = 16


def both_sides(pair: BothSides, ident: str) -> Markup:
    """Draw what an algorithm decides, and below it what is better.

    Parameters
    ----------
    pair
        Of a proved statement; lanes beyond `MOST_LANES` are left out, and counted below.
    ident
        Unique on the page.
    """
    layout = pair.layout
    lanes = min(MOST_LANES, len(layout.lanes))
    panel = HEAD + LANE * max(1, lanes) + FOOT
    drawn = [
        _side(head, side, layout, lanes, turn * panel)
        for turn, (head, side) in enumerate(zip(pair.heads, layout.sides, strict=True))
    ]
    height = panel * len(layout.sides)
    if lanes < len(layout.lanes):
        words = left_out(len(layout.lanes) - lanes)
        drawn.append(tag("text", words, x=LEFT, y=height + 8, class_="remark"))
        height += FOOT
    return speaking(ident, pair.title, _words(pair), drawn, height)


def owners(pair: BothSides) -> list[tuple[int, str]]:
    """Owners of blocks with their numbers, for the legend."""
    held = {block.owner for side in pair.layout.sides for block in side.blocks}
    return [(owner, pair.layout.owners[owner]) for owner in sorted(held)]


def _words(pair: BothSides) -> str:
    sides = zip(pair.heads, pair.layout.sides, strict=True)
    return "; ".join(", ".join([head, *side.remarks]) for head, side in sides)


def _side(head: str, side: Schedule, layout: Layout, lanes: int, top: float) -> Markup:
    scale = Scale(float(layout.begin), float(layout.end), LEFT, WIDTH - RIGHT)
    title = textwrap.shorten(head, 76, placeholder="…")
    drawn = [tag("text", title, x=0, y=top + 15, class_="name")]
    bottom = top + HEAD + LANE * max(1, lanes)
    for value in scale.ticks(6):
        at = scale(value)
        drawn.append(tag("line", x1=at, x2=at, y1=top + HEAD, y2=bottom, class_="grid"))
        drawn.append(tag("text", number(value), x=at, y=bottom + 12, class_="tick mid"))
    for lane in range(lanes):
        floor = top + HEAD + LANE * (lane + 1)
        drawn.append(tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=floor, y2=floor, class_="axis"))
        name = layout.lanes[lane]
        words = tag("title", name)
        drawn.append(
            tag("text", words, label(name, LETTERS), x=LEFT - 6, y=floor - 9, class_="tick end")
        )
    drawn += _blocks(side, layout, lanes, scale, top + HEAD)
    drawn.append(tag("text", str(layout.x), x=0, y=bottom + 12, class_="tick start"))
    return tag("g", *drawn)


def _blocks(
    side: Schedule, layout: Layout, lanes: int, scale: Scale, top: float
) -> Sequence[Markup]:
    found = []
    for block in stacked(side.blocks):
        if block.lane >= lanes:
            continue
        room = LANE * FILLED / layout.tops[block.lane]
        high = room * (block.high - block.low)
        y = top + LANE * (block.lane + 1) - room * block.high
        x, width = scale(block.start), max(SEEN, scale(block.end) - scale(block.start))
        name = tag("title", layout.owners[block.owner])
        found.append(tag("rect", name, x=x, y=y, width=width, height=high,
                         class_=f"area c{block.owner % 8}"))  # fmt: skip
        if width >= WIDE and high >= HIGH:
            found.append(tag("text", str(block.owner), x=x + width / 2, y=y + high / 2 + 4,
                             class_="owner mid"))  # fmt: skip
    return found
