"""Upper concave envelopes, and whether a utility is its own where it counts."""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.instances.utilities import Utility
from farkas.kernels import Floats1, compiled
from farkas.numbers import Floats
from farkas.tolerances import TIE


@compiled(steps=len)
def envelope(values: Floats1) -> Floats1:
    """Evaluate the least concave function above ``values`` at 0, 1, ..., len(values) - 1.

    ``values``: shape (points,), at least one point.
    """
    count = len(values)
    corners = np.empty(count, np.int64)
    used = 0
    for m in range(count):
        while used > 1:
            left, middle = corners[used - 2], corners[used - 1]
            rise = (values[m] - values[left]) * (middle - left)
            if (values[middle] - values[left]) * (m - left) > rise:
                break
            used -= 1
        corners[used] = m
        used += 1
    hull = values.copy()
    for c in range(used - 1):
        left, right = corners[c], corners[c + 1]
        slope = (values[right] - values[left]) / (right - left)
        for m in range(left + 1, right):
            hull[m] = values[left] + slope * (m - left)
    return hull


# Whether utilities are monotone or concave where it counts.
#
# Curvature is asked for on a grid, because a job only ever holds whole worker-slots: a sigmoid
# whose bend lies beyond the reachable progress, or a table sampled between its kinks, may well be
# concave where it counts.


def is_monotone(curve: Utility, step: float, count: int) -> bool:
    """Whether the utility never falls on 0, step, ..., step count, but for rounding."""
    values, noise = _sampled(curve, step, count)
    return bool((np.diff(values) >= -noise).all())


def is_concave(curve: Utility, step: float, count: int) -> bool:
    """Whether gains never rise on 0, step, ..., step count, but for rounding."""
    values, noise = _sampled(curve, step, count)
    return bool((np.diff(values, 2) <= noise).all())


def _sampled(curve: Utility, step: float, count: int) -> tuple[Floats, float]:
    """Return values, and the rounding of the largest, below which differences are none."""
    values = curve(step * np.arange(count + 1))
    return values, TIE * float(np.abs(values).max(initial=0.0))


def concave_in_reach(cluster: Cluster, job: int) -> bool:
    """Whether the job's gains never rise, over the worker-slots it can reach."""
    found = cluster.jobs[job]
    return is_concave(found.utility, found.efficiency, int(cluster.reachable_slots[job]))


def monotone_in_reach(cluster: Cluster, job: int) -> bool:
    """Whether more worker-slots are never worse, over those the job can reach."""
    found = cluster.jobs[job]
    return is_monotone(found.utility, found.efficiency, int(cluster.reachable_slots[job]))
