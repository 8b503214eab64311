"""The bound on the whole horizon with whole rings."""

from __future__ import annotations

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import declare_links
from farkas.models.gadget.rings import enumerate_rings
from farkas.numbers import Floats
from farkas.relaxations.gadget.timeline import (
    HorizonBound,
    Timeline,
    declare_rewards,
    groups_by_key,
)


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
