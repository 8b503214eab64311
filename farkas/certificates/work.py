"""How much work the check of one file may take.

Without a limit a file of n words can ask for n squared of steps, each on numbers that grow.
"""

from __future__ import annotations

from fractions import Fraction

from farkas.certificates.doubles import long_rational
from farkas.errors import NotACertificate

MOST_WORK = 2**28  #: Steps for one file: some minutes to twenty, see `docs/trust.md`.


class Work:
    """The steps of one check, counted before they are made.

    A step is a term that is touched, and once more for every piece of 256 bits of its numbers and
    every 64 pairs of pieces: products and common divisors of long numbers take the square of their
    length.  So a step takes some microseconds at most, whatever the numbers.

    Parameters
    ----------
    most
        Steps after which the file is given up.
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
