"""All slots at once, arrivals known.  GADGET (2)-(9)."""

import numpy as np

from farkas.algebra import IndexedSet, Param, Set, Sum, Var, constraint, objective
from farkas.instances.gadget import Cluster
from farkas.models.gadget.walks import HostedWorkers, Walks, declare_hosts, declare_walks


class RingSchedules(HostedWorkers):
    """Workers of every job in every slot, and the rewards of their totals.  GADGET (2)-(5).

    The reward is exact for any utility: one binary per count.
    """

    def declare(self, m, data: Cluster):
        """Declare jobs, slots, capacities, totals with their rewards, workers and hosts."""
        jobs = np.flatnonzero(data.reachable_slots)
        m.jobs = Set(jobs, label="job")
        slots_of = [range(data.arrival[i], data.horizon) for i in jobs.tolist()]
        m.slots_of = IndexedSet(m.jobs, slots_of, label="slot")
        counts = [(i, z) for i in jobs.tolist() for z in range(data.reachable_slots[i] + 1)]
        m.totals = Set(counts, label=("job", "total"))
        totals_of = [range(data.reachable_slots[i] + 1) for i in jobs.tolist()]
        m.totals_of = IndexedSet(m.jobs, totals_of, label="total")
        rewards = [data.reward(i, np.arange(data.reachable_slots[i] + 1)) for i in jobs.tolist()]
        m.reward = Param(m.totals, values=np.concatenate([np.zeros(0), *rewards]))
        idle = np.delete(data.idle_reward, jobs).sum()
        m.unreachable_reward = Param(values=idle)
        m.largest = Param(m.jobs, values=data.ring_limit()[jobs])
        m.total = Var(m.totals, binary=True, doc="The job receives so many worker-slots.")
        active = [(i, t) for i in jobs.tolist() for t in range(data.arrival[i], data.horizon)]
        at = jobs.repeat(data.horizon - data.arrival[jobs])
        cap = np.minimum(data.host_cap[at], data.ring_limit()[at][:, None])
        declare_hosts(m, data, range(data.horizon), active, cap)

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


class Offline(Walks, RingSchedules):
    """Best schedule of the whole horizon: one closed walk per job and slot.  GADGET (2)-(9).

    The printed (7)-(9) forbid rings that exist and admit some that do not (program
    ``gadget.offline_printed``); a closed walk through the hosts takes their place, and link
    capacities (19) that of (8).  The reward is exact for any utility: one binary per count.
    """

    name = "gadget.offline"

    def declare(self, m, data: Cluster):
        """Declare links and walks."""
        super().declare(m, data)
        at = m.active_slots.table[:, 0]
        declare_walks(m, data, data.ring_limit()[at], data.link_cap(at))
