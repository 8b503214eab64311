"""Who holds how much of what, and when: the data of a Gantt chart, and the chart."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from rich.cells import cell_len as width

from farkas.experiments.figures.exhibit import PlotAxis
from farkas.experiments.style import COLOURS, QUIET, blank, label, lines, styled, written
from farkas.messages import number_of
from farkas.registry import Registry


@dataclasses.dataclass(frozen=True, slots=True)
class Held:
    """What one owner holds of one lane for a while; lane and owner are indices of the layout."""

    lane: int
    owner: int
    start: float
    end: float  #: > start
    amount: float  #: in the unit of the lane, > 0


@dataclasses.dataclass(frozen=True, slots=True)
class Schedule:
    """Decisions of one side of a statement."""

    blocks: Sequence[Held]  #: in no order
    remarks: Sequence[str] = ()  #: what blocks do not show: who is left out, what is paid


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Lanes that both sides of a statement share, and what they hold."""

    lanes: Sequence[str]
    tops: Sequence[float]  #: the amount that fills each lane
    owners: Sequence[str]  #: jobs or masters
    x: PlotAxis
    unit: str  #: of amounts; empty where lanes are full at 1
    end: float
    sides: Sequence[Schedule]
    begin: float = 0.0
    numbers: Sequence[int] = ()  #: What stands in the blocks of the first owners.

    @property
    def fillings(self) -> list[str]:
        """What fills each lane, in words; empty where that is 1 of no unit."""
        return [
            f"full: {top:.4g} {self.unit[:-1] if top == 1 else self.unit}" if self.unit else ""
            for top in self.tops
        ]


@dataclasses.dataclass(frozen=True, slots=True)
class BothSides:
    """The picture of decisions: of a statement both sides in the same lanes, of a run its own."""

    title: str  #: algorithm and proved ratio
    heads: tuple[str, ...]  #: who decided each side, and its proved value; or empty
    layout: Layout
    explanation: str


