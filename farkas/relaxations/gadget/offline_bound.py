"""The bound on the whole horizon with continuous workers on classes of equal servers."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint
from farkas.instances.gadget import Cluster
from farkas.numbers import Floats, Ints
from farkas.relaxations.gadget.timeline import (
    HorizonBound,
    Timeline,
    declare_rewards,
    groups_by_key,
)


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
