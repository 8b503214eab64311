"""Doubles to integers of 64 bits, exactly or not at all."""

from __future__ import annotations

import numpy as np

from farkas.certificates.guards import finite
from farkas.errors import NotACertificate
from farkas.numbers import Floats, Ints

WIDEST = 62
"""Casts stay below ``2**WIDEST``, so that a sum of two results still fits into 64 bits."""


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
