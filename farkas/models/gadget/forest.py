"""Clusters whose network is a forest: on these a ring's links are decided by its hosts."""

import dataclasses
from collections.abc import Collection
from typing import TypeAlias

import numpy as np

from farkas.instances.gadget import Cluster
from farkas.numbers import Ints
from farkas.registry import once

Edge: TypeAlias = tuple[int, int]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """A forest with links in both directions."""

    parent: Ints  #: Shape (nodes,), -1 for roots.
    #: up, down: shape (nodes,), link to and from the parent, -1 for roots.
    up: Ints
    down: Ints
    component: Ints  #: Shape (nodes,), number of the tree.
    order: Ints  #: Shape (nodes,), every parent before its children.

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
    ends = list(zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True))
    links = {end: e for e, end in enumerate(ends)}
    edges = {(min(end), max(end)) for end in ends}
    if len(links) < len(ends) or not _acyclic(nodes, edges):
        return None
    near = _neighbours(nodes, [(u, v) for u, v in edges if {(u, v), (v, u)} <= links.keys()])
    parent, up, down, component = (np.full(nodes, -1) for _ in range(4))
    order: list[int] = []
    trees = 0
    for root in range(nodes):
        if component[root] >= 0:
            continue
        component[root] = trees
        tree = [root]
        for v in tree:
            for w in near[v]:
                if w != parent[v]:
                    parent[w], component[w] = v, trees
                    up[w], down[w] = links[w, v], links[v, w]
                    tree.append(w)
        order += tree
        trees += 1
    return Forest(parent, up, down, component, np.array(order, np.int64))


def _acyclic(nodes: int, edges: Collection[Edge]) -> bool:
    near, seen = _neighbours(nodes, edges), [False] * nodes
    for root in range(nodes):
        stack = [] if seen[root] else [(root, -1)]
        while stack:
            v, before = stack.pop()
            if seen[v]:
                return False
            seen[v] = True
            stack += [(w, v) for w in near[v] if w != before]
    return True


def _neighbours(nodes: int, edges: Collection[Edge]) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in sorted(edges):
        near[u].append(v)
        near[v].append(u)
    return near
