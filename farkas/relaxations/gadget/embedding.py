"""Relaxations of a slot: of the embedding program, what it collapses to, and one at fixed sizes.

A point of the last, the augmented relaxation, is a mixture of rings (`mixture.decompose`).
"""

import numpy as np

from farkas.algebra import (
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    objective,
)
from farkas.errors import NotApplicable
from farkas.models.gadget.base import (
    SlotProgram,
    declare_capacities,
    declare_links,
    declare_participants,
    lone_sizes,
)
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.slot import SlotView, snapshot


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


class AugmentedRelaxation(Program):
    """Relaxation for fixed ring sizes that can be decomposed into rings.

    Rost and Schmid's second formulation for a ring: it is cut at worker 0, and in the copy of host
    w worker 0 sits on w, so the path of the other workers begins and ends there.  GADGET V-C.
    Takes a snapshot with one size per job; of an instance it fixes the largest size that the job
    could run alone.
    """

    name = "gadget.augmented"
    kind = "gadget"
    sense = "max"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = fixed_sizes(data)
        cluster = slot.cluster
        size = dict(zip(slot.jobs.tolist(), slot.largest.tolist(), strict=True))
        m.jobs = Set(slot.jobs, label="job")
        declare_capacities(m, cluster, slot.jobs)
        declare_links(m, cluster, slot.jobs)
        hosts = [(i, w) for i in size for w in np.flatnonzero(cluster.host_cap[i]).tolist()]
        m.copies = Set(hosts, label=("job", "host"))
        hosts_of = [np.flatnonzero(cluster.host_cap[i]) for i in size]
        m.hosts_of = IndexedSet(m.jobs, hosts_of, label="host")
        m.jobs_from = IndexedSet(
            m.nodes,
            [[i for i, w in hosts if w == u] for u in range(cluster.num_nodes)],
            label="job",
        )
        inner = [(i, w, a) for i, w in hosts for a in range(1, size[i])]
        edges = [(i, w, a) for i, w in hosts for a in range(size[i]) if size[i] > 1]
        label = ("job", "host", "worker")
        m.seats = Set(inner, label=label)
        m.ring_edges = Set(edges, label=label)
        # worker 0 is pinned to w: it is the start of edge 0 and the end of the last edge
        m.start = IndexedSet(m.ring_edges, [[a] if a else [] for _, _, a in edges], label="worker")
        ends = [[a + 1] if a + 1 < size[i] else [] for i, _, a in edges]
        m.end = IndexedSet(m.ring_edges, ends, label="worker")
        nodes = range(cluster.num_nodes)
        m.here = IndexedSet(
            (m.nodes, m.nodes), [[u] if u == w else [] for w in nodes for u in nodes], label="node"
        )
        closing = [float(a == 0) - float(a + 1 == size[i]) for i, _, a in edges]
        m.pinned = Param(m.ring_edges, values=closing)
        m.gain = Param(m.jobs, values=slot.pair_gains)
        m.chosen = Var(m.copies, implied_upper=1, reason="the copies of a job share one unit")
        fits = cluster.host_cap[[i for i, _, _ in inner]] > 0
        m.placed = Var(
            m.seats,
            m.nodes,
            upper=np.where(fits.reshape(len(inner), cluster.num_nodes), 1.0, 0.0),
            doc="Share of the worker on this node in the copy.",
        )
        usable = np.minimum(cluster.link_cap([i for i, _, _ in edges]), 1.0)
        m.routed = Var(
            m.ring_edges,
            m.links,
            upper=usable,
            doc="Share of the ring edge on this link in the copy.",
        )

    @objective
    def total_gain(m):
        """Marginal reward of the rings that run."""
        return Sum(m.gain[i] * m.chosen[i, w] for i, w in m.copies)

    @constraint("13", "jobs")
    def one_copy(m, i):
        """A job's copies share one ring."""
        return Sum(m.chosen[i, w] for w in m.hosts_of[i]) <= 1

    @constraint("14", "seats")
    def every_worker_sits_somewhere(m, i, w, a):
        """In each copy every further worker sits on one node."""
        return Sum(m.placed[i, w, a, u] for u in m.nodes) == m.chosen[i, w]

    @constraint("15", "ring_edges", "nodes")
    def flow(m, i, w, a, u):
        """Each ring edge leads from its worker to the next, the last one back to the host."""
        left = Sum(m.routed[i, w, a, e] for e in m.leaving[u])
        came = Sum(m.routed[i, w, a, e] for e in m.entering[u])
        first = m.pinned[i, w, a] * Sum(m.chosen[i, v] for v in m.here[w, u])
        start = Sum(m.placed[i, w, b, u] for b in m.start[i, w, a])
        return left - came == first + start - Sum(m.placed[i, w, b, u] for b in m.end[i, w, a])

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers of all copies fit on their node."""
        first = Sum(m.demand[i, r] * m.chosen[i, u] for i in m.jobs_from[u])
        others = Sum(m.demand[i, r] * m.placed[i, w, a, u] for i, w, a in m.seats)
        return first + others <= m.capacity[u, r]

    @constraint("19", "limited_links")
    def link_capacity(m, e):
        """Ring edges of all copies fit through their link."""
        used = Sum(m.reserved[i] * m.routed[i, w, a, e] for i, w, a in m.ring_edges)
        return used <= m.bandwidth[e]


def fixed_sizes(data) -> SlotView:
    """Snapshot with one size per job: as given, or the largest that the job could run alone.

    Raises `NotApplicable` when a snapshot allows a job several sizes.
    """
    if isinstance(data, SlotView):
        if (data.allowed.sum(axis=1) != 1).any():
            raise NotApplicable("the augmented relaxation needs one ring size per job: fix them")
        return data
    slot = snapshot(data)
    return slot.fixed(lone_sizes(slot))
