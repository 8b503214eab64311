"""Whether utilities are monotone or concave where it counts.

Curvature is asked for on a grid, because a job only ever holds whole worker-slots: a sigmoid
whose bend lies beyond the reachable progress, or a table sampled between its kinks, may well be
concave where it counts.
"""

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.instances.utilities import Utility
from farkas.numbers import Floats
from farkas.tolerances import TIE


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
