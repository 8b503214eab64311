"""What the linear relaxation of the embedding program collapses to: servers alone fill up."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint
from farkas.models.gadget.base import SlotProgram, declare_capacities, declare_participants
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import snapshot


class NodeLP(SlotProgram):
    """The embedding relaxation without ring edges: servers fill up, links never do."""

    name = "gadget.node_lp"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        cluster = slot.cluster
        declare_participants(m, slot)
        declare_capacities(m, cluster, slot.jobs)
        m.chosen = Var(
            m.sizes,
            implied_upper=1,
            reason="the sizes of a job share one unit",
            doc="Share of the ring size; χ.",
        )
        fits = cluster.host_cap[slot.jobs] > 0
        hosts = np.argwhere(fits)
        m.places = Set(
            np.column_stack([slot.jobs[hosts[:, 0]], hosts[:, 1]]), label=("job", "node")
        )
        m.hosts_of = IndexedSet(m.jobs, [np.flatnonzero(row) for row in fits], label="node")
        m.jobs_on = IndexedSet(m.nodes, [slot.jobs[row] for row in fits.T], label="job")
        m.workers = Var(
            m.places,
            implied_upper=slot.largest[hosts[:, 0]],
            reason="no more workers than the largest size",
            doc="Workers on the node; w.",
        )

    @constraint("14", "jobs")
    def all_workers_placed(m, i):
        """The nodes host as many workers as the ring has."""
        placed = Sum(m.workers[i, u] for u in m.hosts_of[i])
        return placed == Sum(k * m.chosen[i, k] for k in m.sizes_of[i])

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers fit on their node."""
        return Sum(m.demand[i, r] * m.workers[i, u] for i in m.jobs_on[u]) <= m.capacity[u, r]


class LocalNodeLP(NodeLP):
    """The node relaxation in which a node holds of each ring what it can hold at all."""

    name = "gadget.local_node_lp"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        super().declare(m, data)
        slot = snapshot(data)
        shared = [
            (i, k, u, min(k, int(slot.cluster.host_cap[i, u])))
            for i, k in slot.pairs.tolist()
            for u in np.flatnonzero(slot.cluster.host_cap[i]).tolist()
        ]
        m.shares = Set([row[:3] for row in shared], label=("job", "size", "node"))
        m.held = Param(m.shares, values=[row[3] for row in shared])

    @constraint("5", "places")
    def local_capacity(m, i, u):
        """A node never holds more workers of one ring than fit on it when it is empty."""
        held = Sum(m.held[i, k, u] * m.chosen[i, k] for k in m.sizes_of[i])
        return m.workers[i, u] <= held


class GvneLP(Gvne):
    """Relaxation of GADGET (12)-(19) with fractional sizes, workers and ring edges.

    Its value is that of ``gadget.node_lp``: averaging the workers of a ring over their positions
    keeps all node loads and makes every ring edge start where it ends, so no link is used.
    """

    name = "gadget.gvne_lp"
    integral = False
