"""Doubles beside exact numbers: they never claim more."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction


def double(value: Fraction, *, up: bool) -> float | None:
    """Nearest double on the stated side of ``value``; None beyond all finite ones.

    >>> double(Fraction(1, 10), up=False), double(Fraction(1, 10), up=True)
    (0.09999999999999999, 0.1)
    """
    try:
        near = float(value)
    except OverflowError:
        return None
    if near < value if up else near > value:
        near = math.nextafter(near, math.inf if up else -math.inf)
    return near if math.isfinite(near) else None


def nearest(value: Fraction | float) -> float:
    """Nearest double; infinite beyond all finite ones."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def text_of(value: Fraction | int) -> str:
    """Write ``p`` or ``p/q``, however long; Python itself refuses more than 4,300 digits.

    >>> text_of(Fraction(-7, 2)), len(text_of(10**5000))
    ('-7/2', 5001)
    """
    top, bottom = map(decimal.Decimal, value.as_integer_ratio())
    return f"{top}" if bottom == 1 else f"{top}/{bottom}"


def both(name: str, value: Fraction | None, *, up: bool) -> dict[str, float | str | None]:
    """Nearest double on the stated side of a number, and the number itself, by name.

    >>> both("bound", Fraction(1, 3), up=False)
    {'bound': 0.3333333333333333, 'bound_exact': '1/3'}
    """
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: double(value, up=up), f"{name}_exact": text_of(value)}
