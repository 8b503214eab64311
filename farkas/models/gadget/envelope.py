"""Upper concave envelopes at compiled speed, and whether a utility is its own where it counts."""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.instances.utilities import Utility
from farkas.kernels import Floats1, compiled
from farkas.numbers import Floats
from farkas.tolerances import TIE


@compiled(steps=len)
def compiled_envelope(values: Floats1) -> Floats1:
    """Compute :func:`farkas.instances.utilities.envelope` at compiled speed."""
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


def differences(curve: Utility, step: float, count: int) -> Floats:
    """Gains μ(step m) - μ(step (m - 1)) for m = 1..count."""
    return np.diff(curve(step * np.arange(count + 1)))


def _noise(curve: Utility, step: float, count: int) -> float:
    """Differences below it are the rounding of the largest value involved."""
    values = np.abs(curve(step * np.arange(count + 1)))
    return TIE * float(values.max(initial=0.0))


def is_monotone(curve: Utility, step: float, count: int) -> bool:
    """Whether the utility never falls on 0, step, ..., step count."""
    return bool((differences(curve, step, count) >= -_noise(curve, step, count)).all())


def is_concave(curve: Utility, step: float, count: int) -> bool:
    """Whether gains never rise on 0, step, ..., step count."""
    rise = np.diff(differences(curve, step, count))
    return bool((rise <= _noise(curve, step, count)).all())


def concave_in_reach(cluster: Cluster, job: int) -> bool:
    """Whether the job's gains never rise, over the worker-slots it can reach."""
    found = cluster.jobs[job]
    return is_concave(found.utility, found.efficiency, int(cluster.reachable_slots[job]))


def monotone_in_reach(cluster: Cluster, job: int) -> bool:
    """Whether more worker-slots are never worse, over those the job can reach."""
    found = cluster.jobs[job]
    return is_monotone(found.utility, found.efficiency, int(cluster.reachable_slots[job]))
