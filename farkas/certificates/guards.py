"""What numbers must be before exact arithmetic uses them; everything else is refused.

numpy turns a double that is not finite, or too large, into some integer without an error.  So the
functions of this package send every cast through here, whoever calls them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from farkas.errors import NotACertificate
from farkas.numbers import Bools, Floats, Ints

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
