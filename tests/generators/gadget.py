"""Small clusters by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

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


SHAPES = ("one_way", "mesh", "racks", "ring", "isolated")


def any_network(rng: np.random.Generator, shape: str) -> Cluster:
    """A few servers and jobs on a network of a shape; one slot, as small as brute force needs it.

    ``one_way`` has random one-way links, some of them parallel; ``racks`` two switches above the
    racks; ``ring`` a cycle, one-way or not; ``isolated`` a mesh that leaves some servers out.
    """
    servers = int(rng.integers(3, 5 if shape in ("mesh", "isolated") else 6))
    switches = {"one_way": int(rng.integers(0, 2)), "racks": 4}.get(shape, 0)
    links: list[dict[str, Any]] = []

    def link(u: int, v: int, both: bool = True) -> None:
        for a, b in ((u, v), (v, u))[: 1 + both]:
            room = None if rng.random() < 0.1 else int(rng.integers(1, 7))
            links.append({"from": a, "to": b, "bandwidth": room})

    nodes = servers + switches
    if shape == "one_way":
        for _ in range(int(rng.integers(nodes, 2 * nodes + 1))):
            u, v = rng.choice(nodes, 2, replace=False).tolist()
            link(u, v, both=False)
    elif shape == "racks":
        for u in range(servers):
            link(u, servers + u % 2)
        for rack in (servers, servers + 1):
            for top in (servers + 2, servers + 3):
                link(rack, top)
    elif shape == "ring":
        both = bool(rng.random() < 0.5)
        for u in range(servers):
            link(u, (u + 1) % servers, both)
    else:
        for u in range(servers):
            for v in range(u):
                if rng.random() < 0.6 and not (shape == "isolated" and u >= servers - 2):
                    link(u, v)
    jobs = [_any_job(rng) for _ in range(int(rng.integers(1, 4)))]
    return Cluster.build(
        horizon=1,
        resources=["gpu"],
        nodes=[{"capacity": [int(rng.integers(1, 4))]} for _ in range(servers)]
        + [{"server": False, "capacity": [0]}] * switches,
        links=links,
        jobs=jobs,
    )


def _any_job(rng: np.random.Generator) -> dict[str, Any]:
    steps = rng.integers(-1, 10, size=5)
    if rng.random() < 0.5:
        steps = np.sort(steps)[::-1]
    utility: dict[str, Any] = {"kind": "table", "values": np.append(0, steps.cumsum()).tolist()}
    if rng.random() < 0.3:
        utility = {"kind": "sqrt", "scale": float(rng.integers(1, 10))}
    return {
        "arrival": 0,
        "demand": [int(rng.integers(1, 3))],
        "budget": [None],
        "max_workers": int(rng.integers(1, 6)),
        "bandwidth": float(rng.choice([0.0, 0.5, 1.0, 2.0, 3.0])),
        "efficiency": 1.0,
        "utility": utility,
    }


def any_networks(count: int, seed: int) -> Iterator[Cluster]:
    """``count`` clusters, the shapes in turn."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        yield any_network(rng, SHAPES[number % len(SHAPES)])


def over_time(cluster: Cluster, seed: int) -> Cluster:
    """The same network for four slots, with memory beside the GPUs, and seven jobs that come late.

    Capacities of memory may be missing, demands and bandwidths zero; some budgets end early.
    Switches have units that nobody may use.
    """
    rng = np.random.default_rng(seed)

    def late() -> dict[str, Any]:
        one = _any_job(rng) | {"arrival": int(rng.integers(0, 4))}
        one["demand"] = [int(rng.integers(0, 3)), int(rng.integers(0, 3))]
        one["budget"] = [int(rng.integers(1, 9)) if rng.random() < 0.4 else None for _ in range(2)]
        if rng.random() < 0.5:
            one["fixed_workers"] = int(rng.integers(1, 6))
        return one

    nodes = [
        {"server": node.server, "capacity": [node.capacity[0] if node.server else 3, memory]}
        for node in cluster.nodes
        for memory in [None if rng.random() < 0.2 else int(rng.integers(0, 5))]
    ]
    links = [
        {"from": u, "to": v, "bandwidth": b if b < np.inf else None}
        for u, v, b in zip(
            cluster.link_source.tolist(), cluster.link_target.tolist(),
            cluster.link_bandwidth.tolist(), strict=True,
        )
    ]  # fmt: skip
    return Cluster.build(
        horizon=4, resources=["gpu", "memory"], nodes=nodes, links=links,
        jobs=[late() for _ in range(7)],
    )  # fmt: skip


