"""Decisions as plain data of a picture: who holds how much of what, and when."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from farkas.adversary.gap import GapProof
from farkas.adversary.shipped import statement_name
from farkas.certificates.proof import rounded
from farkas.experiments.explained import explanation
from farkas.experiments.figures import PlotAxis
from farkas.plurals import number_of
from farkas.registry import Registry

DIGITS = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Held:
    """What one owner holds of one lane for a while.

    Parameters
    ----------
    lane, owner
        Indices of the layout.
    start, end
        Places on the horizontal axis, ``start < end``.
    amount
        In the unit of the lane, > 0.
    """

    lane: int
    owner: int
    start: float
    end: float
    amount: float


@dataclasses.dataclass(frozen=True, slots=True)
class Schedule:
    """Decisions of one side of a statement.

    Parameters
    ----------
    blocks
        In no order.
    remarks
        What blocks do not show, in words: who is left out, what is paid.
    """

    blocks: Sequence[Held]
    remarks: Sequence[str] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Lanes that both sides of a statement share, and what they hold.

    Parameters
    ----------
    lanes, tops
        Name of each, and the amount that fills it.
    owners
        Names of jobs or masters.
    x
        Title of the horizontal axis.
    unit
        Of amounts; empty where lanes are full at 1.
    begin, end
        Ends of the horizontal axis.
    sides
        One schedule for each of the decisions.
    """

    lanes: Sequence[str]
    tops: Sequence[float]
    owners: Sequence[str]
    x: PlotAxis
    unit: str
    end: float
    sides: Sequence[Schedule]
    begin: float = 0.0

    @property
    def fillings(self) -> list[str]:
        """What fills each lane, in words; empty where that is 1 of no unit."""
        return [
            f"full: {top:.4g} {self.unit[:-1] if top == 1 else self.unit}" if self.unit else ""
            for top in self.tops
        ]


@dataclasses.dataclass(frozen=True, slots=True)
class BothSides:
    """The picture of decisions: of a statement both sides in the same lanes, of a run its own.

    Parameters
    ----------
    title
        Algorithm and proved ratio.
    heads
        Who decided each side, and what it is worth, proved; empty where the title says so.
    layout
        Lanes and blocks.
    explanation
        What the picture shows.
    """

    title: str
    heads: tuple[str, ...]
    layout: Layout
    explanation: str


Draw = Callable[[Any, Sequence[Any]], Layout]


@dataclasses.dataclass(frozen=True, slots=True)
class LaidOut:
    """How decisions of a kind are laid out, and what that shows."""

    draw: Draw
    explanation: str


layouts: Registry[LaidOut] = Registry("layout of decisions", "farkas.experiments.worst_cases")
"""By kind."""


def layout(kind: str) -> Callable[[Draw], Draw]:
    """Register the decorated function, called with an instance and the decisions of each side."""

    def register(draw: Draw) -> Draw:
        layouts.add(kind, LaidOut(draw, explanation(draw, f"layout of {kind}")))
        return draw

    return register


def pair_of(proof: GapProof, *, again: bool) -> BothSides | None:
    """Lay out both sides of a proved statement; None for a kind that has no layout.

    Parameters
    ----------
    again
        Whether the algorithm decides so today; where not, the picture says whose word it is.
    """
    kind, gap = proof.instance.kind, proof.gap
    drawn = layouts.get(kind)
    if drawn is None:
        return None
    earns, least = ("costs", True) if proof.sense == "min" else ("earns", False)
    name = statement_name(gap.reached) if again else said_to_be(statement_name(gap.reached))
    heads = (
        f"{name} never ends"
        if proof.value is None
        else f"{name} {earns} {rounded(proof.value, up=not least, digits=DIGITS)}",
        f"{gap.witness.algorithm} {earns} {rounded(proof.witness, up=least, digits=DIGITS)}",
    )
    sides = [gap.reached.decisions, gap.witness.decisions]
    return BothSides(
        f"{name}: {ratio_said(proof)}",
        heads,
        drawn.draw(proof.instance, sides),
        drawn.explanation,
    )


def said_to_be(name: str) -> str:
    """Words for decisions that a file says an algorithm takes."""
    return f"the file's {name}"


def ratio_said(proof: GapProof) -> str:
    """Words of the proved ratio."""
    if proof.ratio is None:
        return "unbounded"
    return f"at least {rounded(proof.ratio, up=False, digits=DIGITS)} times off"


@dataclasses.dataclass(frozen=True, slots=True)
class Rectangle:
    """A block in its place: blocks of a lane that meet in time stand on each other.

    Parameters
    ----------
    lane, owner
        As in `Held`.
    start, end
        On the horizontal axis.
    low, high
        In the unit of the lane.
    """

    lane: int
    owner: int
    start: float
    end: float
    low: float
    high: float


def left_out(lanes: int) -> str:
    """Words for lanes that are not drawn.

    >>> left_out(1), left_out(2)
    ('1 lane more is not drawn', '2 lanes more are not drawn')
    """
    return f"{number_of(lanes, 'lanes')} more {'is' if lanes == 1 else 'are'} not drawn"


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
            found += [
                Rectangle(lane, o, first, start, *ends) for (o, *ends), first in latest.items()
            ]
            latest = begun
        found += [
            Rectangle(lane, o, first, cuts[-1], *ends) for (o, *ends), first in latest.items()
        ]
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
