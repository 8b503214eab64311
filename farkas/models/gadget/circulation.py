"""The slot problem as counts and circulations: compact, exact, on any network."""

import numpy as np

from farkas.algebra import Param, Sum, Var, constraint
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import (
    SlotProgram,
    all_workers_placed,
    declare_capacities,
    declare_links,
    declare_participants,
    node_capacity,
)
from farkas.models.gadget.slot import snapshot
from farkas.numbers import Ints


class Circulation(SlotProgram):
    """Best rings of one slot by workers per host and a closed walk through all hosts.

    Equal to GADGET (12)-(19): a balanced multiset of links in which every host is reached from one
    of them is a closed walk through all of them.
    """

    name = "gadget.circulation"

    def declare(self, m, data):
        """Declare sets, parameters and variables."""
        slot = snapshot(data)
        cluster = slot.cluster
        declare_participants(m, slot)
        declare_capacities(m, cluster, slot.jobs)
        declare_links(m, cluster, slot.jobs)
        cap = slot.cap
        hosts = np.minimum(slot.largest, (cap > 0).sum(axis=1))[:, None]
        # as many ring edges as hosts, each on a simple path
        walks = np.minimum(slot.uses, hosts)
        m.chosen = Var(m.sizes, binary=True, doc="The job's ring has this size.")
        m.workers = Var(m.jobs, m.nodes, integer=True, upper=cap, doc="Workers on the node; y.")
        m.hosts = Var(m.jobs, m.nodes, binary=True, upper=cap > 0, doc="The node has some; x.")
        m.root = Var(m.jobs, m.nodes, binary=True, upper=cap > 0, doc="The walk starts here.")
        m.supply = Var(m.jobs, m.nodes, upper=hosts * (cap > 0), doc="Hosts reached from here.")
        m.uses = Var(m.jobs, m.links, integer=True, upper=walks, doc="Times on the link; f.")
        m.reach = Var(m.jobs, m.links, upper=hosts * walks, doc="Hosts reached through the link.")
        m.cap = Param(m.jobs, m.nodes, values=cap)
        m.most_hosts = Param(m.jobs, values=hosts[:, 0])

    all_workers_placed = all_workers_placed

    @constraint("5", "jobs", "nodes")
    def only_on_hosts(m, i, u):
        """Workers sit on hosts, no more than fit."""
        return m.workers[i, u] <= m.cap[i, u] * m.hosts[i, u]

    @constraint("5", "jobs", "nodes")
    def hosts_have_workers(m, i, u):
        """A host has a worker."""
        return m.hosts[i, u] <= m.workers[i, u]

    @constraint("15", "jobs", "nodes")
    def balance(m, i, u):
        """The walk leaves every node as often as it enters."""
        left = Sum(m.uses[i, e] for e in m.leaving[u])
        return left == Sum(m.uses[i, e] for e in m.entering[u])

    @constraint("root", "jobs")
    def one_root(m, i):
        """A ring that runs starts at one host."""
        ring = Sum(m.chosen[i, k] for k in m.sizes_of[i])
        return Sum(m.root[i, u] for u in m.nodes) == ring

    @constraint("root", "jobs", "nodes")
    def root_is_host(m, i, u):
        """The walk starts at a host."""
        return m.root[i, u] <= m.hosts[i, u]

    @constraint("reach", "jobs", "nodes")
    def only_the_root_supplies(m, i, u):
        """Hosts are reached from the root only."""
        return m.supply[i, u] <= m.most_hosts[i] * m.root[i, u]

    @constraint("reach", "jobs", "nodes")
    def every_host_is_reached(m, i, u):
        """One unit from the root ends at every host."""
        left = Sum(m.reach[i, e] for e in m.leaving[u])
        came = Sum(m.reach[i, e] for e in m.entering[u])
        return left - came == m.supply[i, u] - m.hosts[i, u]

    @constraint("reach", "jobs", "links")
    def along_the_walk(m, i, e):
        """Hosts are reached along links of the walk."""
        return m.reach[i, e] <= m.most_hosts[i] * m.uses[i, e]

    node_capacity = node_capacity

    @constraint("19", "limited_links")
    def link_capacity(m, e):
        """Closed walks fit through their link."""
        return Sum(m.reserved[i] * m.uses[i, e] for i in m.jobs) <= m.bandwidth[e]


def connected_part(cluster: Cluster, workers: Ints, uses: Ints) -> Ints:
    """Drop the parts of a circulation that meet no host; none is left for a single host."""
    hosts = np.flatnonzero(workers).tolist()
    if len(hosts) < 2:
        return np.zeros_like(uses)
    links = np.flatnonzero(uses)
    source, target = cluster.link_source[links], cluster.link_target[links]
    reached = np.arange(cluster.num_nodes) == hosts[0]
    while not reached[target[reached[source]]].all():
        reached[target[reached[source]]] = True
    return np.where(reached[cluster.link_source], uses, 0)
