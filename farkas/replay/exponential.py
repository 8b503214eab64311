"""exp(-y) between integers."""

from __future__ import annotations

import functools


def falling(y: int, places: int) -> tuple[int, int]:
    """Return m and h such that exp(-y) is about m 2**-h; y and m in units of 2**-places.

    The relative error is below δ = 2**(15 - places) for every y within a unit of the given one,
    places >= 64 and |h| <= 2**13 + 2.  With y = h ln 2 + r, 0 <= r < ln 2:

    - ln 2 is known to two units, so r to 2 |h| and, with y, to 2**14 + 6 units;
    - s = r/256 is rounded down by less than a unit; the series of exp(-s), s < 2**-8.5, is left
      after places/8 terms, with less than a unit to come, and its sum, each step of which is
      rounded by less than a unit and multiplied by s, by 1.01 units: 3.1 units relative to it;
    - a squaring doubles the relative error and rounds by a unit of at least a half: after eight,
      256 x 3.1 + 255 x 2 < 2**11 units.

    Together they stay below 2**15 units.
    """
    halvings, rest = divmod(y, log2_units(places))
    small, one = rest >> 8, 1 << places
    found = one
    for term in range(places // 8, 0, -1):
        found = one - (small * found >> places) // term
    for _ in range(8):
        found = found * found >> places
    return found, halvings


@functools.cache
def log2_units(places: int) -> int:
    """Return ln 2 = 2 Σ 3**-(2j+1) / (2j+1) in units of 2**-places, less than two too small."""
    guarded = places + 32
    return sum((2 << guarded) // (int(3**odd) * odd) for odd in range(1, guarded, 2)) >> 32
