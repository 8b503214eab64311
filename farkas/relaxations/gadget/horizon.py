"""What bounds on the whole horizon share: blocks of equal slots, and concave rewards in pieces."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import NotApplicable
from farkas.instances.gadget import Cluster
from farkas.instances.utilities.envelope import envelope
from farkas.models.gadget.base import declare_capacities, declare_links, lone_sizes
from farkas.models.gadget.links import link_cap
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats, Ints
from farkas.tolerances import TIE


@dataclasses.dataclass(frozen=True, eq=False)
class Timeline:
    """The horizon cut at arrivals: between two of them all slots are alike."""

    cluster: Cluster  #: The instance.
    start: Ints  #: Shape (blocks,), first slot.
    length: Ints  #: Shape (blocks,), slots; L.

    @classmethod
    def of(cls, cluster: Cluster) -> Timeline:
        """Cut the horizon of ``cluster``."""
        cuts = np.unique(np.append(0, cluster.arrival[cluster.arrival < cluster.horizon]))
        return cls(cluster, cuts, np.diff(np.append(cuts, cluster.horizon)))

    @cached_property
    def open_blocks(self) -> Ints:
        """(job, block) after the job's arrival, for jobs that can run; shape (pairs, 2)."""
        runs = self.cluster.reachable_slots > 0
        return np.argwhere(runs[:, None] & (self.start[None, :] >= self.cluster.arrival[:, None]))

    @cached_property
    def slopes(self) -> list[Floats]:
        """Positive slopes of each job's concave envelope, decreasing, one per worker-slot."""
        found = []
        for job, most in enumerate(self.cluster.reachable_slots.tolist()):
            hull = envelope(self.cluster.reward(job, np.arange(most + 1)))
            rises = np.diff(hull)
            found.append(rises[rises > 0])
        return found

    @cached_property
    def pieces(self) -> tuple[Ints, Floats, Floats]:
        """(job, number), length and slope of every straight piece of the envelopes.

        Worker-slots of equal slope are one piece.
        """
        keys, lengths, rates = [], [], []
        for job, slopes in enumerate(self.slopes):
            if not len(slopes):
                continue
            cuts = np.flatnonzero(np.append(np.inf, -np.diff(slopes)) > TIE * slopes[0])
            ends = np.append(cuts[1:], len(slopes))
            keys += [(job, number) for number in range(len(cuts))]
            lengths.append(ends - cuts)
            rates.append(np.add.reduceat(slopes, cuts) / (ends - cuts))
        nothing = np.zeros(0)
        return (
            np.array(keys, np.int64).reshape(len(keys), 2),
            np.concatenate([nothing, *lengths]),
            np.concatenate([nothing, *rates]),
        )


class HorizonBound(Program):
    """Totals of worker-slots with the concave envelopes of their rewards, slots merged."""

    kind = "gadget"
    sense = "max"

    @objective
    def total_reward(m):
        """Rewards of never running, and what the worker-slots add to them at most."""
        return m.idle_reward + Sum(m.slope[i, p] * m.piece[i, p] for i, p in m.pieces)


def declare_rewards(m, timeline: Timeline) -> None:
    """Declare jobs, blocks, and the straight pieces of the concave envelopes."""
    cluster = timeline.cluster
    m.jobs = Set(range(cluster.num_jobs), label="job")
    m.blocks = Set(range(len(timeline.length)), label="block")
    m.length = Param(m.blocks, values=timeline.length)
    m.open_blocks = Set(timeline.open_blocks, label=("job", "block"))
    keys, lengths, slopes = timeline.pieces
    m.pieces = Set(keys, label=("job", "piece"))
    groups = groups_by_key(keys[:, 0], keys[:, 1], cluster.num_jobs)
    m.pieces_of = IndexedSet(m.jobs, groups, label="piece")
    m.slope = Param(m.pieces, values=slopes)
    m.piece = Var(m.pieces, upper=lengths, doc="Worker-slots rewarded at this slope.")
    m.idle_reward = Param(values=cluster.idle_reward.sum())


def groups_by_key(keys, members, count: int):
    """Members by key; ``keys`` is sorted and lies in 0..count - 1."""
    if count == 0:
        return []
    return np.split(np.asarray(members), np.searchsorted(keys, np.arange(1, count)))


class Augmented(Program):
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
        usable = np.minimum(link_cap(cluster, [i for i, _, _ in edges]), 1.0)
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
