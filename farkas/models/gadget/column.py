"""The slot problem over a list of ring mappings."""

import dataclasses

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.models.gadget.base import declare_capacities, declare_links
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Columns:
    """Rings of one slot with their worth."""

    slot: SlotView  #: The slot's problem.
    rings: Rings  #: Mappings of allowed sizes.

    @property
    def gains(self) -> Floats:
        """Worth of each ring, shape (rings,)."""
        place = self.slot.jobs.searchsorted(self.rings.job)
        return self.slot.gains[place, self.rings.size - 1]


def all_columns(data, *, most: int = 200_000) -> Columns:
    """List every minimal locally feasible ring of an allowed size.

    Raises `NotApplicable` where there are more than ``most``.
    """
    if isinstance(data, Columns):
        return data
    slot = snapshot(data)
    largest = [0] * slot.cluster.num_jobs
    for job, limit in zip(slot.jobs.tolist(), slot.largest.tolist(), strict=True):
        largest[job] = limit
    rings = enumerate_rings(slot.cluster, largest, most=most)
    place = slot.jobs.searchsorted(rings.job)
    return Columns(slot, rings.take(slot.allowed[place, rings.size - 1]))


class ColumnIP(Program):
    """Best rings of one slot, one variable per ring mapping; equal to GADGET (12)-(19)."""

    name = "gadget.column_ip"
    kind = "gadget"
    sense = "max"
    integral = True

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        columns = all_columns(data)
        slot, rings = columns.slot, columns.rings
        cluster = slot.cluster
        m.jobs = Set(slot.jobs, label="job")
        declare_capacities(m, cluster, slot.jobs)
        declare_links(m, cluster, slot.jobs)
        m.rings = Set(range(len(rings)), label="ring")
        groups = [(rings.job == i).nonzero()[0] for i in slot.jobs.tolist()]
        m.rings_of = IndexedSet(m.jobs, groups, label="ring")
        m.gain = Param(m.rings, values=columns.gains)
        load = rings.node_load(cluster)
        at = m.limits.table
        on_node = [load[:, u, r].nonzero()[0] for u, r in at.tolist()]
        m.on_node = IndexedSet(m.limits, on_node, label="ring")
        m.node_load = Param(m.rings, m.nodes, m.resources, values=load)
        reserved = rings.link_load(cluster)
        on_link = [reserved[:, e].nonzero()[0] for e in m.limited_links.members()]
        m.on_link = IndexedSet(m.limited_links, on_link, label="ring")
        m.link_load = Param(m.rings, m.links, values=reserved)
        m.used = Var(
            m.rings,
            integer=self.integral,
            implied_upper=1,
            reason="a job runs one ring at most",
            doc="The ring runs.",
        )

    @objective
    def total_gain(m):
        """Marginal reward of the rings that run."""
        return Sum(m.gain[c] * m.used[c] for c in m.rings)

    @constraint("13", "jobs")
    def one_ring(m, i):
        """A job runs one ring at most."""
        return Sum(m.used[c] for c in m.rings_of[i]) <= 1

    @constraint("18", "limits")
    def node_capacity(m, u, r):
        """Workers fit on their node."""
        used = Sum(m.node_load[c, u, r] * m.used[c] for c in m.on_node[u, r])
        return used <= m.capacity[u, r]

    @constraint("19", "limited_links")
    def link_capacity(m, e):
        """Rings fit through their link."""
        return Sum(m.link_load[c, e] * m.used[c] for c in m.on_link[e]) <= m.bandwidth[e]


class ColumnLP(ColumnIP):
    """Relaxation over all locally feasible rings: the tightest of the slot relaxations here.

    Local feasibility is what makes it tight: with columns that may overload a node or link on
    their own, it falls back to ``gadget.node_lp``.
    """

    name = "gadget.column_lp"
    integral = False
