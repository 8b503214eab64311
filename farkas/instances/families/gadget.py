"""Small clusters that make one point each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from farkas.instances.gadget import Cluster


def two_ring_star() -> Cluster:
    """Two servers behind one switch: a ring of two uses every duplex link once per direction.

    The printed constraint (9) forbids it.  Slot optimum 2√2, offline optimum 4.
    """
    return Cluster.build(
        name="two_ring_star",
        description="Two one-GPU servers behind a switch; the only ring of two fills all links.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1), _server("server1", 1), _switch("switch")],
        links=_duplex([(0, 2, 2.0), (1, 2, 2.0)]),
        jobs=[_job(workers=2, bandwidth=2.0, utility={"kind": "sqrt", "scale": 2.0})],
    )


def idle_cluster() -> Cluster:
    """Nothing can run in the first slot: one job is too large, the other comes later."""
    return Cluster.build(
        name="idle_cluster",
        description="One job needs more than a server has, the other arrives after the slot.",
        horizon=2,
        resources=["gpu"],
        nodes=[_server("server0", 1)],
        links=[],
        jobs=[
            {**_job(2, 1.0, {"kind": "sqrt", "scale": 2.0}), "demand": [2.0]},
            {**_job(1, 1.0, {"kind": "sqrt", "scale": 1.0}), "arrival": 1},
        ],
    )


def slow_start(midpoint: float = 4.0) -> Cluster:
    """Sigmoid utility: gains grow at first, so rewards are not concave where proofs need it.

    Parameters
    ----------
    midpoint
        Progress at which the sigmoid is at half its height.
    """
    sigmoid = {"kind": "sigmoid", "height": 12.0, "steepness": 1.5, "midpoint": midpoint}
    return Cluster.build(
        name="slow_start",
        description="A sigmoid and a linear job on one server; the sigmoid's gains grow at first.",
        horizon=3,
        resources=["gpu"],
        nodes=[_server("server0", 2)],
        links=[],
        jobs=[_job(2, 1.0, sigmoid), _job(2, 1.0, {"kind": "linear", "slope": 1.0})],
    )


SHIPPED: dict[str, Callable[[], Cluster]] = {
    "two_ring_star": two_ring_star,
    "idle_cluster": idle_cluster,
    "slow_start": slow_start,
}
"""Library instances by name (without the kind) and what makes them."""


def _server(name: str, gpus: float) -> dict[str, Any]:
    return {"name": name, "server": True, "capacity": [gpus]}


def _switch(name: str) -> dict[str, Any]:
    return {"name": name, "server": False, "capacity": [0.0]}


def _duplex(cables: list[tuple[int, int, float]]) -> list[dict[str, Any]]:
    return [
        {"from": source, "to": target, "bandwidth": bandwidth}
        for one, two, bandwidth in cables
        for source, target in ((one, two), (two, one))
    ]


def _job(workers: int, bandwidth: float, utility: dict[str, Any]) -> dict[str, Any]:
    return {
        "arrival": 0,
        "demand": [1.0],
        "budget": [None],
        "max_workers": workers,
        "fixed_workers": workers,
        "bandwidth": bandwidth,
        "efficiency": 1.0,
        "utility": utility,
    }
