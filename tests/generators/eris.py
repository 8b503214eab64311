"""Small random auctions for tests: ties, zero capacities, jobs without data, occupied states."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from farkas.instances.eris import Auction


def random_auction(
    seed: int, *, most_chunks: int = 2, most_sites: int = 3, most_slots: int = 3, jobs: int = 3
) -> Auction:
    """Draw an auction; data are few enough to list all schedules."""
    rng = np.random.default_rng(seed)
    sites, slots = int(rng.integers(1, most_sites + 1)), int(rng.integers(1, most_slots + 1))
    capacity = rng.integers(0, 5, (sites, 2)).astype(float)
    budget = float(rng.choice([0.0, 2.0, 5.0, 9.0]))
    arrivals = np.sort(rng.integers(0, slots, rng.integers(0, jobs + 1)))
    occupied = None
    if rng.random() < 0.6:
        used = capacity[:, :, None] * rng.choice([0.0, 0.3, 0.5, 1.0], (sites, 2, slots))
        occupied = {
            "transfer": budget * rng.choice([0.0, 0.25, 0.5, 1.0], slots),
            "resources": used,
        }
    return Auction.build(
        name=f"random {seed}",
        slots=slots,
        sites=sites,
        resource_names=["gpu", "cpu"],
        site_capacity=capacity,
        transfer_budget=budget,
        chunk_size=float(rng.choice([0.0, 1.0, 2.0])),
        price_base_transfer=float(rng.choice([2.0, 40.0])),
        price_base_resource=[float(rng.choice([2.0, 1000.0])), 20.0],
        jobs=[_job(rng, int(arrival), slots, sites, most_chunks) for arrival in arrivals],
        occupied=occupied,
    )


def _job(
    rng: np.random.Generator, arrival: int, slots: int, sites: int, most_chunks: int
) -> dict[str, Any]:
    return {
        "arrival": arrival,
        "utility": -np.sort(-np.round(rng.uniform(0, 40, slots - arrival), 2)),
        "data": rng.multinomial(rng.integers(0, most_chunks + 1), np.full(sites, 1 / sites)),
        "epochs": int(rng.integers(1, 4)),
        "worker_rate": int(rng.integers(1, 4)),
        "worker_demand": rng.choice([0.0, 0.5, 1.0, 2.0], 2),
        "server_demand": rng.choice([0.0, 0.0, 1.0], 2),
        "parameter_size": float(rng.choice([0.0, 1.0, 2.5])),
    }


def auction_in(
    auction: Auction, *, data: float = 1.0, units: float = 1.0, money: float = 1.0
) -> Auction:
    """Megabytes times ``data``, units of resources times ``units``, worth times ``money``."""
    jobs: list[dict[str, Any]] = msgspec.to_builtins(auction.jobs)
    for job in jobs:
        job["parameter_size"] *= data
        for field, factor in (("worker_demand", units), ("server_demand", units),
                              ("utility", money)):  # fmt: skip
            job[field] = [factor * amount for amount in job[field]]
    occupied = None
    if auction.occupied is not None:
        occupied = {"transfer": data * auction.transferred, "resources": units * auction.used}
    return auction.replace(
        jobs=jobs,
        occupied=occupied,
        chunk_size=data * auction.chunk_size,
        transfer_budget=data * auction.transfer_budget,
        site_capacity=units * auction.capacity,
    )


def one_resource(*jobs: dict[str, Any], **changes: Any) -> Auction:
    """Two sites of two gpus, three slots, jobs of one chunk; what jobs and auction do not say."""
    fields = {
        "name": "one resource", "slots": 3, "sites": 2, "resource_names": ["gpu"],
        "site_capacity": [[2.0], [2.0]], "transfer_budget": 10.0, "chunk_size": 1.0,
        "price_base_transfer": 2.0, "price_base_resource": [4.0],
    } | changes  # fmt: skip
    one = {
        "arrival": 0, "data": [1, *[0] * (fields["sites"] - 1)], "epochs": 1, "worker_rate": 1,
        "worker_demand": [1.0], "server_demand": [0.0], "parameter_size": 1.0,
    }  # fmt: skip
    for job in jobs:
        job.setdefault("utility", [10.0] * (fields["slots"] - job.get("arrival", 0)))
    return Auction.build(**fields, jobs=[one | job for job in jobs])
