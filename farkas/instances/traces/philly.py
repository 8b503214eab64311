"""Rows of the Philly trace: jobs of a multi-tenant GPU cluster (Jeon et al., ATC 2019)."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from farkas.instances.traces.importer import Path
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

    @property
    def name(self) -> str:
        """Name of the job in an instance."""
        return f"{self.cluster}@{self.submitted:.0f}"


def read_jobs(path: Path) -> Iterator[PhillyJob]:
    """Iterate over the jobs in file order; raises `FileProblem` naming the line."""
    for line in lines(path, COLUMNS):
        yield PhillyJob(
            submitted=line.time("timestamp"),
            duration=line.nonnegative("duration"),
            num_gpus=line.whole("num_gpus"),
            gpu_time=line.nonnegative("gpu_time"),
            cluster=line.text("cluster"),
        )


def with_gpus(path: Path, dropped: Counter[str]) -> list[PhillyJob]:
    """Jobs that hold a GPU, in file order; the others are counted in ``dropped``."""
    jobs = list(read_jobs(path))
    kept = [job for job in jobs if job.num_gpus > 0]
    if len(kept) < len(jobs):
        dropped["without a GPU"] = len(jobs) - len(kept)
    return kept


def most_at_once(jobs: Sequence[PhillyJob]) -> int:
    """Most GPUs held at once when all run on arrival; ends come before begins of that second."""
    changes = [(job.submitted, job.num_gpus) for job in jobs]
    changes += [(job.submitted + job.duration, -job.num_gpus) for job in jobs]
    held = np.cumsum([change for _, change in sorted(changes)])
    return int(held.max(initial=0))


def whole_units(rng: np.random.Generator, ranges: Sequence[tuple[int, int]]) -> list[float]:
    """Draw one whole number from each range, both ends included."""
    return [float(rng.integers(low, high, endpoint=True)) for low, high in ranges]
