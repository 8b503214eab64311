"""What numbers must be before exact arithmetic uses them; everything else is refused.

numpy turns a double that is not finite, or too large, into some integer without an error.  So the
functions of this package send every cast through here, whoever calls them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from farkas.errors import NotACertificate
from farkas.numbers import Bools, Floats, Ints

if TYPE_CHECKING:
    pass


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
