"""Least cost of rings at given prices, in integers: lower bounds that need no solver.

Prices per worker and per link are rounded down to a grid first, so every cost found here is at
most the true one.
"""

import numpy as np

from farkas.certificates.price_grid import FORBIDDEN, SUM_BITS
from farkas.errors import NotACertificate
from farkas.instances.gadget import Cluster
from farkas.numbers import Ints
from farkas.tolerances import ROUNDING

#: (node, parent, link up, link down), children before parents; parent -1 for roots.
Rooted = list[tuple[int, int, int, int]]


def ring_costs(
    cluster: Cluster, tree: Rooted, jobs: Ints, size: int, worker: Ints, link: Ints
) -> Ints:
    """Least cost of a ring of 1..size workers on a forest, shape (jobs, size).

    Sizes that no ring has cost `FORBIDDEN`, and no other size does: a possible ring adds up at
    most `ring_terms` of the prices below, and a sum that holds `FORBIDDEN` once is cut off there.

    Parameters
    ----------
    tree
        The network, see `rooted`.
    jobs
        Shape (participants,).
    size
        Largest size.
    worker
        Shape (participants, nodes), cost of a worker on the node.
    link
        Shape (participants, links), cost of one ring edge on the link.

    Raises
    ------
    NotACertificate
        When prices are negative, or so large that sums of them could reach `FORBIDDEN`.
    """
    most = max(int(worker.max(initial=0)), int(link.max(initial=0)))
    if min(int(worker.min(initial=0)), int(link.min(initial=0))) < 0:
        raise NotACertificate("a price is negative")
    if most * ring_terms(cluster, size) >= 1 << SUM_BITS:
        raise NotACertificate("prices are so large that sums of them overflow")
    usable = np.array([np.array(link_uses(cluster, job, 1)) > 0 for job in jobs.tolist()])
    link = np.where(usable.reshape(link.shape), link, FORBIDDEN)
    return tree_costs(tree, cluster.host_cap[jobs], size, worker, link)


def link_uses(cluster: Cluster, job: int, most: int) -> list[int]:
    """How often, at most ``most``, a ring of a job may use each link, shape (links,)."""
    room, need = cluster.link_bandwidth, float(cluster.bandwidth[job])
    times = np.arange(1, most + 1)
    with np.errstate(over="ignore"):
        fits = times[None, :] * need <= (room + ROUNDING * need)[:, None]
    return [int(uses) for uses in fits.sum(axis=1)]


def ring_terms(cluster: Cluster, size: int) -> int:
    """Most prices that the cost of one ring adds up.

    A worker pays one.  A forest uses each link once at most; a closed walk goes from one block of
    workers to the next along a simple path.
    """
    return size * (1 + cluster.num_nodes) + cluster.num_links


def rooted(cluster: Cluster) -> Rooted | None:
    """Root the network if it is a forest with links both ways, else None."""
    links: dict[tuple[int, int], int] = {}
    for e in range(cluster.num_links):
        ends = int(cluster.link_source[e]), int(cluster.link_target[e])
        if ends in links:
            return None
        links[ends] = e
    neighbours: list[list[int]] = [[] for _ in range(cluster.num_nodes)]
    for u, v in {(min(ends), max(ends)) for ends in links}:
        neighbours[u].append(v)
        neighbours[v].append(u)
    parent: dict[int, int] = {}
    order: list[int] = []
    for root in range(cluster.num_nodes):
        if root in parent:
            continue
        parent[root] = -1
        stack = [root]
        while stack:
            u = stack.pop()
            order.append(u)
            for v in neighbours[u]:
                if v == parent[u]:
                    continue
                if v in parent:
                    return None
                parent[v] = u
                stack.append(v)
    return [
        (v, parent[v], links.get((v, parent[v]), -1), links.get((parent[v], v), -1))
        for v in reversed(order)
    ]


def tree_costs(tree: Rooted, cap: Ints, size: int, worker: Ints, link: Ints) -> Ints:
    """Exact least costs on a forest, for all jobs at once: a min-plus convolution per edge."""
    counts = np.arange(size + 1)
    own = np.where(counts <= cap[:, :, None], counts * worker[:, :, None], FORBIDDEN)
    best = np.full((len(cap), size + 1), FORBIDDEN)
    for v, parent, up, down in tree:
        best = np.minimum(best, own[:, v])
        if parent < 0 or up < 0 or down < 0:
            continue
        crossing = np.minimum(link[:, up] + link[:, down], FORBIDDEN)
        joined = own[:, v] + np.where(counts > 0, crossing[:, None], 0)
        merged = np.full_like(joined, FORBIDDEN)
        for k in range(size + 1):
            sums = own[:, parent, k::-1] + joined[:, : k + 1]
            merged[:, k] = np.minimum(sums.min(axis=1), FORBIDDEN)
        own[:, parent] = merged
    return best[:, 1:]
