"""Random auctions as in the evaluation of Eris.

Draw order: arrivals (sorted), utility scales, model types, epochs, workers per chunk, worker GPUs,
CPUs, memory, server GPUs, CPUs, memory, each for all jobs at once; then job by job the sites of its
chunks.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np

from farkas.instances.base import Count, Ints, Nonnegative, Positive
from farkas.instances.eris import PriceBase
from farkas.instances.options import Settings, WholeRange, require_option

Units = Annotated[int, msgspec.Meta(ge=0, le=10**6)]
UnitRange = tuple[Units, Units]
Passes = Annotated[int, msgspec.Meta(ge=1, le=10**6)]


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model type: chunks of its data set, and MB of parameters per slot and remote worker."""

    name: str
    chunks: Units
    parameter_size: Nonnegative


TABLE_II = (
    Model("ResNet-50", 27, 97.4),
    Model("ResNet-101", 27, 169.9),
    Model("GoogLeNet", 115, 25.9),
    Model("LeNet", 115, 283.0),
    Model("AlexNet", 150, 237.9),
    Model("Inception-BN", 150, 42.9),
)


class Published(Settings, frozen=True, kw_only=True):
    """Published settings of the simulator; those from ``models`` on are choices.

    Parameters
    ----------
    slots, sites, num_jobs
        T, R and I.
    capacity
        CPUs, GPUs and GB of memory of every site.
    transfer_budget, chunk_size
        MB per slot, MB per chunk; B and θ.
    price_base
        Base of all prices; γ.
    utility_peak, utility_decay, utility_scale
        f(k) = peak τ / (1 + exp(k / decay)) with τ drawn from the last.
    epochs
        Values that are drawn with equal chance; E.
    cpu, gpu, memory
        Ranges of integers for workers and, but for the GPU, servers.
    models
        Model types, drawn with equal chance; a tensor's size is λ.
    server_gpu
        Range of integers.
    arrivals
        Range of integers; null spreads them over all slots.
    workers_per_chunk
        Range of integers; a worker makes P = ceil(E / this) passes per slot.
    """

    slots: Count = 150
    sites: Count = 50
    num_jobs: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 100
    capacity: tuple[Nonnegative, Nonnegative, Nonnegative] = (24.0, 4.0, 32.0)
    transfer_budget: Nonnegative = 20_480.0
    chunk_size: Nonnegative = 2.0
    price_base: PriceBase = 1000.0
    utility_peak: Nonnegative = 3000.0
    utility_decay: Positive = 3.0
    utility_scale: tuple[Nonnegative, Nonnegative] = (1.0, 2.0)
    epochs: tuple[Passes, ...] = (20, 30)
    cpu: UnitRange = (1, 3)
    gpu: UnitRange = (0, 1)
    memory: UnitRange = (2, 6)
    models: tuple[Model, ...] = TABLE_II
    server_gpu: UnitRange = (0, 0)
    arrivals: UnitRange | None = None
    workers_per_chunk: tuple[Count, Count] = (1, 3)

    def check(self, what: str) -> None:
        """Check ranges, and that arrivals fall into the horizon."""
        for name in self.__struct_fields__:
            if name not in ("epochs", "capacity", "models"):
                self.check_ranges(name, what)
        require_option(bool(self.epochs), f"{what}: epochs = []; give at least one value")
        require_option(bool(self.models), f"{what}: models = []; give at least one model")
        require_option(
            self.arrivals is None or self.arrivals[1] < self.slots,
            f"{what}: arrivals = {self.arrivals}; slots run from 0 to {self.slots - 1}",
        )


PRESETS: dict[str, dict[str, Any]] = {
    "testbed": {
        "slots": 50,
        "sites": 9,
        "num_jobs": 10,
        "capacity": [12.0, 1.0, 16.0],
        "arrivals": [0, 39],
        "workers_per_chunk": [1, 1],
    },
    # Small enough for an exact integer optimum.
    "small": {
        "slots": 4,
        "sites": 2,
        "num_jobs": 4,
        "capacity": [6.0, 2.0, 12.0],
        "transfer_budget": 12.0,
        "price_base": 50.0,
        "utility_peak": 60.0,
        "epochs": [2, 3],
        "models": [
            {"name": "light", "chunks": 2, "parameter_size": 1.0},
            {"name": "heavy", "chunks": 4, "parameter_size": 2.5},
        ],
    },
}

NAMES = ("cpu", "gpu", "memory")


def draw(settings: Published, rng: np.random.Generator) -> dict[str, Any]:
    """Return the fields of an auction, drawn in the order given at the top of the module."""
    return {
        "slots": settings.slots,
        "sites": settings.sites,
        "resource_names": list(NAMES),
        "site_capacity": [list(settings.capacity)] * settings.sites,
        "transfer_budget": settings.transfer_budget,
        "chunk_size": settings.chunk_size,
        "price_base_transfer": settings.price_base,
        "price_base_resource": [settings.price_base] * len(NAMES),
        "jobs": _jobs(settings, rng),
    }


def _jobs(settings: Published, rng: np.random.Generator) -> list[dict[str, Any]]:
    count = settings.num_jobs
    first, last = settings.arrivals or (0, settings.slots - 1)
    arrival = np.sort(rng.integers(first, last, count, endpoint=True))
    scale = rng.uniform(*settings.utility_scale, count)
    model = rng.integers(len(settings.models), size=count)
    epochs = np.array(settings.epochs)[rng.integers(len(settings.epochs), size=count)]
    per_chunk = rng.integers(*settings.workers_per_chunk, count, endpoint=True)
    worker = _units(rng, (settings.cpu, settings.gpu, settings.memory), count)
    server = _units(rng, (settings.cpu, settings.server_gpu, settings.memory), count)
    jobs = []
    for index in range(count):
        kind = settings.models[model[index]]
        # exp(-x) rather than exp(x), which overflows for late slots.
        decay = np.exp(-np.arange(settings.slots - arrival[index]) / settings.utility_decay)
        chunk_sites = rng.integers(settings.sites, size=kind.chunks)
        jobs.append(
            {
                "arrival": arrival[index],
                "utility": settings.utility_peak * scale[index] * decay / (1 + decay),
                "data": np.bincount(chunk_sites, minlength=settings.sites),
                "epochs": epochs[index],
                "worker_rate": -(-epochs[index] // per_chunk[index]),
                "worker_demand": worker[index].astype(float),
                "server_demand": server[index].astype(float),
                "parameter_size": kind.parameter_size,
            }
        )
    return jobs


def _units(rng: np.random.Generator, ranges: tuple[WholeRange, ...], count: int) -> Ints:
    return np.stack([rng.integers(*ends, count, endpoint=True) for ends in ranges], axis=1)
