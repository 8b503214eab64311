"""Fractions of many digits as text: Python itself refuses more than 4,300 at once.

Vertices of real programs have denominators of more than 20,000 bits.
"""

from __future__ import annotations

import re
from fractions import Fraction

from farkas.certificates.packed import rational
from farkas.errors import NotACertificate

CHUNK = 4000
"""Digits that are converted at once."""
MOST_DIGITS = 15_000
"""Digits of a numerator or denominator in a file."""

_LONG = re.compile(
    rf"(-?)(0|[1-9][0-9]{{0,{MOST_DIGITS - 1}}})(?:/([1-9][0-9]{{0,{MOST_DIGITS - 1}}}))?"
)


def text_of(value: Fraction | int) -> str:
    """Write ``p`` or ``p/q``, however long.

    >>> text_of(Fraction(-7, 2)), len(text_of(10**5000))
    ('-7/2', 5001)
    """
    top, bottom = value.numerator, value.denominator
    sign = "-" if top < 0 else ""
    return sign + _digits(abs(top)) + ("" if bottom == 1 else f"/{_digits(bottom)}")


def long_rational(text: str, what: str) -> Fraction:
    """Read ``p`` or ``p/q``; raises :class:`NotACertificate` for anything else.

    >>> long_rational(text_of(10**5000), "value") == 10**5000
    True
    """
    if len(text) < CHUNK:
        return rational(text, what)
    found = _LONG.fullmatch(text)
    if found is None:
        raise NotACertificate(f"{what}: {text[:37]!r}... is not a fraction like -7/2")
    sign, top, bottom = found.groups()
    exact = Fraction(_whole(top), 1 if bottom is None else _whole(bottom))
    return -exact if sign else exact


def _digits(number: int) -> str:
    parts = []
    while number:
        number, rest = divmod(number, 10**CHUNK)
        parts.append(str(rest).zfill(CHUNK) if number else str(rest))
    return "".join(reversed(parts)) or "0"


def _whole(digits: str) -> int:
    found = 0
    for at in range(0, len(digits), CHUNK):
        part = digits[at : at + CHUNK]
        found = found * 10 ** len(part) + int(part)
    return found
