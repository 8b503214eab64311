"""The upper concave envelope of a utility on whole worker-slots."""

import itertools

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.instances.utilities.functions import Utility
from farkas.numbers import Floats
from farkas.tolerances import TIE


def envelope(values: Floats) -> Floats:
    """Evaluate the least concave function above ``values`` at 0, 1, ..., len(values) - 1.

    ``values``: shape (points,), at least one point.
    """
    heights = values.tolist()
    corners: list[int] = []
    for m in range(len(heights)):
        while len(corners) > 1 and _below(heights, corners[-2], corners[-1], m):
            corners.pop()
        corners.append(m)
    hull = values.copy()
    for left, right in itertools.pairwise(corners):
        slope = (values[right] - values[left]) / (right - left)
        hull[left + 1 : right] = values[left] + slope * np.arange(1, right - left)
    return hull


def _below(heights: list[float], left: int, middle: int, right: int) -> bool:
    """Whether the middle point is on or below the chord of its neighbours."""
    rise = (heights[right] - heights[left]) * (middle - left)
    return (heights[middle] - heights[left]) * (right - left) <= rise


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
