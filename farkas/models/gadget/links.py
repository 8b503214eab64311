"""How often rings may use links."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, floats
from farkas.tolerances import ROUNDING

Counts = tuple[int, ...]  #: How often each link is used.


def link_cap(cluster: Cluster, jobs: npt.ArrayLike) -> Floats:
    """How often a ring of a job may use each link when it is alone, shape (..., links).

    Parameters
    ----------
    jobs
        A job, or shape (...,).
    """
    need = cluster.bandwidth[np.asarray(jobs, np.int64)][..., None]
    # a ratio beyond doubles does not limit anything
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        cap = np.floor(cluster.link_bandwidth / need + ROUNDING)
    return floats(np.where(need > 0, cap, np.inf))
