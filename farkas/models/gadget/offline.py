"""All slots at once, arrivals known.  GADGET (2)-(9)."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.gadget import Cluster
from farkas.models.gadget.base import declare_capacities, declare_links


class RingSchedules(Program):
    """Workers of every job in every slot, and the rewards of their totals.  GADGET (2)-(5).

    The reward is exact for any utility: one binary per count.
    """

    kind = "gadget"
    sense = "max"

    def declare(self, m, data: Cluster):
        """Declare jobs, slots, capacities, totals with their rewards, workers and hosts."""
        jobs = np.flatnonzero(data.reachable_slots)
        m.jobs = Set(jobs, label="job")
        declare_capacities(m, data, jobs)
        m.slots = Set(range(data.horizon), label="slot")
        active = [(i, t) for i in jobs.tolist() for t in range(data.arrival[i], data.horizon)]
        m.active_slots = Set(active, label=("job", "slot"))
        slots_of = [range(data.arrival[i], data.horizon) for i in jobs.tolist()]
        m.slots_of = IndexedSet(m.jobs, slots_of, label="slot")
        arrived = [[i for i in jobs.tolist() if data.arrival[i] <= t] for t in range(data.horizon)]
        m.jobs_at = IndexedSet(m.slots, arrived, label="job")
        counts = [(i, z) for i in jobs.tolist() for z in range(data.reachable_slots[i] + 1)]
        m.totals = Set(counts, label=("job", "total"))
        totals_of = [range(data.reachable_slots[i] + 1) for i in jobs.tolist()]
        m.totals_of = IndexedSet(m.jobs, totals_of, label="total")
        rewards = [data.reward(i, np.arange(data.reachable_slots[i] + 1)) for i in jobs.tolist()]
        m.reward = Param(m.totals, values=np.concatenate([np.zeros(0), *rewards]))
        idle = np.delete(data.idle_reward, jobs).sum()
        m.unreachable_reward = Param(values=idle)
        m.largest = Param(m.jobs, values=data.ring_limit()[jobs])
        at = m.active_slots.table[:, 0]
        cap = np.minimum(data.host_cap[at], data.ring_limit()[at][:, None])
        m.cap = Param(m.active_slots, m.nodes, values=cap)
        place = m.active_slots, m.nodes
        m.total = Var(m.totals, binary=True, doc="The job receives so many worker-slots.")
        m.workers = Var(*place, integer=True, upper=cap, doc="Workers on the node; y.")
        m.hosts = Var(*place, binary=True, upper=cap > 0, doc="The node hosts some; x.")

    @objective
    def total_reward(m):
        """Rewards of all jobs, also of those that never run."""
        return m.unreachable_reward + Sum(m.reward[i, z] * m.total[i, z] for i, z in m.totals)

    @constraint("3", "jobs")
    def one_total(m, i):
        """A job receives one number of worker-slots, within its budget."""
        return Sum(m.total[i, z] for z in m.totals_of[i]) == 1

    @constraint("3", "jobs")
    def received(m, i):
        """What a job receives is what its rings have."""
        given = Sum(m.workers[i, t, u] for t in m.slots_of[i] for u in m.nodes)
        return given == Sum(z * m.total[i, z] for z in m.totals_of[i])

    @constraint("2", "active_slots")
    def ring_size(m, i, t):
        """A ring has at most its largest size."""
        return Sum(m.workers[i, t, u] for u in m.nodes) <= m.largest[i]

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


class Offline(RingSchedules):
    """Best schedule of the whole horizon: one closed walk per job and slot.  GADGET (2)-(9).

    The printed (7)-(9) forbid rings that exist and admit some that do not (program
    ``gadget.offline_printed``); a closed walk through the hosts takes their place, and link
    capacities (19) that of (8).  The reward is exact for any utility: one binary per count.
    """

    name = "gadget.offline"

    def declare(self, m, data: Cluster):
        """Declare links and walks."""
        super().declare(m, data)
        jobs, at = m.jobs.table[:, 0], m.active_slots.table[:, 0]
        declare_links(m, data, jobs)
        cap = m.cap.values
        hosts = np.minimum(data.ring_limit()[at], (cap > 0).sum(axis=1))[:, None]
        walks = np.minimum(data.link_cap(at), hosts)
        place, open_hosts = (m.active_slots, m.nodes), cap > 0
        m.root = Var(*place, binary=True, upper=open_hosts, doc="The walk starts here.")
        m.supply = Var(*place, upper=hosts * open_hosts, doc="Hosts reached from here.")
        m.uses = Var(m.active_slots, m.links, integer=True, upper=walks, doc="Times on the link.")
        m.reach = Var(m.active_slots, m.links, upper=hosts * walks, doc="Hosts reached through it.")
        m.most_hosts = Param(m.active_slots, values=hosts[:, 0])

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

    node_capacity = node_capacity

    @constraint("19", "slots", "limited_links")
    def link_capacity(m, t, e):
        """Closed walks fit through their link; (8) caps each path alone."""
        return Sum(m.reserved[i] * m.uses[i, t, e] for i in m.jobs_at[t]) <= m.bandwidth[e]
