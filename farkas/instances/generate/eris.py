"""Random auctions with the published settings.  Eris section VI.

Draw order: arrivals; job types; latency factors; epochs; workers a chunk needs; worker demands;
server demands; then job by job the sites of its chunks.
"""

from typing import Any

import numpy as np

from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.eris import PriceBase
from farkas.instances.options import (
    CountRange,
    PositiveRange,
    Settings,
    UnitRange,
    Units,
    require_option,
)
from farkas.instances.variates import whole_columns
from farkas.numbers import Floats
from farkas.portable_functions import exp, uniform


class Model(Settings, frozen=True, kw_only=True):
    """A network trained on a dataset; table II."""

    name: str
    chunks: Count  #: Data chunks of the dataset; all sites together.
    parameter_size: Nonnegative  #: MB of parameters; λ, taken to be the size of the tensors.


TABLE_II = (
    Model(name="ResNet-50", chunks=27, parameter_size=97.4),
    Model(name="ResNet-101", chunks=27, parameter_size=169.9),
    Model(name="GoogLeNet", chunks=115, parameter_size=25.9),
    Model(name="LeNet", chunks=115, parameter_size=283.0),
    Model(name="AlexNet", chunks=150, parameter_size=237.9),
    Model(name="Inception-BN", chunks=150, parameter_size=42.9),
)


class Published(Settings, frozen=True, kw_only=True):
    """The published simulator; settings from ``models`` on are choices, the paper is silent."""

    #: sites, slots, num_jobs: R, T and I.
    sites: Count = 50
    slots: Count = 150
    num_jobs: Units = 100
    #: resource_names, site_capacity: what every site has per slot; C.
    resource_names: tuple[str, ...] = ("gpu", "cpu", "ram")
    site_capacity: tuple[Nonnegative, ...] = (4.0, 24.0, 32.0)
    transfer_budget: Nonnegative = 20480.0  #: MB per slot, 20 GB; B.
    chunk_size: Nonnegative = 2.0  #: MB; θ.
    price_base: PriceBase = 1000.0  #: γ of every price.
    #: worth, worth_decay, latency: a job is worth ``worth`` τ / (1 + exp(k / ``worth_decay``))
    #: after k slots, τ uniform in ``latency``.
    worth: Nonnegative = 3000.0
    worth_decay: Positive = 3.0
    latency: PositiveRange = (1.0, 2.0)
    epochs: tuple[Count, ...] = (20, 30)  #: One of these; E.
    #: Units per worker, one range of integers per resource; w.
    worker_demand: tuple[UnitRange, ...] = ((0, 1), (1, 3), (2, 6))
    #: Units per server; s. Published like workers; here without a GPU, as the text of section IV-D
    #: says of servers.
    server_demand: tuple[UnitRange, ...] = ((0, 0), (1, 3), (2, 6))
    models: tuple[Model, ...] = TABLE_II  #: Job types, drawn uniformly; λ is the tensor size.
    #: Range of m; one worker makes P = ⌈E/m⌉ passes a slot. P is not published; a chunk needs all
    #: passes in one slot at one site, so P >= E / (workers a site hosts) or nothing runs.
    workers_per_chunk: CountRange = (1, 3)
    arrivals: UnitRange | None = None  #: Range of slots; null is all of them.

    def check(self, what: str) -> None:
        """Check ranges, and that all lists speak of the same resources."""
        for field in ("latency", "workers_per_chunk", "worker_demand", "server_demand"):
            self.check_ranges(field, what)
        number = len(self.resource_names)
        for field in ("site_capacity", "worker_demand", "server_demand"):
            found = len(getattr(self, field))
            require_option(
                found == number,
                f"{what}: {field} has {found} entries and resource_names {number}; "
                "give one per resource",
            )
        for field in ("epochs", "models"):
            require_option(
                len(getattr(self, field)) > 0, f"{what}: {field} = []; give at least one"
            )
        low, high = self.arrivals or (0, 0)
        require_option(
            low <= high < self.slots,
            f"{what}: arrivals = {self.arrivals}; slots run from 0 to {self.slots - 1}",
        )


PRESETS: dict[str, dict[str, Any]] = {
    # The published testbed of nine machines.
    "testbed": {
        "sites": 9,
        "slots": 50,
        "num_jobs": 10,
        "site_capacity": [1, 12, 16],
        "arrivals": [0, 39],
        "workers_per_chunk": [1, 1],
    },
    # Small enough for an exact integer optimum.
    "small": {
        "sites": 2,
        "slots": 4,
        "num_jobs": 4,
        "site_capacity": [2, 8, 12],
        "transfer_budget": 600.0,
        "workers_per_chunk": [1, 2],
        "models": [
            {"name": "two chunks", "chunks": 2, "parameter_size": 97.4},
            {"name": "four chunks", "chunks": 4, "parameter_size": 25.9},
        ],
    },
}


def draw(settings: Published, rng: np.random.Generator) -> dict[str, Any]:
    """Return the fields of an auction, drawn in the order given at the top of the module."""
    return {
        "slots": settings.slots,
        "sites": settings.sites,
        "resource_names": settings.resource_names,
        "site_capacity": [settings.site_capacity] * settings.sites,
        "transfer_budget": settings.transfer_budget,
        "chunk_size": settings.chunk_size,
        "price_base_transfer": settings.price_base,
        "price_base_resource": [settings.price_base] * len(settings.resource_names),
        "jobs": _jobs(settings, rng),
    }


def _jobs(settings: Published, rng: np.random.Generator) -> list[dict[str, Any]]:
    count = settings.num_jobs
    first, last = settings.arrivals or (0, settings.slots - 1)
    arrival = np.sort(rng.integers(first, last, count, endpoint=True))
    kind = rng.integers(0, len(settings.models), count)
    latency = uniform(rng, *settings.latency, count)
    epochs = rng.choice(settings.epochs, count)
    per_chunk = rng.integers(*settings.workers_per_chunk, count, endpoint=True)
    worker = whole_columns(rng, settings.worker_demand, count)
    server = whole_columns(rng, settings.server_demand, count)
    jobs = []
    for index in range(count):
        model = settings.models[kind[index]]
        sites = rng.integers(0, settings.sites, model.chunks)
        jobs.append(
            {
                "name": f"{model.name} {index}",
                "arrival": arrival[index],
                "utility": worth_by_delay(
                    settings, latency[index], settings.slots - arrival[index]
                ),
                "data": np.bincount(sites, minlength=settings.sites),
                "epochs": epochs[index],
                "worker_rate": -(-epochs[index] // per_chunk[index]),
                "worker_demand": worker[index],
                "server_demand": server[index],
                "parameter_size": model.parameter_size,
            }
        )
    return jobs


def worth_by_delay(settings: Published, latency: float, window: int) -> Floats:
    """Return the utility after 0, 1, ... slots, shape (window,): 3000 τ / (1 + exp(k/3))."""
    # written with exp(-k) so that long windows do not overflow
    decay = exp(-np.arange(window) / settings.worth_decay)
    return settings.worth * latency * decay / (1.0 + decay)
