"""Decisions of a run, checked and valued again from the instance alone, in exact arithmetic.

A bound proves one side of a ratio.  A replay proves the other: it reads the decisions as the run's
file holds them, checks every requirement of the instance and computes the value, without a rounded
operation and without any code that decided or priced the run.  Numbers are the doubles that the
instance and the decisions store.

A kind brings its replay in ``farkas/replay/<kind>.py``::

    @replays.register("mlbroker")
    def replay(instance: Brokerage, run: Decided) -> Replayed: ...
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from farkas.errors import NotACertificate
from farkas.registry import Registry
from farkas.tolerances import FORGIVEN, ROUNDING

if TYPE_CHECKING:
    from farkas.instances import Instance

Exact = Fraction | int  #: A number without rounding error.


class Decided(Protocol):
    """What a replay reads of a run; nothing else in it is looked at."""

    @property
    def algorithm(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    @property
    def decisions(self) -> list[Any]: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Replayed:
    """What decisions are worth, and what they exceed or break."""

    #: low, high: the value lies in [low, high]; equal unless a formula of the paper is irrational.
    low: Fraction
    high: Fraction
    #: Largest share by which a requirement is missed although that counts as kept, or 0.
    excess: Fraction = Fraction(0)
    #: Requirements that are missed by more, in words; then the value says nothing.
    broken: tuple[str, ...] = ()
    #: Of the parts of the value, in all: what a rounded one is held against; None: the value's.
    size: Fraction | None = None
    #: A sentence on what the value means, where it is not what the environment of the kind says.
    note: str = ""
    #: What decisions cost as they are, where the value is that of a point that keeps all exactly.
    decided: Fraction | None = None
    #: Whether all that is broken is that something never ends, and the value is a time.
    endless: bool = False

    @classmethod
    def of(cls, value: Exact, kept: Kept | None = None, **others: Any) -> Replayed:
        """Build from an exact value, and what is known about requirements."""
        known = kept or Kept()
        exact = Fraction(value)
        return cls(exact, exact, known.excess, tuple(known.broken), **others)

    @classmethod
    def between(cls, low: Exact, high: Exact, kept: Kept, **others: Any) -> Replayed:
        """Build from bounds on the value, and what is known about requirements."""
        return cls(Fraction(low), Fraction(high), kept.excess, tuple(kept.broken), **others)

    def proved(self, sense: str) -> Fraction:
        """Return what a cost is at most, or what a reward is at least.

        Ends of an interval, and fractions too long for a file, are rounded to that side.
        """
        up = sense == "min"
        value = self.high if up else self.low
        if self.low == self.high and value.denominator.bit_length() <= LONGEST:
            return value
        size = abs(value.numerator).bit_length() - value.denominator.bit_length()
        grid = Fraction(2) ** (DIGITS - size)
        return (math.ceil(value * grid) if up else math.floor(value * grid)) / grid

    @property
    def magnitude(self) -> Fraction:
        """Size of the numbers that make up the value."""
        return max(abs(self.low), abs(self.high), self.size or Fraction(0))


LONGEST = 4096  #: Bits of a denominator; a longer fraction is rounded.

DIGITS = 256  #: Binary digits that rounding leaves.


class Kept:
    """How well requirements are kept.

    What counts as kept must be worth no more than its share, whatever it costs to keep.  Where
    requirements are capacities, it is: at any prices y >= 0 that prove a bound, use beyond a
    capacity c by a share ε earns ε y c at most, and y c is a part of the bound; so every decision
    must be one that the bound prices, one by one (whole rings and schedules are, by the floors of
    the instance; shares of workers can be scaled by 1 + ε, and the time with them).  Where data
    must be moved and jobs served, a missed share can cost more than all the rest: what is missed is
    made good and charged (`farkas.replay.mlbroker_mended`).

    Attributes
    ----------
    excess
        Largest share by which one is missed although that counts as kept.
    broken
        Those that are missed by more, in words.
    """

    def __init__(self) -> None:
        self.excess = Fraction(0)
        self.broken: list[str] = []

    def within(
        self,
        used: Exact,
        limit: Exact,
        tolerance: float = ROUNDING,
        *,
        unit: Exact | None = None,
    ) -> bool:
        """Whether ``used`` is at most ``limit``, or more by a share that counts as kept.

        Environments compare rounded sums; a replay forgives a sixty-fourth more than they do, so
        that no rounding makes a run that was accepted a broken one.

        Parameters
        ----------
        used, limit
            Exact numbers, in any common unit.
        tolerance
            Share that counts as kept, a number of `farkas.tolerances`.
        unit
            What the share is of; by default the size of the limit.
        """
        if used <= limit:
            return True
        missed = used - limit
        whole = unit if unit is not None else limit if limit > 0 else -limit
        if not whole:
            return False
        if missed * self.excess.denominator <= self.excess.numerator * whole:
            return True  # by less than another one
        share = Fraction(missed) / Fraction(whole)
        if share > Fraction(tolerance) * Fraction(FORGIVEN):
            return False
        self.excess = max(self.excess, share)
        return True

    def equal(
        self, left: Exact, right: Exact, tolerance: float = ROUNDING, *, unit: Exact | None = None
    ) -> bool:
        """Whether two numbers are equal, or differ by a share that counts as none."""
        if left == right:
            return True
        whole = max(abs(Fraction(left)), abs(Fraction(right))) if unit is None else unit
        return self.within(max(left, right) - min(left, right), 0, tolerance, unit=whole)


#: From an instance and a run; None when the decisions are of an algorithm it knows nothing of.
Replay = Callable[[Any, Decided], Replayed | None]

#: By kind; the value of a run of another kind is the run's word.
replays: Registry[Replay] = Registry("replay", "farkas.replay")


def replay(run: Decided, instance: Instance) -> Replayed | None:
    """Check and value the decisions of a run on ``instance``; None when nothing can.

    Parameters
    ----------
    run
        Of which decisions are read and, where an option changes what they are worth, options.
    instance
        The instance that the run is about.

    Raises
    ------
    NotACertificate
        When the run is of another kind, or its decisions are no decisions of the kind.
    """
    if run.kind != instance.kind:
        raise NotACertificate(f"the run is of kind {run.kind!r}, the instance {instance.kind!r}")
    if not run.algorithm.startswith(f"{instance.kind}."):
        raise NotACertificate(f"{run.algorithm!r} is no algorithm of kind {instance.kind}")
    rule = replays.get(instance.kind)
    return None if rule is None else rule(instance, run)
