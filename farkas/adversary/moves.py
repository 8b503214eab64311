"""Moves from one instance of a box to another, and instances made small."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from farkas.adversary.scoring import ScoredInstance, Scorer
from farkas.adversary.shape import (
    Entry,
    InstanceBox,
    Plain,
    Range,
    copied,
    entries,
    leaves,
    plain_of,
    shape_of,
    without,
)
from farkas.portable_functions import uniform

REORDERED = 0.15  #: Share of moves that leave out, double or exchange whole jobs.

NULLED = 0.1  #: Share of moves that make numbers null, or nulls numbers, where the box has such.

SCALED = 1.4  #: Numbers are scaled by a factor whose logarithm is no larger.

#: Powers of two below the upper end that half of all draws from a range from 0 go down by.
SMALLEST = 60.0


def moved(data: Plain, box: InstanceBox, rng: np.random.Generator) -> Plain:
    """Return a copy of plain data after one to three moves inside a box."""
    found: Plain = copied(data)
    for _ in range(1 + int(rng.integers(3))):
        if rng.random() < REORDERED and _reordered(found, box, rng):
            continue
        if box.optional and rng.random() < NULLED and _nulled(found, box, rng):
            continue
        _changed(found, box, rng)
    return found


def _reordered(data: Plain, box: InstanceBox, rng: np.random.Generator) -> bool:
    """Leave out, double or exchange jobs in place; False where there are none."""
    jobs: list[Any] = (data.get(shape_of(box.kind).records) or []) if box.kind else []
    if not jobs:
        return False
    here, there = (int(k) for k in rng.integers(len(jobs), size=2))
    what = int(rng.integers(3))
    if what == 0 and len(jobs) > 1 and not box.fixed:
        del jobs[here]
    elif what == 1 and len(jobs) < box.most and not box.fixed:
        jobs.insert(there, copied(jobs[here]))
    else:
        jobs[here], jobs[there] = jobs[there], jobs[here]
    return True


def _nulled(data: Plain, box: InstanceBox, rng: np.random.Generator) -> bool:
    """Make a number null, or a null a number, in place; False where there are none."""
    family = sorted(box.optional)[int(rng.integers(len(box.optional)))]
    members = [(holder, key) for name, holder, key in leaves(data) if name == family]
    if not members:
        return False
    place = int(rng.integers(len(members)))
    empty = members[place][0][members[place][1]] is None
    for name in dict.fromkeys((family, shape_of(box.kind).null_at_zero.get(family, family))):
        holder, key = [(held, at) for other, held, at in leaves(data) if other == name][place]
        holder[key] = drawn(box.ranges[name], rng) if empty else None
    return True


def _changed(data: Plain, box: InstanceBox, rng: np.random.Generator) -> None:
    """Change numbers of one family in place: one of them, those of one list, or all.

    Families are drawn first, so that long lists do not get all the moves.
    """
    if (found := _family(data, box, rng)) is None:
        return
    allowed, members = found
    holder, key = members[int(rng.integers(len(members)))]
    scope = int(rng.integers(4))
    chosen = [(holder, key)]
    if scope == 0:
        chosen = members
    elif scope == 1 and isinstance(holder, list):
        chosen = [member for member in members if member[0] is holder]
    _set(chosen, members, allowed, rng)


def _family(
    data: Plain, box: InstanceBox, rng: np.random.Generator
) -> tuple[Range, list[Entry]] | None:
    """Draw a family whose numbers may change: its range and members; None where there is none."""
    by_family: dict[str, list[Entry]] = {}
    for family, holder, key in entries(data):
        if family in box.ranges and box.ranges[family].open:
            by_family.setdefault(family, []).append((holder, key))
    if not by_family:
        return None
    family = sorted(by_family)[int(rng.integers(len(by_family)))]
    return box.ranges[family], by_family[family]


def _set(
    chosen: list[Entry], members: list[Entry], allowed: Range, rng: np.random.Generator
) -> None:
    """Give numbers an end of their range, a draw, a neighbour's value, or scale them."""
    what = int(rng.integers(6))
    holder, key = chosen[int(rng.integers(len(chosen)))]
    other, place = members[int(rng.integers(len(members)))]
    if what == 5 and len(chosen) == 1:
        holder[key], other[place] = other[place], holder[key]
        return
    value = {
        0: allowed.low,
        1: allowed.high,
        2: drawn(allowed, rng),
        3: other[place],
    }.get(what)
    factor = math.exp(uniform(rng, -SCALED, SCALED))
    for holder, key in chosen:
        holder[key] = allowed.clipped(holder[key] * factor if value is None else value)


def drawn(allowed: Range, rng: np.random.Generator) -> float:
    """Draw from a range: by size where it begins above zero, else evenly or by size."""
    if allowed.low > 0:
        return allowed.clipped(
            math.exp(uniform(rng, math.log(allowed.low), math.log(allowed.high)))
        )
    if allowed.low == 0 < allowed.high and not allowed.whole and rng.random() < 0.5:
        return allowed.clipped(
            allowed.high * math.exp(-math.log(2.0) * uniform(rng, 0.0, SMALLEST))
        )
    return allowed.clipped(uniform(rng, allowed.low, allowed.high))


