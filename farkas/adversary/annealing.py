"""Simulated annealing: a rise is always taken, a fall the more seldom the lower the temperature."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

KEPT = 6  #: Incumbents.


class Candidate(Protocol):
    """Anything with a height, which is to be large."""

    @property
    def height(self) -> float:
        """In logarithms, so that a difference of heights knows no unit."""
        ...


C = TypeVar("C", bound=Candidate)
S = TypeVar("S", bound=Candidate)
Share = Callable[[], float]  #: Draws from [0, 1).


@dataclasses.dataclass(frozen=True, slots=True)
class Cooling:
    """How the temperature falls, by the same factor with each move."""

    #: warm, cold: first and last temperature; at 1 a loss of 1 in height is taken once in e times.
    warm: float
    cold: float
    moves: int

    def __call__(self, move: int) -> float:
        """Temperature of a move."""
        return self.warm * float((self.cold / self.warm) ** (move / self.moves))


def accepted(change: float, temperature: float, share: Share) -> bool:
    """Whether a walk goes on from a neighbour that is higher by ``change``."""
    return change >= 0 or share() < math.exp(change / temperature)


def descent(
    start: S,
    neighbour: Callable[[S | C], C | None],
    temperature: Callable[[int], float],
    moves: int,
    share: Share,
) -> Iterator[C | None]:
    """Walk while the temperature falls, and yield all neighbours; None is none."""
    current: S | C = start
    for move in range(moves):
        other = neighbour(current)
        if other is not None and accepted(other.height - current.height, temperature(move), share):
            current = other
        yield other


def kept(incumbents: list[C], found: C) -> None:
    """Put a candidate among the incumbents, the highest of which stay, in order of height."""
    incumbents.append(found)
    incumbents.sort(key=lambda one: -one.height)
    del incumbents[KEPT:]


def chosen(incumbents: list[C], share: Share) -> C:
    """Draw an incumbent, high ones more often."""
    return incumbents[int(len(incumbents) * share() ** 2)]
