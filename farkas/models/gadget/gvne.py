"""Generalised virtual network embedding: rings of unknown size.  GADGET (12)-(19)."""

from __future__ import annotations

import numpy as np

from farkas.algebra import IndexedSet, Set, Sum, Var, constraint
from farkas.models.gadget.base import (
    SlotProgram,
    declare_capacities,
    declare_links,
    declare_participants,
)
from farkas.models.gadget.slot import snapshot


class Gvne(SlotProgram):
    """Best rings of one slot, worker by worker and ring edge by ring edge.  GADGET (12)-(19).

    The loads h and o of (16) and (17) are substituted into (18) and (19); gadget.gvne_rows has
    them as rows.
    """

    name = "gadget.gvne"
    integral = True

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        cluster = slot.cluster
        declare_participants(m, slot)
        declare_capacities(m, cluster, slot.jobs)
        declare_links(m, cluster, slot.jobs)
        seats = [(i, k, a) for i, k in slot.pairs.tolist() for a in range(k)]
        edges = [(i, k, a) for i, k, a in seats if k > 1]
        m.seats = Set(seats, label=("job", "size", "worker"))
        m.ring_edges = Set(edges, label=("job", "size", "worker"))
        m.after = IndexedSet(m.ring_edges, [[(a + 1) % k] for _, k, a in edges], label="worker")
        hosts = cluster.host_cap[[i for i, _, _ in seats]] > 0
        m.runs = Var(m.jobs, integer=self.integral, upper=1, doc="ρ: the job is embedded.")
        m.chosen = Var(m.sizes, integer=self.integral, upper=1, doc="χ: with a ring of this size.")
        m.placed = Var(
            m.seats,
            m.nodes,
            integer=self.integral,
            upper=np.reshape(hosts, (len(seats), cluster.num_nodes)),
            doc="ϱ: the worker sits on this node; 0 where not even one worker fits.",
        )
        m.routed = Var(
            m.ring_edges,
            m.links,
            integer=self.integral,
            upper=1,
            doc="θ: the ring edge behind this worker uses the link.",
        )

    @constraint("13", "jobs")
    def one_size(m, i):
        """A job that runs has a ring of one size."""
        return Sum(m.chosen[i, k] for k in m.sizes_of[i]) == m.runs[i]

    @constraint("14", "seats")
    def every_worker_sits_somewhere(m, i, k, a):
        """Each worker of the chosen ring sits on one node."""
        return Sum(m.placed[i, k, a, u] for u in m.nodes) == m.chosen[i, k]

    @constraint("15", "ring_edges", "nodes")
    def flow(m, i, k, a, u):
        """Each ring edge is a unit flow from its worker's node to the next worker's."""
        left = Sum(m.routed[i, k, a, e] for e in m.leaving[u])
        came = Sum(m.routed[i, k, a, e] for e in m.entering[u])
        next_worker = Sum(m.placed[i, k, b, u] for b in m.after[i, k, a])
        return left - came == m.placed[i, k, a, u] - next_worker

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers fit on their node; (16) substituted."""
        used = Sum(m.demand[i, r] * m.placed[i, k, a, u] for i, k, a in m.seats)
        return used <= m.capacity[u, r]

    @constraint("19", "limited_links")
    def link_capacity(m, e):
        """Ring edges fit through their link; (17) substituted."""
        used = Sum(m.reserved[i] * m.routed[i, k, a, e] for i, k, a in m.ring_edges)
        return used <= m.bandwidth[e]


class GvneRows(Gvne):
    """Embedding of one slot row by row as printed, with the loads h and o.  GADGET (12)-(19)."""

    name = "gadget.gvne_rows"

    def declare(self, m, data):
        """Declare what `Gvne` does, and loads of jobs on nodes and links."""
        super().declare(m, data)
        cluster = snapshot(data).cluster
        for name, rings in (("seats_of", m.seats), ("edges_of", m.ring_edges)):
            table = rings.table
            own = [table[table[:, 0] == i, 1:] for i in m.jobs.table[:, 0]]
            setattr(m, name, IndexedSet(m.jobs, own, label=("size", "worker")))
        m.node_load = Var(
            m.jobs,
            m.limits,
            implied_upper=cluster.capacity[tuple(m.limits.table.T)],
            reason="no job takes more than all may, by (18)",
            doc="What the job takes of the resource there; h.",
        )
        m.link_load = Var(
            m.jobs,
            m.limited_links,
            implied_upper=cluster.link_bandwidth[m.limited_links.members()],
            reason="no job takes more than all may, by (19)",
            doc="What the job takes of the link; o.",
        )

    @constraint("16", "jobs", "limits")
    def load_of_node(m, i, u, r):
        """Workers of all sizes add up to the load of a node."""
        used = Sum(m.demand[i, r] * m.placed[i, k, a, u] for k, a in m.seats_of[i])
        return used == m.node_load[i, u, r]

    @constraint("17", "jobs", "limited_links")
    def load_of_link(m, i, e):
        """Ring edges of all sizes add up to the load of a link."""
        used = Sum(m.reserved[i] * m.routed[i, k, a, e] for k, a in m.edges_of[i])
        return used == m.link_load[i, e]

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Loads of all jobs fit on the node."""
        return Sum(m.node_load[i, u, r] for i in m.jobs) <= m.capacity[u, r]

    @constraint("19", "limited_links")
    def link_capacity(m, e):
        """Loads of all jobs fit through the link."""
        return Sum(m.link_load[i, e] for i in m.jobs) <= m.bandwidth[e]
