"""What a picture of an instance shows, as plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from farkas.experiments.explained import explanation
from farkas.registry import Registry


@dataclasses.dataclass(frozen=True, slots=True)
class Bars:
    """Amounts by place.

    Parameters
    ----------
    title
        What they are amounts of.
    places
        Name of each site, server or worker.
    amounts
        By name of a resource, one amount >= 0 for each place, in the unit of the resource; None
        where there is no limit.
    """

    title: str
    places: Sequence[str]
    amounts: Mapping[str, Sequence[float | None]]


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnNetwork:
    """How places are joined.

    Parameters
    ----------
    nodes
        Name of each.
    servers
        Whether each hosts workers.
    links
        Pairs of nodes and their bandwidth; infinite where there is no limit.
    """

    nodes: Sequence[str]
    servers: Sequence[bool]
    links: Mapping[tuple[int, int], float]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a picture of an instance shows; parts that a kind has not are None or empty.

    Parameters
    ----------
    spans
        First slot of each job and the slot after its last, ``start < end``.
    end
        Slots in all.
    spanned
        What jobs are from their first to their last slot, in words that follow "jobs".
    bars
        Amounts by place.
    network
        Joined places.
    """

    spans: Sequence[tuple[float, float]] = ()
    end: float = 0.0
    spanned: str = ""
    bars: Sequence[Bars] = ()
    network: DrawnNetwork | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Outlined:
    """How instances of a kind are outlined, and what that shows."""

    made: Callable[[Any], Outline]
    explanation: str


outlines: Registry[Outlined] = Registry("outline of instances", "farkas.experiments.outlines")
"""By kind."""


def outline(kind: str) -> Callable[[Callable[[Any], Outline]], Callable[[Any], Outline]]:
    """Register the decorated function, called with an instance."""

    def register(made: Callable[[Any], Outline]) -> Callable[[Any], Outline]:
        outlines.add(kind, Outlined(made, explanation(made, f"outline of {kind}")))
        return made

    return register


def together(spans: Sequence[tuple[float, float]], end: float) -> list[int]:
    """Count the jobs of each slot.

    >>> together([(0, 2), (1, 3)], 4)
    [1, 2, 1, 0]
    """
    steps = [0] * (int(end) + 1)
    for start, stop in spans:
        steps[int(start)] += 1
        steps[min(int(stop), int(end))] -= 1
    counts, now = [], 0
    for step in steps[:-1]:
        now += step
        counts.append(now)
    return counts
