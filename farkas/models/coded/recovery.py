"""P[enough results]: the distribution of a sum of independent all-or-nothing loads, exactly.

A master holds X = Σ l_n B_n results, B_n independent with success probabilities p_n.  No method
subtracts, so relative errors stay near (number of workers) × 2⁻⁵².
"""

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption
from farkas.kernels import Floats1, Ints1, compiled
from farkas.numbers import Floats

ENUMERATED = 14  #: Up to so many workers subsets are enumerated, with loads of any kind.


def recovery_probability(loads: npt.ArrayLike, success: npt.ArrayLike, rows: float) -> float:
    """P[Σ loads of successful workers >= rows].

    Parameters
    ----------
    loads
        Shape (workers,), >= 0; whole numbers when more than `ENUMERATED` are positive.
    success
        Shape (workers,), within [0, 1].
    rows
        Results needed, >= 1; L.

    Raises
    ------
    InvalidOption
        For many workers with fractional loads.
    """
    load, chance = np.asarray(loads, dtype=float), np.asarray(success, dtype=float)
    used = (load > 0) & (chance > 0)
    load, chance = load[used], chance[used]
    if load.sum() < rows:
        return 0.0
    if len(load) <= ENUMERATED:
        order = np.argsort(-load, kind="stable")  # large loads first decide subsets sooner
        return by_subsets(load[order], chance[order], rows)
    whole = load.astype(np.int64)
    if (whole != load).any():
        raise InvalidOption(f"{len(load)} workers with fractional loads: round them")
    return counts(whole, chance, int(np.ceil(rows)))


def by_subsets(loads: Floats, success: Floats, rows: float) -> float:
    """Sum over subsets of workers, one worker after the other; reached subsets are closed."""
    reached = 0.0
    sums, weights = np.zeros(1), np.ones(1)
    rest = np.concatenate([np.cumsum(loads[::-1])[::-1][1:], [0.0]])
    for load, chance, after in zip(loads, success, rest, strict=True):
        with_it, weight = sums + load, weights * chance
        enough = with_it >= rows
        reached += weight[enough].sum()
        open_ = ~enough & (with_it + after >= rows)
        alive = sums + after >= rows
        sums = np.concatenate([sums[alive], with_it[open_]])
        weights = np.concatenate([weights[alive] * (1.0 - chance), weight[open_]])
    return float(reached)


@compiled(steps=lambda loads, success, rows: len(loads) * rows)
def counts(loads: Ints1, success: Floats1, rows: int) -> float:
    """Distribution of X below ``rows``, in place, one worker after the other."""
    mass = np.zeros(rows)  # P[X = s] for s < rows
    mass[0] = 1.0
    top = 0
    reached = 0.0
    for n in range(len(loads)):
        load, chance = loads[n], success[n]
        lost = 0.0
        # downwards, so that no mass is moved twice
        for s in range(min(top, rows - 1), -1, -1):
            here = mass[s]
            if here != 0.0:
                if s + load >= rows:
                    lost += here * chance
                else:
                    mass[s + load] += here * chance
                mass[s] = here * (1.0 - chance)
        reached += lost
        top += load
    return reached
