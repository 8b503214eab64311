"""Cheapest ring of every size on a forest, for all jobs at given prices.

With prices per worker and node and a price for crossing each edge (both ways), the cheapest k
workers at or below a node, joined to it, follow from its children's by a min-plus convolution; the
cheapest ring is the least over all nodes.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Annotated

import numpy as np
import numpy.typing as npt

from farkas.instances.gadget import Cluster
from farkas.kernels import Floats2, Ints1, Ints2, compiled
from farkas.models.gadget.forest import Forest
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.tree import crossable
from farkas.numbers import Bools, Floats, Ints


@dataclasses.dataclass(frozen=True, eq=False)
class TreePricing:
    """Pricing of some jobs of a cluster whose network is a forest."""

    #: cluster, tree: the network.
    cluster: Cluster
    tree: Forest
    jobs: Ints  #: Shape (participants,).
    largest: Ints  #: Shape (participants,), largest size to price.

    @cached_property
    def cap(self) -> Ints:
        """Workers of the largest ring that a node holds, shape (participants, nodes)."""
        return np.minimum(self.cluster.host_cap[self.jobs], self.largest[:, None])

    @cached_property
    def passes(self) -> Bools:
        """Whether a ring fits through the edge above each node, shape (participants, nodes)."""
        passes = np.zeros((len(self.jobs), self.cluster.num_nodes), np.bool_)
        passes[:, self.tree.parent >= 0] = crossable(self.cluster, self.jobs, self.tree)
        return passes

    @cached_property
    def children(self) -> tuple[Ints, Ints]:
        """Where the children of each node start, shape (nodes + 1,), and the children."""
        tree = self.tree
        # in the order of the forest: the first of them was merged last
        children = [v for v in tree.order.tolist() if tree.parent[v] >= 0]
        children.sort(key=lambda v: int(tree.parent[v]))  # stable
        starts = np.searchsorted(tree.parent[children], np.arange(len(tree.parent) + 1))
        return starts.astype(np.int64), np.array(children, np.int64)

    def costs(self, node_price: Floats, link_price: Floats) -> tuple[Floats, TreeRings]:
        """Cheapest cost of each size, and how to rebuild the rings.

        Parameters
        ----------
        node_price
            Shape (nodes, resources), per unit; λ >= 0.
        link_price
            Shape (links,), per Gbps; ν >= 0.

        Returns
        -------
        Shape (participants, largest size), infinite where no locally feasible ring exists.
        """
        worker, edge = self.prices(node_price, link_price)
        size = int(self.largest.max(initial=0))
        tree = self.tree
        cost, root, take = cheapest(worker, edge, self.cap, tree.parent, tree.order, size)
        return cost, TreeRings(self, root, take)

    def prices(self, node_price: Floats, link_price: Floats) -> tuple[Floats, Floats]:
        """Price of a worker on each node and of crossing the edge above it."""
        tree, demand = self.tree, self.cluster.demand[self.jobs]
        worker = (demand[:, None] * node_price).sum(axis=2)
        both = np.zeros(self.cluster.num_nodes)
        inner = tree.parent >= 0
        both[inner] = link_price[tree.up[inner]] + link_price[tree.down[inner]]
        edge = self.cluster.bandwidth[self.jobs][:, None] * both
        return worker, np.where(self.passes, edge, np.inf)


@dataclasses.dataclass(frozen=True, eq=False)
class TreeRings:
    """Cheapest rings, kept as decisions of the dynamic program."""

    pricing: TreePricing  #: Whose they are.
    root: Ints  #: Shape (participants, largest size), top node of the cheapest ring.
    #: Shape (participants, nodes, largest size + 1): workers at or below a node when its parent had
    #: so many, this child included.
    take: npt.NDArray[np.int16]

    def rings(self, places: Ints, sizes: Ints) -> Rings:
        """Rebuild the cheapest rings of the given participants and sizes."""
        p = self.pricing
        workers, crossed = rebuild(places, sizes, self.root, self.take, *p.children)
        flow = np.zeros((len(places), p.cluster.num_links), np.int64)
        inner = np.flatnonzero(p.tree.parent >= 0)
        flow[:, p.tree.up[inner]] = crossed[:, inner]
        flow[:, p.tree.down[inner]] = crossed[:, inner]
        return Rings(p.jobs[places], sizes, workers, flow)


Takes = Annotated[npt.NDArray[np.int16], np.int16, 3]


@compiled(steps=lambda worker, edge, cap, parent, order, size: worker.size * (size + 1) ** 2)
def cheapest(
    worker: Floats2, edge: Floats2, cap: Ints2, parent: Ints1, order: Ints1, size: int
) -> tuple[Floats2, Ints2, Takes]:
    """Run the dynamic program of all jobs: cheapest costs, top nodes, and decisions."""
    jobs, nodes = worker.shape
    cost = np.full((jobs, size), np.inf)
    root = np.full((jobs, size), -1)
    take = np.zeros((jobs, nodes, size + 1), np.int16)
    below = np.empty((nodes, size + 1))
    merged = np.empty(size + 1)
    for i in range(jobs):
        for v in range(nodes):
            for k in range(size + 1):
                below[v, k] = k * worker[i, v] if k <= cap[i, v] else np.inf
            below[v, 0] = 0.0
        for at in range(nodes - 1, -1, -1):
            v = order[at]
            for k in range(1, size + 1):
                if below[v, k] < cost[i, k - 1]:
                    cost[i, k - 1] = below[v, k]
                    root[i, k - 1] = v
            up = parent[v]
            if up < 0 or edge[i, v] == np.inf:
                continue
            for k in range(size + 1):
                merged[k] = below[up, k]
                for j in range(1, k + 1):
                    joined = below[up, k - j] + below[v, j] + edge[i, v]
                    if joined < merged[k]:
                        merged[k] = joined
                        take[i, v, k] = j
            for k in range(size + 1):
                below[up, k] = merged[k]
    return cost, root, take


@compiled(steps=lambda places, sizes, root, take, *children: len(places) * take.shape[1])
def rebuild(
    places: Ints1, sizes: Ints1, root: Ints2, take: Takes, child_start: Ints1, child: Ints1
) -> tuple[Ints2, Ints2]:
    """Walk the decisions back: workers on nodes, and edges crossed, shape (rings, nodes)."""
    nodes = len(child_start) - 1
    workers = np.zeros((len(places), nodes), np.int64)
    crossed = np.zeros((len(places), nodes), np.int64)
    stack = np.empty(nodes, np.int64)
    held = np.empty(nodes, np.int64)
    for ring in range(len(places)):
        i, k = places[ring], sizes[ring]
        stack[0], held[0] = root[i, k - 1], k
        used = 1
        while used > 0:
            used -= 1
            v, left = stack[used], held[used]
            for at in range(child_start[v], child_start[v + 1]):
                j = take[i, child[at], left]
                if j > 0:
                    crossed[ring, child[at]] = 1
                    stack[used], held[used] = child[at], j
                    used += 1
                    left -= j
            workers[ring, v] = left
    return workers, crossed
