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
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.certificates.doubles import nearest
from farkas.certificates.encoding import rational, shown
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_at_most
from farkas.errors import NotACertificate
from farkas.messages.refusals import parsed
from farkas.numbers import Array, Floats
from farkas.registry import Registry
from farkas.tolerances import FORGIVEN, ROUNDING

if TYPE_CHECKING:
    from farkas.forms import Sense
    from farkas.instances import Instance


Exact = Fraction | int  #: A number without rounding error.


class RunDecisions(Protocol):
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
class Replay:
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
    def of(cls, value: Exact, kept: Requirements | None = None, **others: Any) -> Replay:
        """Build from an exact value, and what is known about requirements."""
        return cls.between(value, value, kept or Requirements(), **others)

    @classmethod
    def between(cls, low: Exact, high: Exact, kept: Requirements, **others: Any) -> Replay:
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


class Requirements:
    """How well requirements are kept.

    What counts as kept must be worth no more than its share, whatever it costs to keep.  Where
    requirements are capacities, it is: at any prices y >= 0 that prove a bound, use beyond a
    capacity c by a share ε earns ε y c at most, and y c is a part of the bound; so every decision
    must be one that the bound prices, one by one (whole rings and schedules are, by the floors of
    the instance; shares of workers can be scaled by 1 + ε, and the time with them).  Where data
    must be moved and jobs served, a missed share can cost more than all the rest: what is missed is
    made good and charged (`farkas.replay.mlbroker_fractional`).

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

        Policies compare rounded sums; a replay forgives a sixty-fourth more than they do, so that
        no rounding makes a run that was accepted a broken one.  The share is of ``unit``, by
        default the size of the limit.
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


#: From an instance and a run; None when the decisions are of an algorithm it knows nothing of.
ReplayRule = Callable[[Any, RunDecisions], Replay | None]

#: By kind; the value of a run of another kind is the run's word.
replays: Registry[ReplayRule] = Registry("replay", "farkas.replay")

#: By kind, fields of decisions that no replay reads: they are the word of the file.
unread: Registry[tuple[str, ...]] = Registry("fields that no replay reads", "farkas.replay")


def replay(run: RunDecisions, instance: Instance) -> Replay | None:
    """Check and value the decisions of a run on ``instance``; None when nothing can.

    Raises `NotACertificate` when the run is of another kind, or its decisions are no decisions of
    the kind.
    """
    if run.kind != instance.kind:
        raise NotACertificate(f"the run is of kind {run.kind!r}, the instance {instance.kind!r}")
    if not run.algorithm.startswith(f"{instance.kind}."):
        raise NotACertificate(f"{run.algorithm!r} is no algorithm of kind {instance.kind}")
    rule = replays.get(instance.kind)
    return None if rule is None else rule(instance, run)


T = TypeVar("T")


#: A count or a position of a decision; no honest one is beyond what a double holds.
Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the records that decisions are read into: unknown and missing fields are refused."""


def decoded(decisions: Any, wanted: type[T]) -> T:
    """Read plain data of decisions as ``wanted``.

    Raises `NotACertificate`: they are something else; names the place.
    """
    try:
        return msgspec.convert(decisions, wanted)
    except msgspec.ValidationError as error:
        raise NotACertificate(
            f"the decisions of the run are none of its kind: {parsed(error)}"
        ) from None


def exact(number: float) -> Fraction:
    """Return the number that a double stores; raises `NotACertificate` unless it is finite."""
    if not math.isfinite(number):
        raise NotACertificate(f"the decisions of the run hold {number}")
    return Fraction(number)


def places(numbers: Iterable[float]) -> int:
    """Binary places after the point that write all ``numbers`` out.

    With them sums and products of doubles are sums and products of integers, which is many times as
    fast as fractions.  Raises `NotACertificate`: a number is not finite.
    """
    most = 1
    for number in numbers:
        try:
            _, denominator = number.as_integer_ratio()
        except (OverflowError, ValueError):
            raise NotACertificate(f"the decisions of the run hold {number}") from None
        most = max(most, denominator)
    return most.bit_length() - 1


def fixed(number: float, places: int) -> int:
    """Return ``number`` in units of 2**-places, which must be `places` enough to write it out.

    >>> fixed(0.375, 4)
    6
    """
    numerator, denominator = number.as_integer_ratio()
    return numerator << (places + 1 - denominator.bit_length())


def whole(*tables: npt.ArrayLike) -> tuple[list[Array], int]:
    """Write tables of doubles as arrays of Python's integers, and say in which `places`.

    >>> whole([0.5, 2.0], [[0.25]])
    ([array([2, 8], dtype=object), array([[1]], dtype=object)], 2)
    """
    given = [np.asarray(table, dtype=float) for table in tables]
    after = places(number for table in given for number in table.ravel().tolist())
    return [np.reshape(_column(table, after), table.shape) for table in given], after


