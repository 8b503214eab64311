"""What numbers must be before exact arithmetic uses them; everything else is refused.

numpy turns a double that is not finite, or too large, into some integer without an error.  So the
functions of this package send every cast through here, whoever calls them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from farkas.certificates.doubles import both, double
from farkas.certificates.long_numbers import long_rational
from farkas.certificates.ratio import certified_ratio
from farkas.errors import NotACertificate
from farkas.numbers import Bools, Floats, Ints

if TYPE_CHECKING:
    from farkas.certificates.proof import Proof


EXACT = 1 << 53  #: Integers up to here are doubles.


def finite(values: Floats | Ints | Bools, what: str) -> Floats:
    """Return ``values`` as doubles; they must be finite, and integers must fit without rounding.

    Raises
    ------
    NotACertificate
        Names ``what`` and the first offender.
    """
    if values.dtype.kind in "iub":
        if (values > EXACT).any() or (values < -EXACT).any():
            raise NotACertificate(f"{what}: an integer is too large for a double")
        return values.astype(np.float64)
    if values.dtype != np.float64:
        raise NotACertificate(f"{what}: numbers of type {values.dtype} instead of doubles")
    fine = np.isfinite(values)
    if not fine.all():
        raise NotACertificate(f"{what}: {values[~fine].flat[0]} is not a finite number")
    return np.asarray(values, dtype=np.float64)


def inside(indices: npt.NDArray[np.integer], size: int, what: str) -> None:
    """Raise `NotACertificate` unless all indices are from 0 to ``size - 1``."""
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= size):
        raise NotACertificate(f"{what}: an index lies outside 0..{size - 1}")


#: Casts stay below ``2**WIDEST``, so that a sum of two results still fits into 64 bits.
WIDEST = 62
MOST_CELLS = 1 << 26  #: Numbers of a table that a proof fills.
LONGEST_SEARCH = 1 << 32  #: Steps of searches and sums that a proof asks for.


def whole(values: Floats, what: str, *, bits: int = WIDEST) -> Ints:
    """Cast whole numbers below ``2**bits`` in absolute value, exactly.

    Raises
    ------
    NotACertificate
        When a number is not finite, not whole or too large.
    """
    values = finite(values, what)
    if (np.abs(values) >= 2.0 ** min(bits, WIDEST)).any():
        raise NotACertificate(f"{what}: {values.flat[np.abs(values).argmax()]:g} is out of range")
    if (values != np.rint(values)).any():
        raise NotACertificate(f"{what}: a number is not whole")
    return values.astype(np.int64)


def affordable(size: float, what: str, most: int = MOST_CELLS) -> None:
    """Raise `NotACertificate`, which names ``what``, if ``size`` is above ``most``.

    What an instance counts, as chunks or workers, takes a few digits and may ask for any size.
    """
    if size > most:
        steps = f"{size:.3g}" if size < EXACT else "more than 2^53"
        raise NotACertificate(f"{what}: a proof would take {steps} steps; {most:.3g} are the most")


def plain(proof: Proof) -> dict[str, Any]:
    """Return what `Proof.to_builtins` does."""
    least = proof.sense == "min"
    ratio = proof.ratio
    return {
        "program": proof.program,
        "sense": proof.sense,
        "infeasible": proof.infeasible,
        "unbounded": proof.unbounded,
        **both("bound", proof.bound, up=not least),
        **both("value", proof.value, up=least),
        "tolerance": None if proof.value is None else proof.tolerance,
        "ratio": None if ratio is None else double(ratio, up=True),
        "implied": proof.implied,
        "within_implied_bounds": proof.within_implied_bounds,
        "provenance": proof.provenance,
        "statement": proof.statement,
    }


def ratio_of(proof: Proof) -> Fraction | None:
    """Return what `Proof.ratio` is."""
    if proof.within_implied_bounds or proof.value is None or proof.bound is None:
        return None
    try:
        return certified_ratio(proof.sense, proof.value, proof.bound, exact=not proof.tolerance)
    except NotACertificate:  # the point is feasible within its tolerance only
        return None


# How much work the check of one file may take.
#
# Without a limit a file of n words can ask for n squared of steps, each on numbers that grow.


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
