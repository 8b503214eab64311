"""Clusters whose network is a forest: on these a ring's links are decided by its hosts."""

import dataclasses

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

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
    pieces, _ = connected_components(_joined(nodes, edges), directed=False)
    if len(links) < len(ends) or len(edges) > nodes - pieces:
        return None
    both = _joined(nodes, {(u, v) for u, v in edges if (u, v) in links and (v, u) in links})
    _, component = connected_components(both, directed=False)
    parent, up, down = (np.full(nodes, -1) for _ in range(3))
    order: list[int] = []
    for root in np.unique(component, return_index=True)[1].tolist():
        found, before = breadth_first_order(both, root, directed=False)
        order += found.tolist()
        parent[found[1:]] = before[found[1:]]
    for v in np.flatnonzero(parent >= 0).tolist():
        up[v], down[v] = links[v, int(parent[v])], links[int(parent[v]), v]
    return Forest(parent, up, down, component.astype(np.int64), np.array(order, np.int64))


def _joined(nodes: int, edges: set[tuple[int, int]]) -> sparse.csr_array:
    """Adjacency of an undirected network."""
    rows, columns = np.array(sorted(edges), np.int64).reshape(len(edges), 2).T
    return sparse.csr_array((np.ones(len(edges)), (rows, columns)), shape=(nodes, nodes))
