"""Random brokerages with the published ranges.  mlBroker section 6.1.

Draw order: transfer prices; base prices; discounts; thresholds; then, each for all jobs at once,
arrivals, durations, worker capacities, worker demands, server demands, synchronisation volumes,
image sizes (if drawn), deployment rates; then job by job the shares and the totals of its slots.
"""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.instances.base import Count, Nonnegative, Positive
from farkas.instances.options import (
    CountRange,
    NonnegativeRange,
    PositiveRange,
    Range,
    Settings,
    Share,
    UnitRange,
    require_option,
)
from farkas.instances.variates import dirichlet, whole_columns
from farkas.numbers import Floats, floats
from farkas.portable_functions import uniform

ShareRange = tuple[Share, Share]


class Published(Settings, frozen=True, kw_only=True):
    """Published ranges; settings from ``jobs_per_slot`` on are choices, the paper is silent."""

    #: num_sites, num_slots: R and T.
    num_sites: Count = 15
    num_slots: Count = 50
    #: USD per unit and day of GPU, vCPU, GB of memory, GB of disk, one range per resource; a.
    base_price: tuple[NonnegativeRange, ...] = ((1.2, 9.6), (0.13, 0.24), (0.01, 0.1), (0.01, 0.1))
    discount: ShareRange = (0.7, 0.8)  #: Share of the base price beyond the threshold; b / a.
    #: Units, one range per resource; l.
    discount_threshold: tuple[NonnegativeRange, ...] = (
        (500.0, 600.0),
        (800.0, 1000.0),
        (1000.0, 1050.0),
        (1000.0, 1050.0),
    )
    transfer_price: NonnegativeRange = (0.01, 0.02)  #: USD per GB between different sites; d.
    #: worker_demand, server_demand: units, one range of integers per resource; n and m.
    worker_demand: tuple[UnitRange, ...] = ((0, 4), (1, 10), (2, 32), (5, 10))
    server_demand: tuple[UnitRange, ...] = ((0, 0), (1, 10), (2, 32), (5, 10))
    #: worker_capacity, sync_volume: GB; P and B.
    worker_capacity: PositiveRange = (16.0, 66.0)
    sync_volume: NonnegativeRange = (4.32, 82.8)
    data_volume: Nonnegative = 500.0  #: GB per job and slot, over all sites; published 100 to 700.
    #: USD per GB of image; the deployment cost c is rate x image size.
    deploy_rate: NonnegativeRange = (0.05, 0.1)
    #: Mean number of active jobs; sets the number of jobs unless ``num_jobs`` is given.
    jobs_per_slot: Nonnegative = 10.0
    num_jobs: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] | None = None
    duration: CountRange = (3, 8)  #: Slots; a job that would outlive the horizon is cut there.
    image: Literal["independent", "sync_volume"] = "independent"
    #: GB; ``image="sync_volume"`` takes the model's size instead.
    image_size: NonnegativeRange = (4.32, 82.8)
    #: data_noise, share_concentration: each slot's total is ``data_volume`` times a draw of the
    #: first; its shares over the sites are Dirichlet with the second.
    data_noise: NonnegativeRange = (0.8, 1.2)
    share_concentration: Positive = 1.0
    price_scale: Nonnegative = 1.0  #: Slots are charged this multiple of the daily base price.
    transfer_scale: Nonnegative = 1.0  #: Multiple of the published transfer price, for sweeps.
    #: epsilon, big_m: ε and M; null takes the smallest valid M.
    epsilon: Positive = 0.1
    big_m: float | None = None

    def check(self, what: str) -> None:
        """Check ranges, and that all lists speak of the same resources."""
        super().check(what)
        resources = len(self.base_price)
        require_option(resources > 0, f"{what}: base_price = []; at least one resource is needed")
        for field in ("discount_threshold", "worker_demand", "server_demand"):
            number = len(getattr(self, field))
            require_option(
                number == resources,
                f"{what}: {field} has {number} ranges and base_price {resources}; "
                "give one per resource",
            )

    def count(self) -> int:
        """Return the number of jobs: jobs per slot x slots / mean duration unless given."""
        if self.num_jobs is not None:
            return self.num_jobs
        return round(self.jobs_per_slot * self.num_slots / np.mean(self.duration))


PRESETS: dict[str, dict[str, Any]] = {
    # Small enough for an exact integer optimum; thresholds low enough for discounts to matter.
    "small": {
        "num_sites": 3,
        "num_slots": 6,
        "jobs_per_slot": 2.0,
        "duration": [2, 4],
        "data_volume": 120.0,
        "base_price": [[1.2, 9.6], [0.13, 0.24]],
        "discount_threshold": [[4.0, 12.0], [10.0, 40.0]],
        "worker_demand": [[1, 4], [1, 10]],
        "server_demand": [[0, 0], [1, 10]],
    },
    # The largest published setting.
    "large": {"num_slots": 100, "jobs_per_slot": 50.0},
}


def draw(settings: Published, rng: np.random.Generator) -> dict[str, Any]:
    """Return the fields of a brokerage, drawn in the order given at the top of the module."""
    sites, resources = settings.num_sites, len(settings.base_price)
    transfer = settings.transfer_scale * uniform(rng, *settings.transfer_price, (sites, sites))
    np.fill_diagonal(transfer, 0.0)
    base = settings.price_scale * _per_resource(rng, settings.base_price, sites)
    discounted = base * uniform(rng, *settings.discount, (sites, resources))
    threshold = _per_resource(rng, settings.discount_threshold, sites)
    return {
        "num_sites": sites,
        "num_slots": settings.num_slots,
        "num_resources": resources,
        "transfer_price": transfer,
        "base_price": base,
        "discount_price": discounted,
        "discount_threshold": threshold,
        "epsilon": settings.epsilon,
        "big_m": settings.big_m,
        "jobs": _jobs(settings, rng),
    }


def _per_resource(rng: np.random.Generator, ranges: tuple[Range, ...], count: int) -> Floats:
    low, high = np.array(ranges).T
    return uniform(rng, low, high, (count, len(ranges)))


def _jobs(settings: Published, rng: np.random.Generator) -> list[dict[str, Any]]:
    count = settings.count()
    arrival = np.sort(rng.integers(0, settings.num_slots, count))
    duration = rng.integers(*settings.duration, count, endpoint=True)
    departure = np.minimum(arrival + duration, settings.num_slots) - 1
    capacity = uniform(rng, *settings.worker_capacity, count)
    worker = whole_columns(rng, settings.worker_demand, count)
    server = whole_columns(rng, settings.server_demand, count)
    sync = uniform(rng, *settings.sync_volume, count)
    image = uniform(rng, *settings.image_size, count) if settings.image == "independent" else sync
    deploy = uniform(rng, *settings.deploy_rate, count) * image
    return [
        {
            "name": f"j{index}",
            "arrival": arrival[index],
            "departure": departure[index],
            "worker_capacity": capacity[index],
            "worker_demand": worker[index],
            "server_demand": server[index],
            "sync_volume": sync[index],
            "deploy_cost": deploy[index],
            "data": _data(settings, rng, int(departure[index] - arrival[index] + 1)),
        }
        for index in range(count)
    ]


def _data(settings: Published, rng: np.random.Generator, window: int) -> Floats:
    """GB per slot of the window and site: shares redrawn in every slot."""
    shares = dirichlet(rng, settings.share_concentration, (window, settings.num_sites))
    total = settings.data_volume * uniform(rng, *settings.data_noise, window)
    return floats(shares * total[:, None])
