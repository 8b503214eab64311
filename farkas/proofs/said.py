"""What a statement says of one example, and among which examples it can be attacked."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from farkas.proofs.stated import Stated
from farkas.tolerances import ROUNDING, close


@dataclasses.dataclass(frozen=True, slots=True)
class Saying:
    """What a statement says of one example; build it with `said`."""

    relations: tuple[Stated, ...]  #: All of which the statement claims.
    given: tuple[Stated, ...] = ()  #: All of which it assumes: where one fails, it says nothing.
    #: Named values a reader can recompute.
    numbers: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def applies(self) -> bool:
        """Whether all that is assumed is so."""
        return all(relation.holds for relation in self.given)

    @property
    def broken(self) -> tuple[Stated, ...]:
        """Relations that fail beyond rounding although all that is assumed is so."""
        return tuple(filter(beyond_rounding, self.relations)) if self.applies else ()

    @property
    def shown(self) -> tuple[Stated, ...]:
        """Relations that fail, as a refutation states them; all of them where none does."""
        return tuple(one for one in self.relations if not one.holds) or self.relations

    @property
    def slack(self) -> float:
        """Smallest distance from violation."""
        return min(relation.slack for relation in self.relations)


def said(*relations: Stated, given: Iterable[Stated] = (), **numbers: float) -> Saying:
    """Say something of an example; at least one relation.

    >>> said(Stated(1, "<=", 2), given=[Stated(0, ">", 0)]).applies
    False
    """
    if not relations:
        raise ValueError("nothing is said of the example")
    return Saying(relations, tuple(given), numbers)


def beyond_rounding(relation: Stated) -> bool:
    """Whether a relation fails, and not only because its sides were rounded.

    A tolerance of its own is what the claim allows for that.  Without one, sides that are doubles
    have to differ by `ROUNDING`; a strict relation of doubles fails at equal sides only where these
    are no result of rounding: 0, or infinite.

    >>> beyond_rounding(Stated(1.0 + 1e-15, "<=", 1.0)), beyond_rounding(Stated(0.0, ">", 0.0))
    (False, True)
    """
    if relation.holds:
        return False
    sides = relation.left, relation.right
    if relation.tolerance or all(isinstance(side, int | Fraction) for side in sides):
        return True
    left, right = map(float, sides)
    if left == right:
        return left in (0.0, float("inf"), float("-inf"))
    return not close(left, right, ROUNDING) and abs(left - right) > ROUNDING * relation.size


#: Says what a statement says of an instance, or of other input; None where that is nothing.
Says = Callable[[Any], Saying | None]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Where a claim is attacked: the box around draws."""

    #: preset, size: of the generator of the claim's kind; by default the smallest draws of the
    #: kind.
    preset: str | None = None
    size: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: Draws of the claim's own, instead of the generator's: instances, or mappings of numbers and
    #: lists of numbers where the claim is about such.
    samples: Callable[[], Iterable[Any]] | None = None
    #: Lowest and highest value by name of a field; of others that of the draws.
    ranges: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)

    def over(self, **ranges: tuple[float, float]) -> Among:
        """Return the same with other ranges."""
        return dataclasses.replace(self, ranges=ranges)

    def sized(self, **size: int) -> Among:
        """Return the same with some sizes changed."""
        return dataclasses.replace(self, size={**self.size, **size})
