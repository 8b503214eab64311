"""Philly jobs on the regions of a cloud: kind mlbroker.

A job's active window comes from its submit time and duration, its workers from its GPUs.  Sites are
the regions that quote an on-demand and a reserved price for the instance type; these are base and
discount price of the GPU.  Everything else is drawn from the published ranges, in this order:
transfer prices, base prices, discounts and thresholds of the other resources, GPU thresholds, then
job by job worker capacity, worker demand, server demand, synchronisation volume, image size,
deployment rate, and per slot its load and shares.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.generate.mlbroker import Published, ShareRange
from farkas.instances.mlbroker import Brokerage
from farkas.instances.traces.philly import PhillyJob, read_jobs
from farkas.instances.traces.prices import GpuPrice, read_prices
from farkas.instances.traces.result import Imported, importers
from farkas.instances.traces.window import Window
from farkas.numbers import Floats
from farkas.portable.draws import dirichlet, uniform

RANGES = Published()
HOUR, DAY = 3600.0, 86400.0


class ImportOptions(Window, frozen=True, kw_only=True):
    """Options of this importer.

    Parameters
    ----------
    prices
        Path of the price table; required.
    instance
        Instance type whose regions are the sites.
    sites
        At most this many regions, in the order of their names; all if left out.
    epsilon
        ε.
    load
        Share of the capacity of its GPUs that a job's data fill in a slot.
    threshold_scale
        Multiple of the published discount thresholds.
    """

    prices: str = ""
    instance: str = "g4dn.12xlarge"
    sites: Count | None = None
    epsilon: Positive = RANGES.epsilon
    load: ShareRange = (0.6, 1.0)
    threshold_scale: Nonnegative = 1.0


@importers.register("philly:mlbroker")
def import_philly(
    path: str | os.PathLike[str], seed: int, options: Mapping[str, Any], /
) -> Imported:
    """Make a brokerage from the Philly trace and a table of GPU prices."""
    chosen = ImportOptions.given("import philly to mlbroker", options)
    if not chosen.prices:
        raise InvalidOption("import philly to mlbroker: name the price table (prices)")
    regions = read_prices(chosen.prices, chosen.instance)[: chosen.sites]
    dropped: Counter[str] = Counter()
    trace = chosen.cut(_with_gpus(path, dropped), dropped)
    rng = np.random.default_rng(seed)
    fields = _sites(chosen, regions, rng)
    fields["jobs"] = [_job(chosen, len(regions), slot, job, rng) for slot, job in trace]
    instance = Brokerage.build(
        name=f"philly-{chosen.instance}-{seed}",
        seed=seed,
        description=_description(chosen, regions, seed, dropped),
        num_slots=chosen.slots,
        epsilon=chosen.epsilon,
        **fields,
    )
    return Imported(instance, len(trace), dropped)


def _with_gpus(path: str | os.PathLike[str], dropped: Counter[str]) -> list[PhillyJob]:
    jobs = list(read_jobs(path))
    kept = [job for job in jobs if job.num_gpus > 0]
    if len(kept) < len(jobs):
        dropped["without a GPU"] = len(jobs) - len(kept)
    return kept


def _sites(
    options: ImportOptions, regions: list[GpuPrice], rng: np.random.Generator
) -> dict[str, Any]:
    """Prices and thresholds; GPU first, then the other published resources per slot."""
    sites = len(regions)
    hours, days = options.slot_seconds / HOUR, options.slot_seconds / DAY
    transfer = uniform(rng, *RANGES.transfer_price, (sites, sites))
    np.fill_diagonal(transfer, 0.0)
    low, high = np.array(RANGES.base_price[1:]).T
    base = uniform(rng, low, high, (sites, len(low))) * days
    reduced = base * uniform(rng, *RANGES.discount, base.shape)
    low, high = np.array(RANGES.discount_threshold[1:]).T
    thresholds = uniform(rng, low, high, base.shape)
    gpu_threshold = uniform(rng, *RANGES.discount_threshold[0], (sites, 1))
    on_demand = hours * np.array([[region.on_demand] for region in regions])
    reserved = hours * np.array([[region.reserved] for region in regions])
    return {
        "num_sites": sites,
        "num_resources": 1 + base.shape[1],
        "transfer_price": transfer,
        "base_price": np.hstack([on_demand, base]),
        "discount_price": np.hstack([reserved, reduced]),
        "discount_threshold": options.threshold_scale * np.hstack([gpu_threshold, thresholds]),
    }


def _job(
    options: ImportOptions, sites: int, arrival: int, job: PhillyJob, rng: np.random.Generator
) -> dict[str, Any]:
    departure = options.last_slot(arrival, job)
    capacity = uniform(rng, *RANGES.worker_capacity)
    worker = [1.0, *_units(RANGES.worker_demand[1:], rng)]
    server = [0.0, *_units(RANGES.server_demand[1:], rng)]
    sync = uniform(rng, *RANGES.sync_volume)
    deploy = uniform(rng, *RANGES.image_size) * uniform(rng, *RANGES.deploy_rate)
    window = departure - arrival + 1
    load = uniform(rng, *options.load, window)
    shares = dirichlet(rng, RANGES.share_concentration, (window, sites))
    data: Floats = shares * (job.num_gpus * capacity * load)[:, None]
    return {
        "name": f"{job.cluster}@{job.submitted:.0f}",
        "arrival": arrival,
        "departure": departure,
        "worker_capacity": capacity,
        "worker_demand": worker,
        "server_demand": server,
        "sync_volume": sync,
        "deploy_cost": deploy,
        "data": data,
    }


def _units(ranges: tuple[tuple[int, int], ...], rng: np.random.Generator) -> list[float]:
    return [float(rng.integers(low, high, endpoint=True)) for low, high in ranges]


def _description(
    options: ImportOptions, regions: list[GpuPrice], seed: int, dropped: Counter[str]
) -> str:
    options = msgspec.structs.replace(options, prices=os.path.basename(options.prices))
    return (
        f"Philly trace; sites are {', '.join(region.region for region in regions)}; GPU prices of "
        f"{options.instance} on demand (base) and reserved (discount); one GPU per worker, data "
        "fill the share `load` of a job's workers, Dirichlet over the sites; other prices, demands "
        "and thresholds from the published ranges, daily prices per slot length; "
        f"left out {dict(sorted(dropped.items()))}; seed {seed}; options {options.text()}"
    )
