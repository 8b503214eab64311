"""Doubles to integers of 64 bits, exactly or not at all; tables of them that fit the memory."""

from __future__ import annotations

import numpy as np

from farkas.certificates.guards import EXACT, finite
from farkas.errors import NotACertificate
from farkas.numbers import Floats, Ints

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
