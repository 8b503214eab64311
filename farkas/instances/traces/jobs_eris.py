"""Jobs of a trace at edge sites: kind eris.

Sites are the clusters (tenants) with most jobs in the window; a site has as many GPUs as its
cluster ever used at once, and the published CPUs and memory per GPU.  A chunk is what one GPU
processes in one slot, so a job has as many chunks as its GPU time fills slots; half of them lie at
the home cluster, the rest is spread by a Dirichlet draw.  The model, and with it λ, is that of
table II with the nearest number of chunks.  Everything else is drawn from the published ranges, job
by job: latency factor, epochs, units per worker, units per server, shares of the sites, sites of
chunks.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.generate.eris import Model, Published, worth_by_delay
from farkas.instances.rounding import guarded_ceil
from farkas.instances.traces.importer import Account, Path
from farkas.instances.traces.jobs import JobTable, TraceJob, most_at_once, whole_units
from farkas.instances.variates import dirichlet, multinomial
from farkas.numbers import Floats, Ints
from farkas.portable_functions import uniform

PUBLISHED = Published()


class AuctionOfJobs(JobTable, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    sites
        Number of virtual clusters, those with most jobs in the window.
    scale
        Multiple of the GPUs that a cluster used at once.
    most_chunks
        Jobs with more chunks are left out.
    worth_decay
        Slots in which worth falls by about two thirds, once it falls.
    transfer_budget
        MB per slot; B.
    """

    sites: Count = 8
    scale: Positive = 1.0
    most_chunks: Count = 150
    worth_decay: Positive = PUBLISHED.worth_decay
    transfer_budget: Nonnegative = PUBLISHED.transfer_budget

    def fields(self, path: Path, rng: np.random.Generator, dropped: Account) -> dict[str, Any]:
        """Make an auction from jobs."""
        everything = self.read(path, dropped)
        trace = msgspec.structs.replace(self, jobs=None).cut(everything, dropped)
        homes = _homes(trace, self.sites)
        kept = self._usable(trace, homes, dropped)
        gpus = [most_at_once([job for job in everything if job.cluster == name]) for name in homes]
        return {
            "name": f"{self.source}-eris",
            "description": (
                f"{self.origin}; sites are the clusters {', '.join(homes)} with their peak of "
                "concurrent GPUs; a chunk is one GPU for one slot, half of a job's chunks at home, "
                "the rest Dirichlet; model of table II with the nearest number of chunks; one "
                "worker processes one chunk a slot; utilities, epochs and demands from the "
                "published ranges"
            ),
            "slots": self.slots,
            "sites": len(homes),
            "resource_names": PUBLISHED.resource_names,
            "site_capacity": [_capacity(self.scale * number) for number in gpus],
            "transfer_budget": self.transfer_budget,
            "chunk_size": PUBLISHED.chunk_size,
            "price_base_transfer": PUBLISHED.price_base,
            "price_base_resource": [PUBLISHED.price_base] * len(PUBLISHED.resource_names),
            "jobs": [self._job(homes, slot, job, rng) for slot, job in kept],
        }

    def _usable(
        self,
        trace: Sequence[tuple[int, TraceJob]],
        homes: Sequence[str],
        dropped: Account,
    ) -> list[tuple[int, TraceJob]]:
        kept: list[tuple[int, TraceJob]] = []
        for slot, job in trace:
            if job.cluster not in homes:
                dropped["of other clusters"] += 1
            elif job.num_gpus == 0 or job.gpu_time == 0:
                dropped["without GPU time"] += 1
            elif chunks_of(job, self.slot_seconds) > self.most_chunks:
                dropped["larger than most_chunks"] += 1
            elif self.jobs is not None and len(kept) >= self.jobs:
                dropped["beyond the number asked for"] += 1
            else:
                kept.append((slot, job))
        return kept

    def _job(
        self, homes: Sequence[str], arrival: int, job: TraceJob, rng: np.random.Generator
    ) -> dict[str, Any]:
        chunks = chunks_of(job, self.slot_seconds)
        settings = Published(worth_decay=self.worth_decay)
        latency = uniform(rng, *PUBLISHED.latency)
        epochs = int(rng.choice(PUBLISHED.epochs))
        worker = [1.0, *whole_units(rng, PUBLISHED.worker_demand[1:])]
        server = [0.0, *whole_units(rng, PUBLISHED.server_demand[1:])]
        return {
            "name": job.name,
            "arrival": arrival,
            "utility": _worth(settings, latency, self.slots - arrival, job.value),
            "data": _data(chunks, homes.index(job.cluster), len(homes), rng),
            "epochs": epochs,
            "worker_rate": epochs,  # one worker processes one chunk a slot
            "worker_demand": worker,
            "server_demand": server,
            "parameter_size": nearest_model(chunks).parameter_size,
        }


def _worth(settings: Published, latency: float, window: int, value: float | None) -> Floats:
    """Worth by delay; that of a job without delay is ``value``, where the trace gives one."""
    worth = worth_by_delay(settings, latency, window)
    return worth if value is None else value * (worth / worth[0])


def _homes(trace: Sequence[tuple[int, TraceJob]], sites: int) -> list[str]:
    """Clusters with most jobs; equal ones by name.  At least one site, even without jobs."""
    count = Counter(job.cluster for _, job in trace)
    return sorted(count, key=lambda name: (-count[name], name))[:sites] or ["none"]


def chunks_of(job: TraceJob, slot_seconds: float) -> int:
    """Slots of one GPU that the job's GPU time fills, rounded up."""
    return max(1, int(guarded_ceil(job.gpu_time / slot_seconds)))


def _capacity(gpus: float) -> list[float]:
    """GPUs rounded up, and the published number of other units per GPU."""
    per_gpu = np.array(PUBLISHED.site_capacity) / PUBLISHED.site_capacity[0]
    capacity: list[float] = (np.ceil(gpus) * per_gpu).tolist()
    return capacity


def nearest_model(chunks: int) -> Model:
    """Model of table II with the nearest number of chunks; the first of equal ones."""
    return min(PUBLISHED.models, key=lambda model: abs(model.chunks - chunks))


def _data(chunks: int, home: int, sites: int, rng: np.random.Generator) -> Ints:
    """Half of the chunks at home, rounded up; the others by a Dirichlet draw."""
    shares = dirichlet(rng, 1.0, (1, sites))[0]
    data = multinomial(rng, chunks // 2, shares)
    data[home] += chunks - chunks // 2
    return data
