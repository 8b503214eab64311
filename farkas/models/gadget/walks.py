"""Workers on hosts and closed walks through them: rows of one slot and of the whole horizon."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import declare_capacities, declare_links
from farkas.numbers import Floats, Ints


class HostedWorkers(Program):
    """Workers of jobs in slots, and the nodes that host them.  GADGET (4), (5)."""

    kind = "gadget"
    sense = "max"

    @constraint("5", "active_slots", "nodes")
    def only_on_hosts(m, i, t, u):
        """Workers sit on hosts, no more than fit."""
        return m.workers[i, t, u] <= m.cap[i, t, u] * m.hosts[i, t, u]

    @constraint("5", "active_slots", "nodes")
    def hosts_have_workers(m, i, t, u):
        """A host has a worker."""
        return m.hosts[i, t, u] <= m.workers[i, t, u]

    @constraint("4", "slots", "limits")
    def node_capacity(m, t, u, r):
        """Workers fit on their node."""
        used = Sum(m.demand[i, r] * m.workers[i, t, u] for i in m.jobs_at[t])
        return used <= m.capacity[u, r]


class Walks(HostedWorkers):
    """One closed walk through the hosts of every ring, in place of GADGET (7)-(9).

    A balanced multiset of links in which every host is reached from one of them is a closed walk
    through all of them.
    """

    @constraint("9", "active_slots", "nodes")
    def balance(m, i, t, u):
        """The walk leaves every node as often as it enters."""
        left = Sum(m.uses[i, t, e] for e in m.leaving[u])
        return left == Sum(m.uses[i, t, e] for e in m.entering[u])

    @constraint("9", "active_slots")
    def one_root(m, i, t):
        """The walk starts at one host at most."""
        return Sum(m.root[i, t, u] for u in m.nodes) <= 1

    @constraint("9", "active_slots", "nodes")
    def root_is_host(m, i, t, u):
        """The walk starts at a host."""
        return m.root[i, t, u] <= m.hosts[i, t, u]

    @constraint("9", "active_slots", "nodes")
    def only_the_root_supplies(m, i, t, u):
        """Hosts are reached from the root only."""
        return m.supply[i, t, u] <= m.most_hosts[i, t] * m.root[i, t, u]

    @constraint("9", "active_slots", "nodes")
    def every_host_is_reached(m, i, t, u):
        """One unit from the root ends at every host."""
        left = Sum(m.reach[i, t, e] for e in m.leaving[u])
        came = Sum(m.reach[i, t, e] for e in m.entering[u])
        return left - came == m.supply[i, t, u] - m.hosts[i, t, u]

    @constraint("9", "active_slots", "links")
    def along_the_walk(m, i, t, e):
        """Hosts are reached along links of the walk."""
        return m.reach[i, t, e] <= m.most_hosts[i, t] * m.uses[i, t, e]

    @constraint("19", "slots", "limited_links")
    def link_capacity(m, t, e):
        """Closed walks fit through their link; (8) caps each path alone."""
        return Sum(m.reserved[i] * m.uses[i, t, e] for i in m.jobs_at[t]) <= m.bandwidth[e]


def declare_hosts(m, cluster: Cluster, slots, active: list[tuple[int, int]], cap: Ints) -> None:
    """Declare capacities, slots, who is active in them, and workers, of which ``cap`` fit."""
    declare_capacities(m, cluster, m.jobs.table[:, 0])
    m.slots = Set(slots, label="slot")
    m.active_slots = Set(active, label=("job", "slot"))
    m.jobs_at = IndexedSet(m.slots, [[i for i, s in active if s == t] for t in slots], label="job")
    place = m.active_slots, m.nodes
    m.cap = Param(*place, values=cap)
    m.workers = Var(*place, integer=True, upper=cap, doc="Workers on the node; y.")
    m.hosts = Var(*place, binary=True, upper=cap > 0, doc="The node hosts some; x.")


def declare_walks(m, cluster: Cluster, most: Ints, uses: Floats | Ints) -> None:
    """Declare links and walks of rings of ``most`` workers that go over a link ``uses`` times."""
    declare_links(m, cluster, m.jobs.table[:, 0])
    open_hosts = m.cap.values > 0
    hosts = np.minimum(most, open_hosts.sum(axis=1))[:, None]
    # as many ring edges as hosts, each on a simple path
    walks = np.minimum(uses, hosts)
    at_node, on_link = (m.active_slots, m.nodes), (m.active_slots, m.links)
    m.root = Var(*at_node, binary=True, upper=open_hosts, doc="The walk starts here.")
    m.supply = Var(*at_node, upper=hosts * open_hosts, doc="Hosts reached from here.")
    m.uses = Var(*on_link, integer=True, upper=walks, doc="Times on the link; f.")
    m.reach = Var(*on_link, upper=hosts * walks, doc="Hosts reached through the link.")
    m.most_hosts = Param(m.active_slots, values=hosts[:, 0])
