"""Jobs of a trace, whatever table they come from; what the importers count in them."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from farkas.instances.traces.importer import Path
from farkas.instances.traces.understood import Account
from farkas.instances.traces.window import Window


@dataclasses.dataclass(frozen=True, slots=True)
class TraceJob:
    """One job."""

    submitted: float  #: Seconds, from any begin.
    duration: float  #: Seconds.
    num_gpus: int  #: GPUs held while running.
    gpu_time: float  #: GPU seconds.
    cluster: str  #: Tenant or virtual cluster.
    job_id: str = ""  #: Name the trace gives it, if any.
    value: float | None = None  #: What it is worth, USD, where the trace says so.

    @property
    def name(self) -> str:
        """Name of the job in an instance."""
        return self.job_id or f"{self.cluster}@{self.submitted:.0f}"


class JobTable(Window, frozen=True, kw_only=True):
    """An importer of jobs: one source gives them, one kind is made of them."""

    source: ClassVar[str]  #: Name of the source; instances are named after it.

    @property
    def origin(self) -> str:
        """The source in words, for descriptions."""
        raise NotImplementedError(type(self).__name__)

    def read(self, path: Path, dropped: Account) -> Sequence[TraceJob]:
        """Return all jobs in file order; raises `FileProblem` naming the line.

        What the options leave out is counted in ``dropped``.
        """
        raise NotImplementedError(type(self).__name__)

    def with_gpus(self, path: Path, dropped: Account) -> list[TraceJob]:
        """Jobs that hold a GPU, in file order; the others are counted in ``dropped``."""
        jobs = self.read(path, dropped)
        kept = [job for job in jobs if job.num_gpus > 0]
        if len(kept) < len(jobs):
            dropped["without a GPU"] += len(jobs) - len(kept)
        return kept


def most_at_once(jobs: Sequence[TraceJob]) -> int:
    """Most GPUs held at once when all run on arrival; ends come before begins of that second."""
    changes = [(job.submitted, job.num_gpus) for job in jobs]
    changes += [(job.submitted + job.duration, -job.num_gpus) for job in jobs]
    held = np.cumsum([change for _, change in sorted(changes)])
    return int(held.max(initial=0))


def whole_units(rng: np.random.Generator, ranges: Sequence[tuple[int, int]]) -> list[float]:
    """Draw one whole number from each range, both ends included."""
    return [float(rng.integers(low, high, endpoint=True)) for low, high in ranges]
