"""What Algorithm 2 of GADGET selects and rounds by, with lists; lines 3-9, factors of Theorem 8."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from farkas.instances.gadget import Cluster


def selected(gains: Sequence[float], share: Sequence[float], sizes: Sequence[int]) -> int:
    """Size of largest gain times share among those that have one, the smallest of equal; 0: none.

    Parameters
    ----------
    gains, share
        Of one, two, ... workers.
    sizes
        Those that may run, ascending.
    """
    worth = {k: gains[k - 1] * share[k - 1] for k in sizes if share[k - 1] > 1e-9}
    return next((k for k in worth if worth[k] == max(worth.values())), 0)


def limits(cluster: Cluster) -> list[tuple[str, int, int]]:
    """What can fill up: resources of servers, node after node, then links."""
    return [
        ("node", u, r)
        for u, node in enumerate(cluster.nodes)
        for r, units in enumerate(node.capacity)
        if node.server and units is not None
    ] + [("link", e, 0) for e, link in enumerate(cluster.real_links) if link.bandwidth is not None]


def load(cluster: Cluster, job: int, workers: Sequence[int], uses: Sequence[int]) -> list[float]:
    """What a ring takes of every limit."""
    one = cluster.jobs[job]
    return [
        workers[at] * one.demand[r] if sort == "node" else uses[at] * one.bandwidth
        for sort, at, r in limits(cluster)
    ]


def room(cluster: Cluster) -> list[Any]:
    """What there is of every limit."""
    return [
        cluster.nodes[at].capacity[r] if sort == "node" else cluster.real_links[at].bandwidth
        for sort, at, r in limits(cluster)
    ]


def factors(cluster: Cluster, largest: dict[int, int]) -> list[float]:
    """Beta or gamma of every limit: 1 + eps sqrt(2 Delta ln places); jobs with their ring sizes."""
    servers = [node for node in cluster.nodes if node.server]

    def factor(needs: dict[int, float], rooms: Sequence[Any], places: int) -> float:
        users = [i for i in largest if needs[i] > 0]
        rooms = [units for units in rooms if units]
        if not users or not rooms:
            return 1.0
        share = min(1.0, max(needs[i] for i in users) / min(rooms))
        return 1 + share * math.sqrt(2 * sum(largest[i] ** 2 for i in users) * math.log(places))

    beta = [
        factor(
            {i: cluster.jobs[i].demand[r] for i in largest},
            [node.capacity[r] for node in servers],
            len(servers),
        )
        for r in range(len(cluster.resources))
    ]
    gamma = factor(
        {i: cluster.jobs[i].bandwidth for i in largest},
        [link.bandwidth for link in cluster.real_links],
        len(cluster.real_links),
    )
    return [beta[r] if sort == "node" else gamma for sort, _, r in limits(cluster)]
