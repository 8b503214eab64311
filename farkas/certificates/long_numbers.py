"""Fractions of many digits from text: Python itself refuses more than 4,300 at once.

Vertices of real programs have denominators of more than 20,000 bits.
"""

from __future__ import annotations

import decimal
import re
from fractions import Fraction

from farkas.certificates.packed import rational
from farkas.errors import NotACertificate

AT_ONCE = 4000  #: Digits that Python converts at once.
MOST_DIGITS = 15_000  #: Digits of a numerator or denominator in a file.

_LONG = re.compile(
    rf"(-?)(0|[1-9][0-9]{{0,{MOST_DIGITS - 1}}})(?:/([1-9][0-9]{{0,{MOST_DIGITS - 1}}}))?"
)


def long_rational(text: str, what: str) -> Fraction:
    """Read ``p`` or ``p/q``; raises :class:`NotACertificate` for anything else.

    >>> long_rational("1" + 5000 * "0", "value") == 10**5000
    True
    """
    if len(text) < AT_ONCE:
        return rational(text, what)
    found = _LONG.fullmatch(text)
    if found is None:
        raise NotACertificate(f"{what}: {text[:37]!r}... is not a fraction like -7/2")
    sign, top, bottom = found.groups()
    exact = Fraction(_whole(top), _whole(bottom or "1"))
    return -exact if sign else exact


def _whole(digits: str) -> int:
    return int(decimal.Decimal(digits))
