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
    ends = list(zip(cluster.link_source.tolist(), cluster.link_target.tolist(), strict=True))
    links = {end: e for e, end in enumerate(ends)}
    edges = {(min(end), max(end)) for end in ends}
    piece = list(range(nodes))
    for u, v in edges:
        if piece[u] == piece[v]:
            return None
        piece = [piece[u] if one == piece[v] else one for one in piece]
    if len(links) < len(ends):
        return None
    near: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in sorted(links):
        if (v, u) in links:
            near[u].append(v)
    parent, up, down, component = (np.full(nodes, -1) for _ in range(4))
    order: list[int] = []
    for root in range(nodes):
        if component[root] >= 0:
            continue
        tree = [root]
        component[root] = component.max() + 1
        for v in tree:
            for w in near[v]:
                if w != parent[v]:
                    parent[w], component[w] = v, component[root]
                    up[w], down[w] = links[w, v], links[v, w]
                    tree.append(w)
        order += tree
    return Forest(parent, up, down, component, np.array(order, np.int64))
