"""The bound on the whole horizon with continuous workers on classes of equal servers.

Slots between arrivals are alike, and rewards are concave envelopes in pieces.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import declare_links
from farkas.models.gadget.envelope import envelope
from farkas.models.gadget.rings import enumerate_rings
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


@dataclasses.dataclass(frozen=True, eq=False)
class ServerClasses:
    """Servers with equal capacities."""

    count: Ints  #: Shape (classes,), servers; n.
    capacity: Floats  #: Shape (classes, resources), units of one server; C.
    cap: Ints  #: Shape (jobs, classes), workers that one server holds.
    members: list[Ints]  #: Servers of each class.

    @classmethod
    def of(cls, cluster: Cluster) -> ServerClasses:
        """Group the servers of ``cluster``."""
        servers = np.flatnonzero(cluster.is_server)
        if not len(servers):
            nobody = np.zeros((cluster.num_jobs, 0), np.int64)
            return cls(np.zeros(0, np.int64), np.zeros((0, cluster.num_resources)), nobody, [])
        kinds, first, which, count = np.unique(
            cluster.capacity[servers],
            axis=0,
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        members = [servers[which.ravel() == c] for c in range(len(kinds))]
        return cls(count, kinds, cluster.host_cap[:, servers[first]], members)


class OfflineBound(HorizonBound):
    """Bound on every schedule: continuous workers, no network, concave envelopes of utilities.

    Slots of a block and servers of a class can be averaged, so merging them loses nothing.  Valid
    for utilities that are not concave.
    """

    name = "gadget.offline_bound"

    def declare(self, m, data: Cluster):
        """Declare sets, parameters and variables."""
        timeline, servers = Timeline.of(data), ServerClasses.of(data)
        declare_rewards(m, timeline)
        m.classes = Set(range(len(servers.count)), label="server_class")
        m.resources = Set(range(data.num_resources), label="resource")
        job, block = timeline.open_blocks.T
        place, kind = np.nonzero(servers.cap[job] > 0)
        labels = ("job", "block", "server_class")
        m.places = Set(np.column_stack([job[place], block[place], kind]), label=labels)
        # grouped by (job, block), because the places are sorted
        m.classes_of = IndexedSet(
            m.open_blocks, groups_by_key(place, kind, len(job)), label="server_class"
        )
        pairs = np.column_stack([block[place], kind])
        m.places_of = IndexedSet(
            m.jobs, groups_by_key(job[place], pairs, data.num_jobs), label=("block", "server_class")
        )
        at = np.ravel_multi_index((block[place], kind), (len(timeline.length), len(servers.count)))
        order = np.argsort(at, kind="stable")
        m.jobs_on = IndexedSet(
            (m.blocks, m.classes),
            groups_by_key(at[order], job[place][order], len(timeline.length) * len(servers.count)),
            label="job",
        )
        slots = timeline.length[block[place]] * servers.count[kind] * servers.cap[job[place], kind]
        m.workers = Var(m.places, upper=slots, doc="Worker-slots on the class in the block; w.")
        m.demand = Param(m.jobs, m.resources, values=data.demand)
        most = timeline.length[block] * data.max_workers[job]
        m.ring_slots = Param(m.open_blocks, values=most)
        limited = np.isfinite(servers.capacity)
        where = np.argwhere(np.broadcast_to(limited, (len(timeline.length), *limited.shape)))
        m.limits = Set(where, label=("block", "server_class", "resource"))
        q, c, r = where.T
        units = timeline.length[q] * servers.count[c] * servers.capacity[c, r]
        m.capacity = Param(m.limits, values=units)

    @constraint("2", "open_blocks")
    def ring_size(m, i, q):
        """In each slot a ring has at most its largest size."""
        return Sum(m.workers[i, q, c] for c in m.classes_of[i, q]) <= m.ring_slots[i, q]

    @constraint("3", "jobs")
    def received(m, i):
        """The reward counts no more worker-slots than were given."""
        given = Sum(m.workers[i, q, c] for q, c in m.places_of[i])
        return Sum(m.piece[i, p] for p in m.pieces_of[i]) <= given

    @constraint("4", "limits")
    def node_capacity(m, q, c, r):
        """Workers fit on the servers of the class."""
        used = Sum(m.demand[i, r] * m.workers[i, q, c] for i in m.jobs_on[q, c])
        return used <= m.capacity[q, c, r]


class OfflineColumnBound(HorizonBound):
    """The bound with whole rings: fractions of locally feasible rings, links included."""

    name = "gadget.offline_column_bound"

    def declare(self, m, data: Cluster):
        """Declare sets, parameters and variables."""
        timeline = Timeline.of(data)
        declare_rewards(m, timeline)
        within = np.where(data.reachable_slots > 0, data.ring_limit(), 0)
        rings = enumerate_rings(data, within)
        m.nodes = Set(range(data.num_nodes), label="node")
        m.resources = Set(range(data.num_resources), label="resource")
        declare_links(m, data, np.arange(data.num_jobs))
        m.rings = Set(range(len(rings)), label="ring")
        m.rings_of = IndexedSet(
            m.jobs, groups_by_key(rings.job, np.arange(len(rings)), data.num_jobs), label="ring"
        )
        used = [
            (c, q)
            for i, q in timeline.open_blocks.tolist()
            for c in np.flatnonzero(rings.job == i).tolist()
        ]
        m.runs = Set(used, label=("ring", "block"))
        blocks_of = [[q for i, q in timeline.open_blocks.tolist() if i == j] for j in rings.job]
        m.blocks_of = IndexedSet(m.rings, blocks_of, label="block")
        m.size = Param(m.rings, values=rings.size)
        limited = np.isfinite(data.capacity) & data.is_server[:, None]
        m.limits = Set(np.argwhere(limited), label=("node", "resource"))
        m.node_room = Param(m.limits, values=data.capacity[limited])
        self._declare_loads(m, rings.node_load(data), rings.link_load(data), used)
        length = timeline.length[[q for _, q in used]]
        m.used = Var(
            m.runs,
            implied_upper=length,
            reason="a job runs one ring at most in each slot of the block",
            doc="Slots of the block in which the ring runs.",
        )

    def _declare_loads(self, m, load: Floats, reserved: Floats, used: list[tuple[int, int]]):
        """Declare what rings take of nodes and links, and which may take some in a block."""
        m.node_load = Param(m.rings, m.nodes, m.resources, values=load)
        m.link_load = Param(m.rings, m.links, values=reserved)
        open_to = np.zeros((len(load), len(m.blocks)), bool)
        open_to[tuple(np.reshape(used, (-1, 2)).T.astype(int))] = True
        on_node = [load[:, u, r] > 0 for u, r in m.limits.members()]
        on_link = [reserved[:, e] > 0 for e in m.limited_links.members()]
        for name, over, takes in (
            ("on_node", m.limits, on_node),
            ("on_link", m.limited_links, on_link),
        ):
            rings = [np.flatnonzero(some & during) for some in takes for during in open_to.T]
            setattr(m, name, IndexedSet((over, m.blocks), rings, label="ring"))

    @constraint("13", "open_blocks")
    def one_ring(m, i, q):
        """In each slot a job runs one ring at most."""
        return Sum(m.used[c, q] for c in m.rings_of[i]) <= m.length[q]

    @constraint("3", "jobs")
    def received(m, i):
        """The reward counts no more worker-slots than were given."""
        given = Sum(m.size[c] * m.used[c, q] for c in m.rings_of[i] for q in m.blocks_of[c])
        return Sum(m.piece[i, p] for p in m.pieces_of[i]) <= given

    @constraint("18", "limits", "blocks")
    def node_capacity(m, u, r, q):
        """Workers fit on their node."""
        used = Sum(m.node_load[c, u, r] * m.used[c, q] for c in m.on_node[u, r, q])
        return used <= m.length[q] * m.node_room[u, r]

    @constraint("19", "limited_links", "blocks")
    def link_capacity(m, e, q):
        """Rings fit through their link."""
        used = Sum(m.link_load[c, e] * m.used[c, q] for c in m.on_link[e, q])
        return used <= m.length[q] * m.bandwidth[e]
