"""Small clusters by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from farkas.instances.gadget import Cluster


def small(
    gpus: Sequence[float | None],
    edges: Sequence[tuple[int, int, float | None]] = (),
    *jobs: dict[str, Any],
    switches: int = 0,
    one_way: bool = False,
    horizon: int = 1,
) -> Cluster:
    """Servers with GPUs, then switches; edges (from, to, Gbps), both ways one after the other.

    Every job begins as one of up to three workers of one GPU, 2 Gbps a ring edge, worth 5 a worker.
    """
    ways = [(u, v, b) for a, c, b in edges for u, v in ((a, c), (c, a))[: 1 if one_way else 2]]
    plain = {
        "arrival": 0,
        "demand": [1.0],
        "budget": [None],
        "max_workers": 3,
        "bandwidth": 2.0,
        "efficiency": 1.0,
        "utility": {"kind": "linear", "slope": 5.0},
    }
    return Cluster.build(
        horizon=horizon,
        resources=["gpu"],
        nodes=[{"capacity": [units]} for units in gpus]
        + [{"server": False, "capacity": [0.0]}] * switches,
        links=[{"from": u, "to": v, "bandwidth": b} for u, v, b in ways],
        jobs=[plain | job for job in (jobs or ({},))],
    )


def table(*values: float) -> dict[str, Any]:
    """Utility that is worth so much after 0, 1, 2, ... worker-slots."""
    return {"utility": {"kind": "table", "values": list(values)}}


def job(**changes: Any) -> dict[str, Any]:
    """One GPU and 1 Gbps a worker, at most two workers, a reward of 1 a worker-slot."""
    fields: dict[str, Any] = {
        "arrival": 0,
        "demand": [1],
        "budget": [None],
        "max_workers": 2,
        "bandwidth": 1,
        "efficiency": 1,
        "utility": {"kind": "linear", "slope": 1},
    }
    return fields | changes


def star(*gpus: float, bandwidth: float = 10, horizon: int = 1, jobs: Any = ()) -> Cluster:
    """Servers with so many GPUs; links 2 u and 2 u + 1 lead from server u to the hub and back."""
    hub = len(gpus)
    links = [
        {"from": a, "to": b, "bandwidth": bandwidth}
        for u in range(hub)
        for a, b in ((u, hub), (hub, u))
    ]
    nodes: list[dict[str, Any]] = [{"capacity": [g]} for g in gpus] + [
        {"server": False, "capacity": [0]}
    ]
    return Cluster.build(
        horizon=horizon, resources=["gpu"], nodes=nodes, links=links, jobs=list(jobs)
    )
