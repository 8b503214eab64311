"""Families of brokerages that separate the printed statements from the true ones.

The members that ship in the instance library are listed in `SHIPPED`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.adversary.mlbroker_traces import Wandering
from farkas.instances.mlbroker import Brokerage
from farkas.proofs.mlbroker.set_cover import set_cover


def tiny() -> Brokerage:
    """Two sites, two slots, two jobs: the smallest instance in which every cost occurs.

    The offline optimum is 16.8.
    """
    return Brokerage.build(
        name="tiny",
        description="Two jobs on two sites; every one of the four costs occurs.",
        num_sites=2,
        num_slots=2,
        num_resources=1,
        transfer_price=[[0, 0.02], [0.015, 0]],
        base_price=[[2.0], [1.5]],
        discount_price=[[1.5], [1.2]],
        discount_threshold=[[3.0], [4.0]],
        epsilon=1.0,
        jobs=[
            _job("j0", 0, [[30, 10], [0, 25]], capacity=20, sync=5, deploy=0.5),
            _job("j1", 1, [[0, 60]], capacity=40, worker=2, sync=8, deploy=0.4),
        ],
    )


def return_trip() -> Brokerage:
    """Let data move to site 1 and back: (8) charges two deployments, the text three.

    Nothing in (8) forces the deployment indicator back to 0.  Printed 6.6, strict 9.6.
    """
    return _twin_sites(
        "return_trip",
        "Data at site 0, then 1, then 0: as printed the return to site 0 is free of charge.",
        data=[[10, 0], [0, 10], [10, 0]],
        deploy=3.0,
    )


def surplus_worker() -> Brokerage:
    """Half a worker of data at each of two sites: the second worker avoids the server.

    (8j) bounds connections from below only.  Printed 1.3, strict 5.7; it also refutes (18b).
    """
    return _twin_sites(
        "surplus_worker",
        "Two half-full workers: as printed only one of them pays for talking to the server.",
        data=[[5, 5]],
        deploy=0.5,
    )


def harmonic(
    sites: int = 12, epsilon: float = 10.0, volume: float = 99.0, copies: int = 1
) -> Brokerage:
    """Ratio of Algorithm 1 that grows like the harmonic numbers: a counterexample to Theorem 3.

    In slot t the data lie at site t; moving data to a later site is free, to an earlier one costs
    100 USD/GB.  Hindsight deploys at the last site only and pays 1 per copy; Algorithm 1 pays
    about 1 + N/(N+1) (H_R - 1), which exceeds 2 + (1+ε) ln(1+1/ε) for R = 12, ε = 10.

    Parameters
    ----------
    sites
        Number of sites and of slots; R = T.
    epsilon
        ε.
    volume
        GB per slot, all trained by workers of 1 GB; N.
    copies
        Number of equal jobs.
    """
    later = np.arange(sites)[None, :] >= np.arange(sites)[:, None]
    job = _job("j", 0, volume * np.eye(sites), capacity=1, worker=0, server=0, deploy=1)
    return Brokerage.build(
        name=f"harmonic_{sites}" + (f"_times_{copies}" if copies > 1 else ""),
        description=f"Data wander over {sites} sites; deploying at the last one was enough.",
        num_sites=sites,
        num_slots=sites,
        num_resources=1,
        transfer_price=np.where(later, 0.0, 100.0),
        base_price=np.ones((sites, 1)),
        discount_price=np.full((sites, 1), 0.75),
        discount_threshold=np.ones((sites, 1)),
        epsilon=epsilon,
        jobs=[{**job, "name": f"j{index}"} for index in range(copies)],
    )


def unit_scaling(price: float = 1.0) -> Brokerage:
    """One job on one site: Theorem 4's ratio falls with the unit of money, the true one is 1.

    Parameters
    ----------
    price
        Base price of the resource, USD; the discounted price is three quarters of it.
    """
    return Brokerage.build(
        name="unit_scaling" if price == 1.0 else f"unit_scaling_{price:g}",
        description=f"One job, one site, resource price {price:g}: every policy is optimal.",
        num_sites=1,
        num_slots=1,
        num_resources=1,
        transfer_price=[[0.0]],
        base_price=[[price]],
        discount_price=[[0.75 * price]],
        discount_threshold=[[5.0]],
        epsilon=1.0,
        jobs=[_job("j0", 0, [[1000.0]], capacity=100, server=0, deploy=1)],
    )


def quiet_slot() -> Brokerage:
    """Edge cases in one: a slot without data, one without jobs, missing discounts, zero demands."""
    return Brokerage.build(
        name="quiet_slot",
        description="A slot without data, a slot without jobs, missing discounts, zero demands.",
        num_sites=2,
        num_slots=5,
        num_resources=2,
        transfer_price=[[0, 0.05], [0.03, 0]],
        base_price=[[1.9, 2.4], [1.2, 1.8]],
        discount_price=[[1.4, None], [1.0, 1.5]],
        discount_threshold=[[2.0, 3.0], [None, 0.0]],
        epsilon=0.5,
        jobs=[
            {
                **_job("pause", 0, [[50, 10], [0, 0], [20, 40]], capacity=30, sync=6, deploy=1.5),
                "worker_demand": [1.0, 2.0],
                "server_demand": [0.0, 1.0],
            },
            {
                **_job("late", 4, [[15, 15]], capacity=30, sync=0, deploy=0.4),
                "worker_demand": [0.0, 0.0],
                "server_demand": [0.0, 0.0],
            },
        ],
    )


def wandering() -> Brokerage:
    """Let data wander over eight sites and come back to some: worse than the harmonic family.

    A search for traces found it; moving data costs nothing, a little or two deployments.
    """
    tolls: list[list[float]] = [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0.04, 0, 2, 2, 2, 2, 2, 0],
        [0.03, 2, 0, 2, 0, 2, 2, 0],
        [2, 2, 2, 0, 2, 0, 0.024, 0],
        [2, 2, 0, 0, 0, 0, 2, 0],
        [2, 2, 2, 2, 2, 0, 0, 0],
        [2, 2, 2, 2, 2, 2, 0, 0],
        [2, 0.14, 2, 2, 2, 2, 2, 0],
    ]
    origins = [0, 4, 2, 2, 2, 3, 3, 3, 5, 1, 1, 1, 1, 6, 7, 7]
    words = "Data wander over 8 sites and come back to some; deploying at the last one was enough."
    found = Wandering(tuple(map(tuple, tolls)), tuple(origins)).instance(10.0)
    return found.replace(name="wandering_8", description=f"{words}  Found by search.")


SHIPPED: dict[str, Callable[[], Brokerage]] = {
    "tiny": tiny,
    "return_trip": return_trip,
    "surplus_worker": surplus_worker,
    "harmonic": harmonic,
    "harmonic_fifteen": lambda: harmonic(15, 3.0),
    "harmonic_seventeen": lambda: harmonic(17, 1.0),
    "harmonic_copies": lambda: harmonic(copies=12),
    "wandering": wandering,
    "unit_scaling": unit_scaling,
    "unit_scaling_cents": lambda: unit_scaling(0.01),
    "set_cover": set_cover,
    "quiet_slot": quiet_slot,
}
"""Library instances by name (without the kind) and what makes them."""


def _twin_sites(name: str, description: str, data: Any, deploy: float) -> Brokerage:
    return Brokerage.build(
        name=name,
        description=description,
        num_sites=2,
        num_slots=len(data),
        num_resources=1,
        transfer_price=[[0, 1], [1, 0]],
        base_price=[[0.1], [0.1]],
        discount_price=[[0.08], [0.08]],
        discount_threshold=[[5], [5]],
        epsilon=1.0,
        jobs=[_job("j0", 0, data, capacity=10, sync=5, deploy=deploy)],
    )


def _job(
    name: str,
    arrival: int,
    data: Any,
    *,
    capacity: float,
    worker: float = 1.0,
    server: float = 1.0,
    sync: float = 0.0,
    deploy: float = 0.0,
) -> dict[str, Any]:
    """Fields of a job with one resource; the window is as long as its data."""
    return {
        "name": name,
        "arrival": arrival,
        "departure": arrival + len(data) - 1,
        "worker_capacity": capacity,
        "worker_demand": [worker],
        "server_demand": [server],
        "sync_volume": sync,
        "deploy_cost": deploy,
        "data": data,
    }
