"""Philly jobs as users of a market: kind dps.

Worker types are the virtual clusters, each with servers of its own: enough for ``scale`` times the
GPUs that its jobs would hold at once if all of them ran on arrival.  There is one server type.  A
job asks for its GPUs and, on one server, runs as long as it did.  What the trace does not hold is
drawn from the published ranges: bandwidths, prices, then job by job what
`farkas.instances.traces.market` lists.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from farkas.instances.base import Count, Positive
from farkas.instances.dps import Market
from farkas.instances.traces.market import RANGES, MarketWindow, bandwidths, market_jobs
from farkas.instances.traces.philly import PhillyJob, read_jobs
from farkas.instances.traces.result import Imported, importers
from farkas.numbers import Ints
from farkas.portable.draws import uniform


class ImportOptions(MarketWindow, frozen=True, kw_only=True):
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


@importers.register("philly:dps")
def import_philly(
    path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
) -> Imported:
    """Make a market from the Philly trace."""
    chosen = ImportOptions.given("import philly to dps", options)
    dropped: Counter[str] = Counter()
    jobs = list(read_jobs(path))
    kept = [job for job in jobs if job.num_gpus > 0]
    if len(kept) < len(jobs):
        dropped["without a GPU"] = len(jobs) - len(kept)
    trace = chosen.cut(kept, dropped)
    clusters = sorted({job.cluster for _, job in trace}) or ["none"]
    rng = np.random.default_rng(seed)
    fields: dict[str, Any] = dict(bandwidths(rng, len(clusters), 1))
    prices = uniform(rng, *RANGES.price, len(clusters)), uniform(rng, *RANGES.price, 1)
    number = {cluster: kind for kind, cluster in enumerate(clusters)}
    workers = _installed(chosen, trace, clusters)
    market = Market.build(
        name=f"philly-{seed}",
        seed=seed,
        description=_description(chosen, clusters, dropped, seed),
        horizon=chosen.slots,
        slot_seconds=chosen.slot_seconds,
        server_workers=workers,
        server_ps=np.full((len(workers), 1), chosen.ps_per_server),
        jobs=market_jobs(chosen, trace, [(number[j.cluster], 0) for _, j in trace], prices, rng),
        **fields,
    )
    return Imported(market, len(trace), dropped)


def _installed(
    options: ImportOptions, trace: list[tuple[int, PhillyJob]], clusters: list[str]
) -> Ints:
    """GPUs by server and cluster; at least one server a cluster."""
    rows = []
    for kind, cluster in enumerate(clusters):
        most = _most_at_once([job for _, job in trace if job.cluster == cluster])
        servers = max(1, math.ceil(options.scale * most / options.gpus_per_server))
        row = np.zeros((servers, len(clusters)), np.int64)
        row[:, kind] = options.gpus_per_server
        rows.append(row)
    return np.concatenate(rows)


def _most_at_once(jobs: list[PhillyJob]) -> int:
    """Largest number of GPUs held at once when every job runs on arrival."""
    changes = [(job.submitted, job.num_gpus) for job in jobs]
    changes += [(job.submitted + job.duration, -job.num_gpus) for job in jobs]
    held = np.cumsum([change for _, change in sorted(changes)])
    return int(held.max(initial=0))


def _description(
    options: ImportOptions, clusters: list[str], dropped: Counter[str], seed: int
) -> str:
    return (
        f"Philly trace; worker types are the virtual clusters {', '.join(clusters)}; one worker "
        "per GPU; on one server a job runs as long as it did; bandwidths, prices, model sizes, "
        "epochs and budget noise from the published ranges; "
        f"left out {dict(sorted(dropped.items()))}; seed {seed}; options {options.text()}"
    )
