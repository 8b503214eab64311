"""Doubles beside exact numbers: they never claim more."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

from farkas.certificates.encoding import rational
from farkas.errors import NotACertificate


def double(value: Fraction, *, up: bool | None) -> float | None:
    """Nearest double on the stated side of ``value``, of all for None; None beyond finite ones.

    >>> double(Fraction(1, 10), up=False), double(Fraction(1, 10), up=True)
    (0.09999999999999999, 0.1)
    """
    return double_of(*value.as_integer_ratio(), up=up)


def double_of(top: int, bottom: int, *, up: bool | None) -> float | None:
    """Nearest double on the stated side of ``top / bottom``, as `double`; ``bottom``: > 0."""
    try:
        near = top / bottom  # rounded correctly
    except OverflowError:
        return None
    # whole numbers: comparing a double with a fraction makes one of it
    number, unit = near.as_integer_ratio()
    short = top * unit - number * bottom
    if up is not None and (short > 0 if up else short < 0):
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


def both(name: str, value: Fraction | None, *, up: bool | None) -> dict[str, float | str | None]:
    """Nearest double on the stated side of a number, and the number itself, by name.

    >>> both("bound", Fraction(1, 3), up=False)
    {'bound': 0.3333333333333333, 'bound_exact': '1/3'}
    """
    if value is None:
        return {name: None, f"{name}_exact": None}
    return {name: double(value, up=up), f"{name}_exact": text_of(value)}


MOST_DIGITS = 15_000  #: Digits of a numerator or denominator in a tree: vertices have long ones.


def long_rational(text: str, what: str) -> Fraction:
    """Read ``p`` or ``p/q``; raises :class:`NotACertificate` for anything else.

    >>> long_rational("1" + 5000 * "0", "value") == 10**5000
    True
    """
    return rational(text, what, MOST_DIGITS)


# How much work the check of one file may take.
#
# Without a limit a file of n words can ask for n squared of steps, each on numbers that grow.


MOST_WORK = 2**28  #: Steps for one file: some minutes to twenty, see `docs/trust.md`.


class Work:
    """The steps of one check, counted before they are made.

    A step is a term that is touched, and once more for every piece of 256 bits of its numbers and
    every 64 pairs of pieces: products and common divisors of long numbers take the square of their
    length.  So a step takes some microseconds at most, whatever the numbers.  ``most``: steps after
    which the file is given up.
    """

    def __init__(self, most: float = MOST_WORK) -> None:
        self.most, self.done = most, 0

    def charge(self, terms: int, *numbers: Fraction | int) -> None:
        """Count the steps that come next; raises `NotACertificate` when they are too many."""
        self._count(1 + terms + _more(numbers))

    def charge_each(self, terms: int, *numbers: Fraction | int) -> None:
        """Count as many steps with numbers no longer than these."""
        self._count(1 + terms * (1 + _more(numbers)))

    def _count(self, steps: int) -> None:
        self.done += steps
        if self.done > self.most:
            problem = f"takes more than {self.most} steps to check; --most-work allows more"
            raise NotACertificate(f"tree: {problem}")

    def plus(
        self, total: Fraction | int, factor: Fraction | int, value: Fraction | int
    ) -> Fraction:
        """Return ``total + factor * value``."""
        self.charge(0, total, factor, value)
        return total + factor * value  # type: ignore[return-value]

    def read(self, text: str, what: str) -> Fraction:
        """Read ``p`` or ``p/q``."""
        number = long_rational(text, what)
        self.charge(0, number)
        return number


def _more(numbers: tuple[Fraction | int, ...]) -> int:
    """Return the steps beyond the first, for numbers that are long."""
    bits = 0
    for number in numbers:
        bits += number.numerator.bit_length() + number.denominator.bit_length()
    pieces = bits >> 8
    return pieces + (pieces * pieces >> 6)
