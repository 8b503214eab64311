"""Doubles as exact numbers, and plain data of decisions as typed records."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Any, TypeVar

import msgspec

from farkas.errors import NotACertificate
from farkas.messages import parsed

T = TypeVar("T")


#: A count or a position of a decision; no honest one is beyond what a double holds.
Whole = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the records that decisions are read into: unknown and missing fields are refused."""


def decoded(decisions: Any, wanted: type[T]) -> T:
    """Read plain data of decisions as ``wanted``.

    Raises
    ------
    NotACertificate
        When they are something else; names the place.
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

    With them sums and products of doubles are sums and products of integers, which is many times
    as fast as fractions.

    Raises
    ------
    NotACertificate
        When a number is not finite.

    >>> places([0.5, 0.375, 7.0])
    3
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


def quotient(numerator: int, denominator: int, places: int = 128) -> tuple[Fraction, Fraction]:
    """Bounds on a quotient, about a share 2**-places of it apart; equal when it has so few places.

    Sums of quotients of different denominators grow without end; sums of these bounds do not.

    Parameters
    ----------
    denominator
        > 0.

    >>> low, high = quotient(1, 3)
    >>> low < Fraction(1, 3) < high, quotient(3, 4) == (Fraction(3, 4), Fraction(3, 4))
    (True, True)
    """
    shift = places + denominator.bit_length() - abs(numerator).bit_length()
    if shift < 0:  # as many places whatever the unit, also of what is large
        whole, rest = divmod(numerator, denominator << -shift)
        return Fraction(whole << -shift), Fraction((whole + (rest > 0)) << -shift)
    whole, rest = divmod(numerator << shift, denominator)
    return Fraction(whole, 1 << shift), Fraction(whole + (rest > 0), 1 << shift)
