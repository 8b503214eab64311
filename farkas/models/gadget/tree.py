"""The slot problem on a forest: every link is used once per direction or not at all."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import (
    SlotProgram,
    all_workers_placed,
    declare_capacities,
    declare_participants,
    node_capacity,
)
from farkas.models.gadget.forest import Forest, forest
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Bools, Ints


class Tree(SlotProgram):
    """Best rings of one slot on a network without cycles.

    Equal to GADGET (12)-(19) there: a ring crosses the edge above a node exactly when it has
    workers below and outside.
    """

    name = "gadget.tree"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        cluster = slot.cluster
        tree = forest(cluster)
        if tree is None:
            raise NotApplicable(f"{self.name}: the network of {cluster.name!r} has a cycle")
        declare_participants(m, slot)
        declare_capacities(m, cluster, slot.jobs)
        below_root = np.flatnonzero(tree.parent >= 0)
        m.edges = Set(below_root, label="node")
        m.children = IndexedSet(
            m.nodes,
            [np.flatnonzero(tree.parent == v) for v in range(cluster.num_nodes)],
            label="node",
        )
        m.trees = Set(range(tree.num_components), label="tree")
        m.roots = IndexedSet(
            m.trees,
            [np.flatnonzero((tree.parent < 0) & (tree.component == c)) for c in m.trees.members()],
            label="node",
        )
        most = _most_below(slot, tree)
        passes = crossable(cluster, slot.jobs, tree)
        whole = np.broadcast_to(slot.largest[:, None], most.shape)
        m.chosen = Var(m.sizes, binary=True, doc="The job's ring has this size.")
        m.workers = Var(m.jobs, m.nodes, integer=True, upper=slot.cap, doc="Workers on the node.")
        m.below = Var(m.jobs, m.nodes, upper=most, doc="Workers at or below the node.")
        m.crosses = Var(
            m.jobs, m.edges, binary=True, upper=passes, doc="The ring uses the edge above the node."
        )
        m.inside = Var(m.jobs, m.edges, binary=True, doc="The whole ring is below the edge.")
        m.within = Var(m.jobs, m.trees, binary=True, doc="The ring is in this tree.")
        m.most = Param(m.jobs, m.nodes, values=most)
        m.largest = Param(m.jobs, m.nodes, values=whole)
        used = [(v, int(link[v])) for v in below_root for link in (tree.up, tree.down)]
        limited = [(v, e) for v, e in used if np.isfinite(cluster.link_bandwidth[e])]
        m.limited_links = Set(limited, label=("node", "link"))
        m.bandwidth = Param(m.limited_links, values=cluster.link_bandwidth[[e for _, e in limited]])
        m.reserved = Param(m.jobs, values=cluster.bandwidth[slot.jobs])

    all_workers_placed = all_workers_placed

    @constraint("below", "jobs", "nodes")
    def workers_below(m, i, v):
        """Workers at or below a node are its own and those below its children."""
        return m.below[i, v] == m.workers[i, v] + Sum(m.below[i, c] for c in m.children[v])

    @constraint("15", "jobs", "edges")
    def none_below_an_unused_edge(m, i, v):
        """Workers below an edge mean that the ring crosses it or is all below."""
        return m.below[i, v] <= m.most[i, v] * (m.crosses[i, v] + m.inside[i, v])

    @constraint("15", "jobs", "edges")
    def none_outside_unless_crossing(m, i, v):
        """A ring all below an edge that it does not cross has no worker outside."""
        size = Sum(k * m.chosen[i, k] for k in m.sizes_of[i])
        outside = size - m.below[i, v]
        return outside <= m.largest[i, v] * (1 - m.inside[i, v] + m.crosses[i, v])

    @constraint("15", "jobs", "trees")
    def none_in_other_trees(m, i, c):
        """All workers are in the ring's tree."""
        return Sum(m.below[i, v] - m.most[i, v] * m.within[i, c] for v in m.roots[c]) <= 0

    @constraint("15", "jobs")
    def one_tree(m, i):
        """A ring stays in one tree."""
        return Sum(m.within[i, c] for c in m.trees) <= 1

    node_capacity = node_capacity

    @constraint("19", "limited_links")
    def link_capacity(m, v, e):
        """Rings fit through their link."""
        return Sum(m.reserved[i] * m.crosses[i, v] for i in m.jobs) <= m.bandwidth[v, e]


def _most_below(slot: SlotView, tree: Forest):
    """Most workers of each ring at or below each node, shape (participants, nodes)."""
    most = slot.cap.copy()
    for v in tree.order[::-1].tolist():
        if tree.parent[v] >= 0:
            most[:, tree.parent[v]] += most[:, v]
    return np.minimum(most, slot.largest[:, None])


def crossable(cluster: Cluster, jobs: Ints, tree: Forest) -> Bools:
    """Whether a ring alone fits through the edge above each node, shape (jobs, edges)."""
    edges = np.flatnonzero(tree.parent >= 0)
    caps = cluster.link_cap(jobs)
    return np.minimum(caps[:, tree.up[edges]], caps[:, tree.down[edges]]) >= 1
