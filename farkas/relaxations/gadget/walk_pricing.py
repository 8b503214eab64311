"""Cheapest closed walk of every size on any network.

Blocks of workers are laid down along shortest paths from host to host and back to the first.  A
walk may come back to a host or overuse a link, so this relaxes rings: its costs bound theirs from
below, and a walk is used as a ring only when it is locally feasible.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.models.gadget.rings import Rings, link_cap
from farkas.numbers import Floats, Ints
from farkas.portable.sums import matmul


@dataclasses.dataclass(frozen=True, eq=False)
class WalkPricing:
    """Pricing of some jobs of a cluster; parameters as in `TreePricing`."""

    cluster: Cluster
    jobs: Ints
    largest: Ints

    def costs(self, node_price: Floats, link_price: Floats) -> tuple[Floats, WalkRings]:
        """Bound the cost of each size from below, shape (participants, largest size)."""
        size = int(self.largest.max(initial=0))
        cost = np.full((len(self.jobs), size), np.inf)
        searches = []
        for place in range(len(self.jobs)):
            search = WalkSearch.of(
                self.cluster, int(self.jobs[place]), node_price, link_price, size
            )
            searches.append(search)
            cost[place] = search.cost
        return cost, WalkRings(self, searches)


@dataclasses.dataclass(frozen=True, eq=False)
class WalkRings:
    """Walks of all jobs, rebuilt on demand."""

    pricing: WalkPricing
    searches: list[WalkSearch]

    def rings(self, places: Ints, sizes: Ints) -> Rings:
        """Rebuild the walks that are rings; the others are left out."""
        cluster = self.pricing.cluster
        found = []
        for place, size in zip(places.tolist(), sizes.tolist(), strict=True):
            job = int(self.pricing.jobs[place])
            workers, flow = self.searches[place].walk(size)
            local = (workers <= cluster.host_cap[job]).all()
            if local and (flow <= link_cap(cluster, job)).all():
                found.append((job, workers, flow))
        return Rings.of(cluster, found)


@dataclasses.dataclass(frozen=True, eq=False)
class WalkSearch:
    """The dynamic program of one job.

    Parameters
    ----------
    cluster
        The network.
    hosts
        Shape (hosts,), nodes that hold a worker.
    distance, first
        Shape (nodes, nodes): price of the shortest path and its first link, -1 if none.
    laid
        Shape (size + 1, hosts, hosts): cheapest so many workers from one host to another.
    came
        Shape (size + 1, hosts, hosts, 2): host before and size of the last block.
    cost
        Shape (size,).
    """

    cluster: Cluster
    hosts: Ints
    distance: Floats
    first: Ints
    laid: Floats
    came: Ints
    cost: Floats

    @classmethod
    def of(
        cls, cluster: Cluster, job: int, node_price: Floats, link_price: Floats, size: int
    ) -> WalkSearch:
        """Search at the given prices."""
        cap = cluster.host_cap[job]
        hosts = np.flatnonzero(cap)
        usable = link_cap(cluster, job) >= 1
        distance, first = shortest_paths(cluster, cluster.bandwidth[job] * link_price, usable)
        between = distance[np.ix_(hosts, hosts)]
        price = matmul(node_price[hosts], cluster.demand[job])
        count = len(hosts)
        laid = np.full((size + 1, count, count), np.inf)  # [workers, start, last host]
        came = np.full((size + 1, count, count, 2), -1)
        every = np.arange(count)
        for k in range(1, size + 1):
            alone = cap[hosts] >= k
            laid[k, every[alone], every[alone]] = k * price[alone]
            came[k, every[alone], every[alone], 1] = k
            for block in range(1, k):
                step = laid[k - block][:, :, None] + between[None, :, :] + block * price
                step[:, :, cap[hosts] < block] = np.inf
                step[:, every, every] = np.inf  # the next block sits on another host
                before = step.argmin(axis=1) if count else np.zeros((0, 0), np.int64)
                value = np.take_along_axis(step, before[:, None, :], axis=1)[:, 0, :]
                better = value < laid[k]
                laid[k][better] = value[better]
                came[k][better] = np.stack([before, np.full_like(before, block)], -1)[better]
        back = laid[1:] + between.T[None, :, :] if count else np.full((size, 1, 1), np.inf)
        return cls(cluster, hosts, distance, first, laid, came, back.min(axis=(1, 2)))

    def walk(self, size: int) -> tuple[Ints, Ints]:
        """Workers per node and link multiplicities of the cheapest walk of one size."""
        between = self.distance[np.ix_(self.hosts, self.hosts)]
        total = self.laid[size] + between.T
        start, last = np.unravel_index(int(total.argmin()), total.shape)
        workers = np.zeros(self.cluster.num_nodes, np.int64)
        flow = np.zeros(self.cluster.num_links, np.int64)
        self._follow(int(last), int(start), flow)
        here, left = int(last), size
        while left:
            before, block = self.came[left, start, here].tolist()
            workers[self.hosts[here]] += block
            left -= block
            if left:
                self._follow(before, here, flow)
                here = before
        return workers, flow

    def _follow(self, start: int, end: int, flow: Ints) -> None:
        u, goal = int(self.hosts[start]), int(self.hosts[end])
        while u != goal:
            link = int(self.first[u, goal])
            flow[link] += 1
            u = int(self.cluster.link_target[link])


def shortest_paths(cluster: Cluster, length: Floats, usable: np.ndarray) -> tuple[Floats, Ints]:
    """All shortest paths over usable links by Floyd and Warshall; lengths >= 0.

    Returns
    -------
    Shape (nodes, nodes): distance, and first link of a path (-1 if none).
    """
    nodes = cluster.num_nodes
    distance = np.full((nodes, nodes), np.inf)
    first = np.full((nodes, nodes), -1)
    for e in np.flatnonzero(usable).tolist():
        u, v = int(cluster.link_source[e]), int(cluster.link_target[e])
        if length[e] < distance[u, v]:
            distance[u, v], first[u, v] = length[e], e
    np.fill_diagonal(distance, 0.0)
    for middle in range(nodes):
        through = distance[:, middle, None] + distance[None, middle, :]
        better = through < distance
        distance = np.where(better, through, distance)
        first = np.where(better, first[:, middle, None], first)
    return distance, first