#: By kind: called with an instance and the decisions of each side; the docstring explains it.
layouts: Registry[Callable[[Any, Sequence[Any]], Layout]] = Registry(
    "layout of decisions", "farkas.experiments.pictures"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Rectangle:
    """A block in its place, from ``low`` to ``high`` in the unit of its lane."""

    lane: int
    owner: int
    start: float
    end: float
    low: float
    high: float


def stacked(blocks: Sequence[Held]) -> list[Rectangle]:
    """Put blocks on each other, those of smaller owners below; what is alike is joined.

    >>> one, two = Held(0, 0, 0, 2, 1.0), Held(0, 1, 1, 2, 3.0)
    >>> [(r.owner, r.start, r.end, r.low, r.high) for r in stacked([two, one])]
    [(0, 0, 2, 0.0, 1.0), (1, 1, 2, 1.0, 4.0)]
    """
    found: list[Rectangle] = []
    by_lane: dict[int, list[Held]] = {}
    for block in blocks:
        by_lane.setdefault(block.lane, []).append(block)
    for lane, own in by_lane.items():
        own.sort(key=lambda b: b.start)
        cuts = sorted({place for b in own for place in (b.start, b.end)})
        coming, held = 0, list[Held]()
        latest: dict[tuple[int, float, float], float] = {}
        for start in cuts:
            held = [b for b in held if b.end > start]
            while coming < len(own) and own[coming].start <= start:
                held.append(own[coming])
                coming += 1
            amounts: dict[int, float] = {}
            for block in sorted(held, key=lambda b: b.owner):
                amounts[block.owner] = amounts.get(block.owner, 0.0) + block.amount
            low, begun = 0.0, dict[tuple[int, float, float], float]()
            for owner, amount in amounts.items():
                key = (owner, low, low + amount)
                begun[key] = latest.pop(key, start)
                low += amount
            # at the last cut nothing is held any more, so that all ends here at the latest
            found += [
                Rectangle(lane, o, first, start, *ends) for (o, *ends), first in latest.items()
            ]
            latest = begun
    return sorted(found, key=lambda r: (r.lane, r.start, r.low))


def tops_of(blocks: Sequence[Held], lanes: int) -> list[float]:
    """Most that is held of each lane at once; 1 of a lane that nobody holds."""
    tops = [0.0] * lanes
    for rectangle in stacked(blocks):
        tops[rectangle.lane] = max(tops[rectangle.lane], rectangle.high)
    return [top or 1.0 for top in tops]


def named_owners(what: str, names: Sequence[str]) -> list[str]:
    """Names of owners as pictures tell them apart.

    >>> named_owners("job", ["long", ""])
    ['job 0 (long)', 'job 1']
    """
    return [f"{what} {k} ({name})" if name else f"{what} {k}" for k, name in enumerate(names)]


def jobs_said(jobs: Sequence[int], what: str) -> list[str]:
    """Remark on some jobs; nothing where there are none.

    >>> jobs_said([1, 3], "rejected"), jobs_said([2], "full"), jobs_said([], "full")
    (['jobs 1, 3: rejected'], ['job 2: full'], [])
    """
    if not jobs:
        return []
    word = "job" if len(jobs) == 1 else "jobs"
    return [f"{word} {', '.join(map(str, jobs))}: {what}"]


WIDTH = 7.4  #: Inches, as all lengths below.
LANE, FRAME = 0.42, 1.05  #: Height of a lane, and of what is above and below all of them.
FILLED = 0.86  #: Share of a lane's height that a full lane takes.
#: Height of a line of remarks, of the rim above the title, of a line of the title or the legend,
#: and of a further line of the head of a side.
LINE, EDGE, TITLE_LINE, HEAD_LINE = 0.16, 0.05, 0.2, 0.15
#: Width of the title, of the head of a side, of remarks, and of an owner's name.
TITLE_LETTERS, HEAD_LETTERS, LETTERS, NAME_LETTERS = 76, 40, 58, 24
MOST_REMARKS = 8
MOST_TICKS = 12  #: Slots that carry a tick each.
MOST_LANES = 60  #: Of more lanes those are drawn that hold most; the others are counted.
FEW_LANES = 16  #: More lanes are half as high.
MOST_OWNERS = len(COLOURS)  #: Of more owners those that hold most have colours, the others one.
ENTRY, LETTER = 0.35, 0.075  #: Width of an entry of the legend without its name, and of a letter.
#: Share of the axis, and inches upwards, that a block needs for its owner's number.
WIDE, HIGH = 0.045, 0.126
SEEN = 0.006  #: Share of the axis that every block takes at least, so that it is seen.
OTHERS = "#b8bfc9"  #: Colour of owners that are drawn as one.


def picture(pair: BothSides, suffix: str) -> bytes:
    """Draw a statement in the format of ``suffix``; the same statement gives the same bytes."""
    return written(drawn(pair), suffix)


def drawn(pair: BothSides) -> Any:
    """Draw decisions as a ``matplotlib.figure.Figure``, the sides beside each other."""
    layout = of_largest_owners(of_busiest_lanes(pair.layout, MOST_LANES), MOST_OWNERS)
    remarks = [_remarks(side) for side in layout.sides]
    below = LINE * max(map(len, remarks))
    title = lines(label(pair.title, 3 * TITLE_LETTERS), TITLE_LETTERS)
    held = [label(name, NAME_LETTERS) for name in layout.owners]
    tall = LANE if len(layout.lanes) <= FEW_LANES else LANE / 2
    widest = max((ENTRY + LETTER * width(name) for name in held), default=WIDTH)
    abreast = max(1, int(WIDTH / widest))
    above = TITLE_LINE * (len(title) + math.ceil(len(held) / abreast))
    heads = HEAD_LINE * (max(len(_head(head)) for head in pair.heads) - 1)
    height = FRAME + tall * max(2, len(layout.lanes)) + below + above + heads
    names = [
        "\n".join([*lines(label(lane, 36), 18), label(filling, 24)]).rstrip("\n")
        if tall == LANE
        else label(f"{lane}; {filling}".removesuffix("; "), 36)
        for lane, filling in zip(layout.lanes, layout.fillings, strict=True)
    ]
    with styled():
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        share = below / height
        canvas = blank(WIDTH, height)
        axes = canvas.subplots(1, len(layout.sides), sharey=True, squeeze=False)[0]
        canvas.text(
            0.01, 1 - EDGE / height, "\n".join(title), fontsize=10.5, fontweight="bold", va="top"
        )
        for one, head, side in zip(axes, pair.heads, layout.sides, strict=True):
            one.set_title("\n".join(_head(head)), fontsize=8.8, fontweight="normal")
            draw_side(one, side, layout, names, tall)
        _legend(canvas, held, abreast, 1 - (EDGE + TITLE_LINE * len(title)) / height)
        for turn, said in enumerate(remarks):
            canvas.text(0.02 + turn * 0.5, share, "\n".join(said), fontsize=7.6, color=QUIET,
                        va="top", linespacing=1.3)  # fmt: skip
        room = (0, share, 1, 1 - share - above / height)
        ConstrainedLayoutEngine(rect=room).execute(canvas)  # once, not whenever it is drawn
    return canvas


def of_busiest_lanes(layout: Layout, most: int) -> Layout:
    """Layout of the lanes that hold most; how many are left out is said first."""
    more = len(layout.lanes) - most
    if more <= 0:
        return layout
    use = _use(layout, lambda block: block.lane)
    kept = sorted(sorted(range(len(layout.lanes)), key=lambda lane: -use.get(lane, 0.0))[:most])
    place = {lane: number for number, lane in enumerate(kept)}
    said = f"{number_of(more, 'lanes')} more {'is' if more == 1 else 'are'} not drawn"
    sides = [
        Schedule(
            [dataclasses.replace(b, lane=place[b.lane]) for b in side.blocks if b.lane in place],
            [said, *side.remarks],
        )
        for side in layout.sides
    ]
    lanes, tops = [layout.lanes[lane] for lane in kept], [layout.tops[lane] for lane in kept]
    return dataclasses.replace(layout, lanes=lanes, tops=tops, sides=sides)


def of_largest_owners(layout: Layout, most: int) -> Layout:
    """Layout of the owners that hold something: those that hold most, then all others as one."""
    use = _use(layout, lambda block: block.owner)
    largest = sorted(sorted(use, key=lambda owner: (-use[owner], owner))[:most])
    place = {owner: number for number, owner in enumerate(largest)}
    sides = [
        Schedule(
            [dataclasses.replace(b, owner=place.get(b.owner, most)) for b in side.blocks],
            side.remarks,
        )
        for side in layout.sides
    ]
    owners = [layout.owners[owner] for owner in largest]
    if more := len(use) - len(largest):
        what = layout.owners[largest[0]].split()[0]
        owners.append(f"{number_of(more, f'other {what}s')}")
    return dataclasses.replace(layout, owners=owners, sides=sides, numbers=largest)


def _use(layout: Layout, whose: Callable[[Held], int]) -> dict[int, float]:
    """Add up what is held by lane or owner: shares of full lanes, times how long."""
    use: dict[int, float] = {}
    for block in (block for side in layout.sides for block in side.blocks):
        share = block.amount / layout.tops[block.lane]
        use[whose(block)] = use.get(whose(block), 0.0) + share * (block.end - block.start)
    return use


def draw_side(axes: Any, side: Schedule, layout: Layout, names: Sequence[str], tall: float) -> None:
    """Draw one schedule in lanes so many inches high."""
    from matplotlib.collections import PolyCollection

    size = 7.6 if tall == LANE else 6.4

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
        if long >= WIDE * span and rise * tall >= HIGH and block.owner < len(layout.numbers):
            number = str(layout.numbers[block.owner])
            axes.text(block.start + long / 2, low + rise / 2, number, color="white",
                      fontsize=7.5, fontweight="bold", ha="center", va="center")  # fmt: skip
    for (owner, edged), corners_of in shapes.items():
        edge = 0.7 if edged else 0.0
        group = PolyCollection(corners_of, edgecolor="white", linewidth=edge, **look(owner))
        axes.add_collection(group)
    for lane in range(count):
        axes.axhline(lane, color=QUIET, linewidth=0.6, zorder=3)
    middles = [count - 1 - lane + FILLED / 2 for lane in range(len(layout.lanes))]
    axes.set_yticks(middles, names, fontsize=size)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(0, count)
    axes.set_xlim(layout.begin, layout.end)
    axes.set_xlabel(label(str(layout.x), 44), fontsize=size + 0.6)
    if span <= MOST_TICKS and span == int(span) and layout.begin == int(layout.begin):
        axes.set_xticks(range(int(layout.begin), int(layout.end) + 1))


def look(owner: int) -> dict[str, Any]:
    """Colour of an owner; that of all others comes last."""
    return {"facecolor": [*COLOURS, OTHERS][owner]}


def _remarks(side: Schedule) -> list[str]:
    """Lines of the remarks, as many as there is room for."""
    every = [line for remark in side.remarks for line in lines(remark, LETTERS)]
    if len(every) > MOST_REMARKS:
        every = [*every[: MOST_REMARKS - 1], f"and {len(every) - MOST_REMARKS + 1} lines more"]
    return every


def _head(head: str) -> list[str]:
    """Lines of the head of a side."""
    return lines(label(head, 3 * HEAD_LETTERS), HEAD_LETTERS) or [""]


def _legend(canvas: Any, held: Sequence[str], abreast: int, top: float) -> None:
    """Name owners below the title, which ends at a share ``top`` of the height."""
    from matplotlib.patches import Patch

    handles = [
        Patch(label=name, edgecolor="white", **look(owner)) for owner, name in enumerate(held)
    ]
    if handles:
        canvas.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.01, top), ncols=abreast,
                      borderaxespad=0.0, borderpad=0.0, fontsize=7.6, handlelength=1.2,
                      columnspacing=1.0)  # fmt: skip
