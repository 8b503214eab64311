"""Jobs of a trace, whatever table they come from; what the importers count in them."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from farkas.instances.base import Count, Positive
from farkas.instances.traces.importer import Account, Path
from farkas.instances.traces.market import RANGES, MarketJob, MarketWindow, Window
from farkas.numbers import Ints
from farkas.portable_functions import uniform


@dataclasses.dataclass(frozen=True, slots=True)
class TraceJob(MarketJob):
    """A job of a table of jobs."""

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
    valued: ClassVar[bool] = True  #: Whether the kind has a use for what a job is worth.

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


# Jobs of a trace as users of a market: kind dps.
#
# Worker types are the clusters (tenants), each with its own servers: enough for ``scale`` times the
# GPUs that its jobs would hold at once if all of them ran on arrival.  There is one server type.  A
# job asks for its GPUs and, on one server, runs as long as it did.  What the trace does not hold is
# drawn from the published ranges: bandwidths, prices, then job by job what
# `farkas.instances.traces.market` lists.


class MarketOfJobs(MarketWindow, JobTable, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    gpus_per_server, ps_per_server
        Units installed on a server.
    scale
        Multiple of the GPUs that all jobs would hold at once; below 1 jobs have to be turned away.
    """

    gpus_per_server: Count = 8
    ps_per_server: Count = 4
    scale: Positive = 0.5

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make a market from jobs."""
        trace = self.cut(self.with_gpus(path, dropped), dropped)
        clusters = sorted({job.cluster for _, job in trace}) or ["none"]
        shared = self.shared_fields(rng, len(clusters), 1)
        prices = uniform(rng, *RANGES.price, len(clusters)), uniform(rng, *RANGES.price, 1)
        workers = self._installed(trace, clusters)
        types = [(clusters.index(job.cluster), 0) for _, job in trace]
        jobs = self.jobs_of(trace, types, prices, rng)
        worth = [job.value / job.num_gpus for _, job in trace if job.value is not None]
        if worth and self.price_cap is None:
            shared["price_cap"] = max(worth)
        return {
            **shared,
            "name": self.source,
            "description": (
                f"{self.origin}; worker types are the virtual clusters {', '.join(clusters)}; one "
                "worker per GPU; on one server a job runs as long as it did; bandwidths, prices, "
                "model sizes, epochs and budget noise from the published ranges"
            ),
            "server_workers": workers,
            "server_ps": np.full((len(workers), 1), self.ps_per_server),
            "jobs": [
                known if job.value is None else {**known, "budget": job.value}
                for known, (_, job) in zip(jobs, trace, strict=True)
            ],
        }

    def _installed(self, trace: list[tuple[int, TraceJob]], clusters: list[str]) -> Ints:
        """GPUs by server and cluster; at least one server a cluster."""
        rows = []
        for kind, cluster in enumerate(clusters):
            most = most_at_once([job for _, job in trace if job.cluster == cluster])
            servers = max(1, math.ceil(self.scale * most / self.gpus_per_server))
            row = np.zeros((servers, len(clusters)), np.int64)
            row[:, kind] = self.gpus_per_server
            rows.append(row)
        return np.concatenate(rows)