def _column(table: Floats, after: int) -> Array:
    return np.array([fixed(number, after) for number in table.ravel().tolist()], dtype=object)


KEPT_PLACES = 128  #: Binary places of the bounds on a quotient, of which the first is not 0.


def quotient(numerator: int, denominator: int) -> tuple[Fraction, Fraction]:
    """Bounds on a quotient, within its first `KEPT_PLACES`; equal when it has no more.

    Sums of quotients of different denominators grow without end; sums of these bounds do not.
    ``denominator``: > 0.

    >>> low, high = quotient(1, 3)
    >>> low < Fraction(1, 3) < high, quotient(3, 4) == (Fraction(3, 4), Fraction(3, 4))
    (True, True)
    """
    shift = KEPT_PLACES + denominator.bit_length() - abs(numerator).bit_length()
    if shift < 0:  # as many places whatever the unit, also of what is large
        whole, rest = divmod(numerator, denominator << -shift)
        return Fraction(whole << -shift), Fraction((whole + (rest > 0)) << -shift)
    whole, rest = divmod(numerator << shift, denominator)
    return Fraction(whole, 1 << shift), Fraction(whole + (rest > 0), 1 << shift)


class RunStatement(RunDecisions, Protocol):
    """What a run says of its own worth."""

    @property
    def sense(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def value_exact(self) -> str | None: ...
    @property
    def violations(self) -> list[str]: ...
    @property
    def ratio(self) -> float | None: ...


def audit(run: RunStatement, instance: Instance, found: Replay | None = None) -> Replay | None:
    """Replay a run and compare with what it says of itself; None when nothing can replay it.

    Raises `NotACertificate` when the run states another value, hides requirements that it breaks,
    claims to break some although it breaks none, or states a ratio or an exact value that nothing
    proves.  ``found`` is its replay, where that is known.
    """
    found = found or replay(run, instance)
    if found is not None and found.broken and not run.violations:
        more = f" and {len(found.broken) - 1} more" if len(found.broken) > 1 else ""
        raise NotACertificate(f"the run says that it breaks nothing; {found.broken[0]}{more}")
    if found is not None and run.violations and not found.broken and not found.excess:
        raise NotACertificate("the run says that it breaks requirements; replayed it keeps all")
    if run.violations and run.ratio is not None:
        raise NotACertificate("the run says that it breaks requirements, and yet claims a ratio")
    if run.value_exact is not None and (run.violations or found is None):
        why = "it breaks requirements" if run.violations else "nothing replays its decisions"
        raise NotACertificate(f"the run claims an exact value, although {why}")
    if found is not None and not found.broken:  # else the value says nothing
        _compare(run, found)
    return found


def _compare(run: RunStatement, found: Replay) -> None:
    """Raise `NotACertificate` unless the stated value, rounded and exact, is that of the replay."""
    proved = found.proved(run.sense)
    room = Fraction(ROUNDING) * found.magnitude
    if not _near(run.value, proved, room):
        raise NotACertificate(
            f"the run claims the value {run.value:.17g}, its decisions are worth {_text(proved)}"
        )
    if run.value_exact is None:
        return
    claimed = rational(run.value_exact, "value_exact")
    better = claimed < proved if run.sense == "min" else claimed > proved
    if better or abs(claimed - proved) > room:
        raise NotACertificate(
            f"the run claims the exact value {_text(claimed)}, its decisions are worth "
            f"{_text(proved)}"
        )


def is_as_decided(run: RunStatement, found: Replay) -> bool:
    """Whether a run states what its decisions cost as they are, and a point beside them counts."""
    if found.decided is None or found.broken:
        return False
    room = Fraction(ROUNDING) * found.magnitude
    as_decided = _near(run.value, found.decided, room)
    return as_decided and not _near(run.value, found.proved(run.sense), room)


def _near(value: float, exact: Fraction, room: Fraction) -> bool:
    if not math.isfinite(value):
        return False
    # below the least normal double the nearest one is farther away than the room
    return abs(Fraction(value) - exact) <= room or value == nearest(exact)


def _text(number: Fraction) -> str:
    return shown(str(number))


def replayed_ratio(sense: Sense, found: Replay, bound: Fraction) -> float | None:
    """Return the certified ratio of decisions, rounded up; None when it says nothing.

    Decisions that break a requirement have no ratio.  Raises `NotACertificate` when they are better
    than the proved bound: at all if they keep everything exactly, else by more than what counts as
    kept.
    """
    if found.broken:
        return None
    return ratio_at_most(sense, found.proved(sense), bound, exact=not found.excess)


def excess_words(found: Replay) -> str:
    """Share by which requirements are missed at most: two digits, rounded up."""
    return rounded(found.excess, up=True, digits=2)
