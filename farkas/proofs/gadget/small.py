"""Small random clusters on which everything can be enumerated."""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.proofs import trials
from farkas.proofs.said import Among

Rng = np.random.Generator

shipped = functools.partial(trials.shipped, Cluster)  #: Shipped instance of this kind.


def random_cluster(
    rng: Rng,
    *,
    network: str = "tree",
    servers: int = 3,
    jobs: int = 3,
    horizon: int = 3,
    resources: int = 1,
    concave: bool = True,
    budgets: bool = True,
    at_once: bool = False,
) -> Cluster:
    """Draw a cluster of a few servers and jobs with integer data.

    Parameters
    ----------
    network
        ``tree`` (servers under one or two switches), ``cycle`` (one-way), ``mesh`` (random links
        both ways) or ``any``.
    concave
        Concave tables; otherwise any table that does not fall.
    budgets
        Whether jobs may have budgets.
    at_once
        Whether all jobs arrive in slot 0.
    """
    shape = str(rng.choice(["tree", "cycle", "mesh"])) if network == "any" else network
    nodes, links = _network(rng, shape, servers, resources)
    return Cluster.build(
        horizon=horizon,
        resources=[f"r{r}" for r in range(resources)],
        nodes=nodes,
        links=links,
        jobs=[_job(rng, horizon, resources, concave, budgets, at_once) for _ in range(jobs)],
    )


def random_clusters(count: int, seed: int, **settings: Any) -> Iterator[Cluster]:
    """Draw ``count`` clusters; settings as in :func:`random_cluster`."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield random_cluster(rng, **settings)


def among(**settings: Any) -> Among:
    """Draws around which a claim is attacked; settings as in :func:`random_cluster`."""
    settings = {"network": "any", **settings}
    return Among(samples=lambda: random_clusters(20, 1000, **settings))


def _network(rng: Rng, shape: str, servers: int, resources: int) -> tuple[list[Any], list[Any]]:
    switches = int(rng.integers(1, 3)) if shape == "tree" else 0
    nodes = [{"capacity": rng.integers(1, 4, size=resources).tolist()} for _ in range(servers)]
    nodes += [{"server": False, "capacity": [0] * resources} for _ in range(switches)]
    if shape == "tree":
        edges = [(u, servers + int(rng.integers(switches))) for u in range(servers)]
        edges += [(servers, servers + 1)] if switches == 2 else []
    elif shape == "cycle":
        return nodes, [
            {"from": u, "to": (u + 1) % servers, "bandwidth": int(rng.integers(1, 5))}
            for u in range(servers)
            if servers > 1
        ]
    else:
        edges = [(u, v) for u in range(servers) for v in range(u) if rng.random() < 0.7]
    links = [
        {"from": a, "to": b, "bandwidth": int(rng.integers(1, 5))}
        for u, v in edges
        for a, b in ((u, v), (v, u))
    ]
    return nodes, links


def _job(
    rng: Rng, horizon: int, resources: int, concave: bool, budgets: bool, at_once: bool
) -> dict[str, Any]:
    gains = rng.integers(0, 10, size=3 * horizon).astype(float)
    if concave:
        gains = np.sort(gains)[::-1]
    most = int(rng.integers(1, 4))
    return {
        "arrival": 0 if at_once else int(rng.integers(0, horizon)),
        "demand": rng.integers(1, 3, size=resources).tolist(),
        "budget": [
            int(rng.integers(1, 8)) if budgets and rng.random() < 0.4 else None
            for _ in range(resources)
        ],
        "max_workers": most,
        "bandwidth": int(rng.integers(1, 4)),
        "efficiency": 1.0,
        "utility": {"kind": "table", "values": np.append(0.0, np.cumsum(gains)).tolist()},
    }
