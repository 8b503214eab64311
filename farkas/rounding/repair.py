"""Add workers where a rounding left too few."""

from __future__ import annotations

import numpy as np

from farkas.numbers import Floats, Ints


def add_missing_workers(workers: Ints, needed: int, volume: Floats, capacity: float) -> Ints:
    """Add workers, one at a time, where most data are still untrained.

    Parameters
    ----------
    workers
        Shape (sites,), integer workers of one job in one slot.
    needed
        Workers the job needs in total; Y.
    volume
        Shape (sites,), GB at each site; D.
    capacity
        GB per worker; P.

    Returns
    -------
    Shape (sites,), >= workers, with a sum >= needed; ties go to the first site.

    Examples
    --------
    >>> add_missing_workers(np.array([0, 1]), 2, np.array([5.0, 20.0]), 10.0).tolist()
    [0, 2]
    """
    repaired = np.array(workers, dtype=np.int64)
    for _ in range(needed - int(repaired.sum())):
        repaired[np.argmax(volume - capacity * repaired)] += 1
    return repaired
