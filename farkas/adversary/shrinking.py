"""Instances made small: parts left out and numbers rounded while they stay what they are."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from farkas.adversary.box import InstanceBox, entries, plain_of
from farkas.adversary.scoring import Scored, Scorer
from farkas.adversary.shape import Plain, copied, shape_of, without

LOST = 0.01  #: Share of the ratio that shrinking may give up in all.
DIGITS = (1, 2, 3)  #: Digits to which numbers are rounded, the fewest first.


def shrunk(
    scored: Scored, box: InstanceBox, scorer: Scorer, *, seconds: float = math.inf
) -> tuple[Scored, bool]:
    """Leave out parts and round numbers while the ratio keeps within `LOST`.

    Parameters
    ----------
    seconds
        CPU seconds after which it ends with what it has.

    Returns
    -------
    The instance, and whether nothing more can be left out or rounded.
    """
    least = scored.height + math.log1p(-LOST)

    def tried(data: Plain, current: Scored) -> Scored | None:
        instance = box.built(data)
        if instance is None or instance.sha256 == current.instance.sha256:
            return None
        found = scorer.score(instance, least)
        return found if found is not None and found.height >= least else None

    return reduced(scored, lambda one: plain_of(one.instance), box, tried, seconds=seconds)


S = TypeVar("S")


def reduced(
    current: S,
    plain: Callable[[S], Plain],
    box: InstanceBox,
    tried: Callable[[Plain, S], S | None],
    *,
    seconds: float = math.inf,
) -> tuple[S, bool]:
    """Leave out parts and round numbers of something while it stays what it is.

    Parameters
    ----------
    plain
        Its plain fields.
    tried
        What plain fields with a part less, or fewer digits, make instead of the second; None where
        that is not wanted.
    seconds
        CPU seconds after which it ends with what it has.

    Returns
    -------
    What is left, and whether nothing more can be left out or rounded.
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
    candidates: Iterator[Plain], current: S, tried: Callable[[Plain, S], S | None], end: float
) -> S | None:
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
            yield without(data, job, (shape.records,))


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
