"""Counts and sums that forgive the rounding of data, or are lowered until they need not."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from farkas.numbers import Floats
from farkas.tolerances import ROUNDING


def fitted(volume: Floats, capacity: Sequence[Fraction]) -> Floats:
    """Lower rows of ``volume`` in proportion until their exact sums are at most ``capacity``.

    >>> fitted(np.array([[0.1, 0.2], [0.1, 0.2]]), [Fraction(3, 10), Fraction(1, 2)])[1].tolist()
    [0.1, 0.2]
    """
    found: Floats = volume.copy()
    rough = np.array([float(room) for room in capacity])
    noise = (volume.shape[1] + 4) * np.finfo(float).eps
    for row in np.flatnonzero(volume.sum(axis=1) > rough * (1 - noise)).tolist():
        total = sum(map(Fraction, volume[row].tolist()), Fraction(0))
        spare = float(np.finfo(float).eps)
        while sum(map(Fraction, found[row].tolist()), Fraction(0)) > capacity[row]:
            spare *= 2
            less = volume[row] * max(0.0, float(capacity[row] / total) * (1 - spare))
            # a share of whole grains is rounded down too: nothing is lowered by less than the rest
            found[row] = np.where(less < np.finfo(float).tiny, np.nextafter(less, 0.0), less)
    return found


def guarded_ceil(values: npt.ArrayLike) -> Floats:
    """Round counts up, but forgive rounding errors: ceil(x - 1e-9 max(1, x)).

    Counts of workers, chunks or slots are dimensionless: below 1 as above it, 1 is their size.

    >>> guarded_ceil([2.0000000001, 2.1, 0.0]).tolist()
    [2.0, 3.0, 0.0]
    """
    array = np.asarray(values, dtype=float)
    rounded: Floats = np.ceil(array - ROUNDING * np.maximum(1.0, array))
    return rounded + 0.0
