"""What a job costs at least in a slot where sites in use cost charges, at prices of capacity.

The inequality stands at the top of `farkas.certificates.mlbroker_charges`.
"""

from __future__ import annotations

import numpy as np

from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
from farkas.tolerances import TIE, TINY, ULP


@compiled(steps=lambda amount, move, *_: move.size)
def charged_below(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    charge: Floats1,
    low: Ints1,
    high: Ints1,
    alpha: Floats1,
    beta: Floats2,
    needed: int,
    roundings: int,
) -> float:
    """Return the right side of the inequality, rounded down; -infinity on overflow.

    Parameters
    ----------
    alpha, beta
        Shapes (sites,) and (origins, sites), USD a load, >= 0.
    needed
        Y, the sum of the amounts but for rounding.
    roundings
        Operations behind each of the numbers given.
    """
    origins, sites = move.shape
    total, size, dearest = 0.0, 0.0, 0.0
    for o in range(origins):
        if amount[o] > 0.0:
            least = np.inf
            for r in range(sites):
                if high[r] > 0:
                    least = min(least, move[o, r] + alpha[r] + beta[o, r])
            total += amount[o] * least
            size += amount[o] * least
    for r in range(sites):
        if high[r] > 0:
            count = max(1, low[r]) if unit[r] >= alpha[r] else high[r]
            shared = 0.0
            for o in range(origins):
                shared += amount[o] * beta[o, r]
            some = (unit[r] - alpha[r]) * count + (charge[r] - shared)
            total += some if low[r] > 0 else min(0.0, some)
            size += (unit[r] + alpha[r]) * count + abs(charge[r]) + shared
            dearest = max(dearest, alpha[r])
    size += dearest * needed
    below: float = total - (2 * (roundings + 3 * origins + 3 * sites + 8) * ULP * size + TINY)
    # sums that overflow bound nothing; what is no number would be skipped by every minimum
    return below if below > -np.inf else -np.inf


@compiled(steps=lambda amount, move, *_: 20.0 * move.size)
def share_charges(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    charge: Floats1,
    low: Ints1,
    high: Ints1,
    alpha: Floats1,
    beta: Out[Floats2],
) -> int:
    """Share charges of sites that may stay empty among loads, as long as that raises the bound.

    Dual ascent: each load is asked for more, until the sites that are cheapest for it have no
    charge left to share, or one of them has none.

    Parameters
    ----------
    beta
        Shape (origins, sites), USD a load.

    Returns
    -------
    Steps.
    """
    origins, sites = move.shape
    steps: int = 0
    left = np.zeros(sites)
    beta[:, :] = 0.0
    for r in range(sites):
        if low[r] == 0 and high[r] > 0:
            count = 1 if unit[r] >= alpha[r] else high[r]
            left[r] = max(0.0, charge[r] + (unit[r] - alpha[r]) * count)
    for o in range(origins):
        if amount[o] <= 0.0:
            continue
        for _ in range(sites):
            steps += 3 * sites
            least, after, more, count = np.inf, np.inf, np.inf, 0
            for r in range(sites):
                if high[r] > 0:
                    least = min(least, move[o, r] + alpha[r] + beta[o, r])
            near = least + TIE * abs(least)
            for r in range(sites):
                if high[r] > 0:
                    level = move[o, r] + alpha[r] + beta[o, r]
                    if level <= near:
                        more = min(more, left[r] / amount[o])
                    else:
                        after = min(after, level)
            more = min(more, after - least)
            if not more > 0.0:
                break
            for r in range(sites):
                if high[r] > 0 and move[o, r] + alpha[r] + beta[o, r] <= near:
                    beta[o, r] += more
                    left[r] = max(0.0, left[r] - amount[o] * more)
    return steps
