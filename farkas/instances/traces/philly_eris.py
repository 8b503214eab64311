"""Philly jobs at edge sites: kind eris.

Sites are the virtual clusters with most jobs in the window; a site has as many GPUs as its cluster
ever used at once, and the published CPUs and memory per GPU.  A chunk is what one GPU processes in
one slot, so a job has as many chunks as its GPU time fills slots; half of them lie at the home
cluster, the rest is spread by a Dirichlet draw.  The model, and with it λ, is that of table II with
the nearest number of chunks.  Everything else is drawn from the published ranges, job by job:
latency factor, epochs, units per worker, units per server, shares of the sites, sites of chunks.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.instances.base import Count, Nonnegative, Positive, guarded_ceil
from farkas.instances.eris import Auction
from farkas.instances.generate.eris import Model, Published, worth_by_delay
from farkas.instances.traces.philly import PhillyJob, read_jobs
from farkas.instances.traces.result import Imported, importers
from farkas.instances.traces.window import Window
from farkas.numbers import Ints
from farkas.portable.draws import dirichlet, multinomial, uniform

PUBLISHED = Published()


class ImportOptions(Window, frozen=True, kw_only=True):
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


@importers.register("philly:eris")
def import_philly(
    path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
) -> Imported:
    """Make an auction from the Philly trace."""
    chosen = ImportOptions.given("import philly to eris", options)
    dropped: Counter[str] = Counter()
    everything = list(read_jobs(path))
    unlimited = Window(
        slot_seconds=chosen.slot_seconds, slots=chosen.slots, start=chosen.start
    ).cut(everything, dropped)
    homes = _homes(unlimited, chosen.sites)
    kept = _usable(chosen, unlimited, homes, dropped)
    rng = np.random.default_rng(seed)
    gpus = {name: _peak([job for job in everything if job.cluster == name]) for name in homes}
    instance = Auction.build(
        name=f"philly-eris-{seed}",
        seed=seed,
        description=_description(chosen, homes, dropped, seed),
        slots=chosen.slots,
        sites=len(homes),
        resource_names=PUBLISHED.resource_names,
        site_capacity=[_capacity(chosen.scale * gpus[name]) for name in homes],
        transfer_budget=chosen.transfer_budget,
        chunk_size=PUBLISHED.chunk_size,
        price_base_transfer=PUBLISHED.price_base,
        price_base_resource=[PUBLISHED.price_base] * len(PUBLISHED.resource_names),
        jobs=[_job(chosen, homes, slot, job, rng) for slot, job in kept],
    )
    return Imported(instance, len(kept), dropped)


def _homes(trace: Sequence[tuple[int, PhillyJob]], sites: int) -> list[str]:
    """Clusters with most jobs; equal ones by name.  At least one site, even without jobs."""
    count = Counter(job.cluster for _, job in trace)
    return sorted(count, key=lambda name: (-count[name], name))[:sites] or ["none"]


def _usable(
    options: ImportOptions,
    trace: Sequence[tuple[int, PhillyJob]],
    homes: Sequence[str],
    dropped: Counter[str],
) -> list[tuple[int, PhillyJob]]:
    kept: list[tuple[int, PhillyJob]] = []
    for slot, job in trace:
        if job.cluster not in homes:
            dropped["of other clusters"] += 1
        elif job.num_gpus == 0 or job.gpu_time == 0:
            dropped["without GPU time"] += 1
        elif chunks_of(job, options.slot_seconds) > options.most_chunks:
            dropped["larger than most_chunks"] += 1
        elif options.jobs is not None and len(kept) >= options.jobs:
            dropped["beyond the number asked for"] += 1
        else:
            kept.append((slot, job))
    return kept


def chunks_of(job: PhillyJob, slot_seconds: float) -> int:
    """Slots of one GPU that the job's GPU time fills, rounded up."""
    return max(1, int(guarded_ceil(job.gpu_time / slot_seconds)))


def _peak(jobs: Sequence[PhillyJob]) -> int:
    """GPUs in use at once, at most; ends come before begins at the same second."""
    changes = [(job.submitted, job.num_gpus) for job in jobs]
    changes += [(job.submitted + job.duration, -job.num_gpus) for job in jobs]
    in_use = np.cumsum([change for _, change in sorted(changes)])
    return int(in_use.max(initial=0))


def _capacity(gpus: float) -> list[float]:
    """GPUs rounded up, and the published number of other units per GPU."""
    per_gpu = np.array(PUBLISHED.site_capacity) / PUBLISHED.site_capacity[0]
    capacity: list[float] = (np.ceil(gpus) * per_gpu).tolist()
    return capacity


def nearest_model(chunks: int) -> Model:
    """Model of table II with the nearest number of chunks; the first of equal ones."""
    return min(PUBLISHED.models, key=lambda model: abs(model.chunks - chunks))


def _job(
    options: ImportOptions,
    homes: Sequence[str],
    arrival: int,
    job: PhillyJob,
    rng: np.random.Generator,
) -> dict[str, Any]:
    chunks = chunks_of(job, options.slot_seconds)
    settings = Published(worth_decay=options.worth_decay)
    latency = uniform(rng, *PUBLISHED.latency)
    epochs = int(rng.choice(PUBLISHED.epochs))
    worker = [1.0, *_units(PUBLISHED.worker_demand[1:], rng)]
    server = [0.0, *_units(PUBLISHED.server_demand[1:], rng)]
    return {
        "name": f"{job.cluster}@{job.submitted:.0f}",
        "arrival": arrival,
        "utility": worth_by_delay(settings, latency, options.slots - arrival),
        "data": _data(chunks, homes.index(job.cluster), len(homes), rng),
        "epochs": epochs,
        "worker_rate": epochs,  # one worker processes one chunk a slot
        "worker_demand": worker,
        "server_demand": server,
        "parameter_size": nearest_model(chunks).parameter_size,
    }


def _data(chunks: int, home: int, sites: int, rng: np.random.Generator) -> Ints:
    """Half of the chunks at home, rounded up; the others by a Dirichlet draw."""
    shares = dirichlet(rng, 1.0, (1, sites))[0]
    data = multinomial(rng, chunks // 2, shares)
    data[home] += chunks - chunks // 2
    return data


def _units(ranges: tuple[tuple[int, int], ...], rng: np.random.Generator) -> list[float]:
    return [float(rng.integers(low, high, endpoint=True)) for low, high in ranges]


def _description(
    options: ImportOptions, homes: Sequence[str], dropped: Counter[str], seed: int
) -> str:
    return (
        f"Philly trace; sites are the clusters {', '.join(homes)} with their peak of concurrent "
        "GPUs; a chunk is one GPU for one slot, half of a job's chunks at home, the rest "
        "Dirichlet; model of table II with the nearest number of chunks; one worker processes one "
        "chunk a slot; utilities, epochs and demands from the published ranges; "
        f"left out {dict(sorted(dropped.items()))}; seed {seed}; options {options.text()}"
    )