def redrawn(data: Plain, box: InstanceBox, rng: np.random.Generator) -> Plain:
    """Return a copy of plain data with every number drawn anew from its range."""
    found: Plain = copied(data)
    for family, holder, key in entries(found):
        if family in box.ranges and box.ranges[family].open:
            holder[key] = drawn(box.ranges[family], rng)
    return found


def extreme(data: Plain, box: InstanceBox, rng: np.random.Generator) -> Plain:
    """Return a copy of plain data with whole families at an end of their range, and fewer jobs.

    Worst cases lie where most families are at one of their ends: for each family it is drawn
    whether its numbers go to the lower end, the upper one, each to either, anywhere, or stay.  Few
    jobs are drawn more often than many: they are scored faster.
    """
    found: Plain = copied(data)
    jobs: list[Any] = (found.get(shape_of(box.kind).records) or []) if box.kind else []
    if jobs and not box.fixed:
        del jobs[1 + int(len(jobs) * rng.random() ** 2) :]
    ways: dict[str, int] = {}
    for family, holder, key in entries(found):
        if family not in box.ranges or not box.ranges[family].open:
            continue
        allowed, way = box.ranges[family], ways.setdefault(family, int(rng.integers(5)))
        if way <= 1:
            end = allowed.low, allowed.high
            holder[key] = allowed.clipped(end[way])
        elif way == 2:
            holder[key] = allowed.clipped(allowed.low if rng.random() < 0.5 else allowed.high)
        elif way == 3:
            holder[key] = drawn(allowed, rng)
    return found


def pushed(data: Plain, box: InstanceBox, rng: np.random.Generator) -> Plain:
    """Return a copy of plain data with one family, or one list of it, at an end of its range.

    `moved` does so among much else, too seldom to try all families while a search lasts.
    """
    found: Plain = copied(data)
    if (drawn_family := _family(found, box, rng)) is None:
        return found
    allowed, members = drawn_family
    held = members[int(rng.integers(len(members)))][0]
    alone = isinstance(held, list) and rng.random() < 0.5
    value = allowed.clipped(allowed.low if rng.random() < 0.5 else allowed.high)
    for holder, key in members:
        if not alone or holder is held:
            holder[key] = value
    return found


LOST = 0.01  #: Share of the ratio that shrinking may give up in all.
DIGITS = (1, 2, 3)  #: Digits to which numbers are rounded, the fewest first.


def shrunk(
    scored: ScoredInstance, box: InstanceBox, scorer: Scorer, *, seconds: float = math.inf
) -> tuple[ScoredInstance, bool]:
    """Leave out parts and round numbers while the ratio keeps within `LOST`.

    Ends after that CPU time with what it has; says whether nothing more can be left out or rounded.
    """
    least = scored.height + math.log1p(-LOST)

    def tried(data: Plain, current: ScoredInstance) -> ScoredInstance | None:
        instance = box.built(data)
        if instance is None or instance.sha256 == current.instance.sha256:
            return None
        found = scorer.score(instance, least)
        return found if found is not None and found.height >= least else None

    return reduced(scored, lambda one: plain_of(one.instance), box, tried, seconds=seconds)


Held = TypeVar("Held")


def reduced(
    current: Held,
    plain: Callable[[Held], Plain],
    box: InstanceBox,
    tried: Callable[[Plain, Held], Held | None],
    *,
    seconds: float = math.inf,
) -> tuple[Held, bool]:
    """Leave out parts and round numbers of something while it stays what it is.

    ``tried`` says what plain fields with a part less, or fewer digits, make instead of the second;
    None where that is not wanted.  Ends as `shrunk`, with what that says.
    """
    end = time.process_time() + seconds
    changed = True
    while changed:
        changed = False
        for simpler in (_parts, _digits):
            while (found := _first(simpler(plain(current), box), current, tried, end)) is not None:
                current, changed = found, True
            if time.process_time() >= end:
                return current, False
    return current, True


def _first(
    candidates: Iterator[Plain],
    current: Held,
    tried: Callable[[Plain, Held], Held | None],
    end: float,
) -> Held | None:
    """Try simpler fields until one is wanted."""
    for data in candidates:
        if time.process_time() >= end:
            return None
        found = tried(data, current)
        if found is not None:
            return found
    return None


def _parts(data: Plain, box: InstanceBox) -> Iterator[Plain]:
    """Yield instances with one part less."""
    shape = shape_of(box.kind)
    if not box.kind or box.fixed:
        return
    yield from shape.smaller(data)
    if not any(True for _ in shape.smaller(data)):
        for job in range(len(data.get(shape.records) or ())):
            yield without(data, job, shape.records)


def _digits(data: Plain, box: InstanceBox) -> Iterator[Plain]:
    """Yield instances with numbers of fewer digits: all of them, a family, a single one."""
    families = sorted({family for family, _, _ in entries(data) if family in box.ranges})
    for digits in DIGITS:
        yield _rounded(data, box, digits, set(families))
    for family in families:
        for digits in DIGITS:
            yield _rounded(data, box, digits, {family})


def _rounded(data: Plain, box: InstanceBox, digits: int, families: set[str]) -> Plain:
    """Copy with numbers of some families rounded that have more digits; ranges are kept."""
    found: Plain = copied(data)
    for family, holder, key in entries(found):
        if family in families and holder[key]:
            near = float(f"{holder[key]:.{digits - 1}e}")
            if box.ranges[family].clipped(near) == near:
                holder[key] = int(near) if box.ranges[family].whole else near
    return found
