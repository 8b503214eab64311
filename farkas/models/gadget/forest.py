"""Clusters whose network is a forest: on these a ring's links are decided by its hosts."""

import dataclasses

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.numbers import Ints
from farkas.registry import once


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """A forest with links in both directions."""

    parent: Ints  #: Shape (nodes,), -1 for roots.
    #: up, down: shape (nodes,), link to and from the parent, -1 for roots.
    up: Ints
    down: Ints
    component: Ints  #: Shape (nodes,), number of the tree.
    order: Ints  #: Shape (nodes,), every parent before its children.

    @property
    def num_components(self) -> int:
        return int(self.component.max(initial=-1)) + 1

    def steiner_links(self, hosts: list[int]) -> list[int]:
        """Links of the closed walk through ``hosts`` (one component): each edge both ways."""
        below = np.zeros(len(self.parent), np.int64)
        below[hosts] = 1
        links: list[int] = []
        for v in self.order[::-1].tolist():
            if self.parent[v] < 0 or below[v] == 0:
                continue
            if below[v] < len(hosts):
                links += [int(self.up[v]), int(self.down[v])]
            below[self.parent[v]] += below[v]
        return links


@once
def forest(cluster: Cluster) -> Forest | None:
    """Root every tree of the network at its first node; None when there is a cycle.

    A pair of nodes linked in one direction only carries no closed walk unless it lies on a cycle,
    so without cycles such links are left out.  Parallel links count as a cycle.
    """
    nodes = cluster.num_nodes
    links: dict[tuple[int, int], int] = {}
    ends = zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True)
    for e, end in enumerate(ends):
        if end in links:
            return None
        links[end] = e
    if not _acyclic(nodes, {(min(end), max(end)) for end in links}):
        return None
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in links:
        if (v, u) in links:
            neighbours[u].append(v)
    parent, component = np.full(nodes, -1), np.full(nodes, -1)
    order: list[int] = []
    trees = 0
    for root in range(nodes):
        if component[root] >= 0:
            continue
        component[root] = trees
        stack = [root]
        while stack:
            u = stack.pop()
            order.append(u)
            for v in neighbours[u]:
                if component[v] < 0:
                    component[v], parent[v] = trees, u
                    stack.append(v)
        trees += 1
    up, down = np.full(nodes, -1), np.full(nodes, -1)
    for v in range(nodes):
        if parent[v] >= 0:
            up[v], down[v] = links[v, int(parent[v])], links[int(parent[v]), v]
    return Forest(parent, up, down, component, np.array(order, np.int64))


def _acyclic(nodes: int, edges: set[tuple[int, int]]) -> bool:
    leader = list(range(nodes))

    def find(u: int) -> int:
        while leader[u] != u:
            leader[u] = leader[leader[u]]
            u = leader[u]
        return u

    for u, v in edges:
        a, b = find(u), find(v)
        if a == b:
            return False
        leader[a] = b
    return True