def wide_area(nodes: int, seed: int, jobs: int = 200, degree: float = 3.0) -> Cluster:
    """A server at every node of a random geometric network; all jobs are there from the start.

    A shortest spanning tree and then short links, both ways, until nodes have ``degree``
    neighbours on average, as in wide-area networks.
    """
    rng = np.random.default_rng(seed)
    place = rng.random((nodes, 2))
    length = np.linalg.norm(place[:, None] - place[None], axis=2)
    edges: set[tuple[int, int]] = set()
    inside, outside = [0], set(range(1, nodes))
    while outside:
        u, v = min(((u, v) for u in inside for v in outside), key=lambda e: float(length[e]))
        edges.add((min(u, v), max(u, v)))
        inside.append(v)
        outside.discard(v)
    stretched = length * rng.uniform(0.7, 1.3, length.shape)
    for flat in np.argsort(stretched, axis=None).tolist():
        u, v = divmod(flat, nodes)
        if len(edges) >= degree * nodes / 2:
            break
        if u < v:
            edges.add((u, v))
    scales = rng.uniform(1, 100, jobs).tolist()
    return small(
        rng.choice([1, 2], nodes).tolist(),
        [(u, v, int(rng.integers(10, 101))) for u, v in sorted(edges)],
        *(
            {
                "max_workers": int(rng.integers(1, 6)),
                "bandwidth": float(rng.uniform(5, 40)),
                "utility": {"kind": "sqrt", "scale": scale},
            }
            for scale in scales
        ),
    )


UTILITIES = ("linear", "sqrt", "log1p", "sigmoid", "table")


def scarce(
    nodes: int,
    edges: Sequence[tuple[int, int]],
    utility: str,
    *,
    jobs: int = 200,
    horizon: int = 1,
    seed: int = 1,
    width: float = 1.0,
) -> Cluster:
    """Jobs of up to eight workers at 5-20 Gbps on servers of one or two GPUs, links of 10-30 Gbps.

    Links have ``width`` of that.

    Few jobs find a ring on one server.  With ``utility`` ``mixed`` every job draws its own; jobs
    come one after the other in the first half of the horizon.
    """
    rng = np.random.default_rng(seed)
    gpus = rng.choice([1, 2], nodes).tolist()
    cables = [(u, v, width * int(rng.integers(10, 31))) for u, v in edges]
    drawn = [
        {
            "arrival": number * horizon // (2 * jobs),
            "max_workers": int(rng.integers(1, 9)),
            "bandwidth": float(rng.uniform(5, 20)),
            "utility": _utility(utility, rng),
        }
        for number in range(jobs)
    ]
    return small(gpus, cables, *drawn, horizon=horizon)


def _utility(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    kind = UTILITIES[int(rng.integers(len(UTILITIES)))] if kind == "mixed" else kind
    scale = float(rng.uniform(1, 100))
    if kind == "sigmoid":
        bend = {"steepness": float(rng.uniform(0.5, 3)), "midpoint": float(rng.uniform(1, 6))}
        return {"kind": kind, "height": scale, **bend}
    if kind == "table":
        return {"kind": kind, "values": np.append(0, rng.uniform(0, scale, 8).cumsum()).tolist()}
    return {"kind": kind, "slope" if kind == "linear" else "scale": scale}


def edges_of(cluster: Cluster) -> list[tuple[int, int]]:
    """Pairs of nodes that a link joins, smaller first."""
    ends = zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True)
    return sorted({(min(u, v), max(u, v)) for u, v in ends})
