"""Levels of dedicated workers that prices of program coded.assignment_truncated exclude."""

import dataclasses

import numpy as np

from farkas.numbers import Floats
from farkas.relaxations.coded.sharing import best_sharing, price_bound
from farkas.tolerances import LEVEL

HALVINGS = 60


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Excluded:
    """Prices that exclude every level above one."""

    level: float  #: 1/time; with speeds cut to any larger level the prices allow less than it.
    prices: Floats  #: Shape (masters,), >= 0; π.


def truncated_level(speed: Floats) -> float:
    """Largest V <= V_LP with LP(min(v, V)) >= V, from above; 1/time.

    Every level above it is refuted, so it bounds the dedicated optimum.  Where no dedicated
    assignment serves every master it is therefore a tiny positive number, not 0.

    Parameters
    ----------
    speed
        Shape (masters, workers); v.
    """
    return excluded_level(speed).level


def excluded_level(speed: Floats) -> Excluded:
    """Return `truncated_level` and the prices that exclude what is above it.

    From V_LP on, prices exclude all levels down to the next one, for which the program is solved
    anew until it reaches it; as a rule two or three programs are enough.
    """
    sharing = best_sharing(speed)
    best = Excluded(sharing.level, sharing.prices)
    least = sharing.level * 2.0**-HALVINGS
    for _ in range(HALVINGS):
        if best.level <= least:
            break
        best = dataclasses.replace(best, level=_last_allowed(speed, best))
        cut = best_sharing(np.minimum(speed / best.level, 1.0))
        if cut.level >= 1.0 - LEVEL:
            break
        best = Excluded(best.level, cut.prices)
    return best


def _last_allowed(speed: Floats, known: Excluded) -> float:
    """Return the end of the levels that prices exclude: all above it, up to a last place."""
    low, high = 0.0, known.level
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        allowed = price_bound(np.minimum(speed / middle, 1.0), known.prices) >= 1.0
        low, high = (middle, high) if allowed else (low, middle)
    return high
