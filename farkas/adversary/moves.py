"""Moves from one instance of a box to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from farkas.adversary.box import Entry, InstanceBox, Range, entries
from farkas.adversary.shape import Plain, copied, shape_of
from farkas.portable.draws import uniform
from farkas.portable.exponentials import exp
from farkas.portable.logarithms import log

REORDERED = 0.15
"""Share of moves that leave out, double or exchange whole jobs."""


SCALED = 1.4
"""Numbers are scaled by a factor whose logarithm is no larger."""


def moved(data: Plain, box: InstanceBox, rng: np.random.Generator) -> Plain:
    """Return a copy of plain data after one to three moves inside a box."""
    found: Plain = copied(data)
    for _ in range(1 + int(rng.integers(3))):
        if not (rng.random() < REORDERED and _reordered(found, box, rng)):
            _changed(found, box, rng)
    return found


def _reordered(data: Plain, box: InstanceBox, rng: np.random.Generator) -> bool:
    """Leave out, double or exchange jobs in place; False where there are none."""
    jobs: list[Any] = (data.get(shape_of(box.kind).records) or []) if box.kind else []
    if not jobs:
        return False
    here, there = (int(k) for k in rng.integers(len(jobs), size=2))
    what = int(rng.integers(3))
    if what == 0 and len(jobs) > 1:
        del jobs[here]
    elif what == 1 and len(jobs) < box.most:
        jobs.insert(there, copied(jobs[here]))
    else:
        jobs[here], jobs[there] = jobs[there], jobs[here]
    return True


def _changed(data: Plain, box: InstanceBox, rng: np.random.Generator) -> None:
    """Change numbers of one family in place: one of them, those of one list, or all.

    Families are drawn first, so that long lists do not get all the moves.
    """
    by_family: dict[str, list[Entry]] = {}
    for family, holder, key in entries(data):
        if family in box.ranges and box.ranges[family].open:
            by_family.setdefault(family, []).append((holder, key))
    if not by_family:
        return
    family = sorted(by_family)[int(rng.integers(len(by_family)))]
    members, allowed = by_family[family], box.ranges[family]
    holder, key = members[int(rng.integers(len(members)))]
    scope = int(rng.integers(4))
    chosen = [(holder, key)]
    if scope == 0:
        chosen = members
    elif scope == 1 and isinstance(holder, list):
        chosen = [member for member in members if member[0] is holder]
    _set(chosen, members, allowed, rng)


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
    factor = exp(uniform(rng, -SCALED, SCALED))
    for holder, key in chosen:
        holder[key] = allowed.clipped(holder[key] * factor if value is None else value)


def drawn(allowed: Range, rng: np.random.Generator) -> float:
    """Draw from a range: by size where it begins above zero, else evenly."""
    if allowed.low > 0:
        return allowed.clipped(exp(uniform(rng, log(allowed.low), log(allowed.high))))
    return allowed.clipped(uniform(rng, allowed.low, allowed.high))
