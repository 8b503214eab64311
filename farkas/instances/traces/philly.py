"""Rows of the Philly trace: jobs of a multi-tenant GPU cluster (Jeon et al., ATC 2019)."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

from farkas.instances.traces.table import lines

COLUMNS = ("timestamp", "duration", "num_gpus", "gpu_time", "cluster")


@dataclasses.dataclass(frozen=True, slots=True)
class PhillyJob:
    """One job.

    Parameters
    ----------
    submitted
        Seconds since 1970.
    duration
        Seconds.
    num_gpus
        GPUs held while running.
    gpu_time
        GPU seconds.
    cluster
        Virtual cluster, a tenant.
    """

    submitted: float
    duration: float
    num_gpus: int
    gpu_time: float
    cluster: str


def read_jobs(path: str | os.PathLike[str]) -> Iterator[PhillyJob]:
    """Iterate over the jobs in file order; raises `FileProblem` naming the line."""
    for line in lines(path, COLUMNS):
        yield PhillyJob(
            submitted=line.time("timestamp"),
            duration=line.nonnegative("duration"),
            num_gpus=line.whole("num_gpus"),
            gpu_time=line.nonnegative("gpu_time"),
            cluster=line.text("cluster"),
        )
