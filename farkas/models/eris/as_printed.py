"""Problem (2) to the letter: a nonlinear program to read, and to give to SCIP on tiny instances."""

from typing import Any

import numpy as np

from farkas.algebra import IndexedSet, Param, PyomoProgram, Set, Sum, Var, constraint, objective
from farkas.instances.eris import Auction


class PrintedProgram(PyomoProgram):
    """Greatest welfare, problem (2) as printed.  Eris (2).

    A Pyomo model only, since (2d) multiplies variables.  It is wrong in four places, which the
    linear program eris.offline corrects: (2a) counts chunks over all sites together; (2c) demands a
    server in every slot, which (2g) forbids before the arrival; (2d) charges chunks that stay, and
    charges remote workers once per pair of sites; the slot of (2f) is not defined without workers.
    The last is read as: worth is that of the last slot that may have workers.
    """

    name = "eris.as_printed"
    kind = "eris"
    sense = "max"

    def declare(self, m: Any, data: Auction) -> None:
        """Declare jobs, slots and sites, what jobs need and are worth, and schedules."""
        m.jobs = Set(range(data.num_jobs), label="job")
        m.slots = Set(range(data.slots), label="slot")
        m.sites = Set(range(data.sites), label="site")
        m.resources = Set(range(data.num_resources), label="resource")
        m.slots_from = IndexedSet(
            m.slots, [range(t, data.slots) for t in range(data.slots)], label="slot"
        )
        pairs = [(i, t) for i in range(data.num_jobs) for t in range(data.slots)]
        on_time = [(i, t) for i, t in pairs if t >= data.arrival[i]]
        m.on_time = Set(on_time, label=("job", "slot"))
        m.early = Set([(i, t) for i, t in pairs if t < data.arrival[i]], label=("job", "slot"))
        m.worth = Param(
            m.on_time, values=[data.jobs[i].utility[t - data.jobs[i].arrival] for i, t in on_time]
        )
        m.chunks = Param(m.jobs, values=data.chunks)
        m.epochs = Param(m.jobs, values=[job.epochs for job in data.jobs])
        m.worker_rate = Param(m.jobs, values=[job.worker_rate for job in data.jobs])
        m.most_workers = Param(m.jobs, m.sites, values=np.maximum(1, data.most_workers))
        m.worker_demand = Param(m.jobs, m.resources, values=data.worker_demand)
        m.server_demand = Param(m.jobs, m.resources, values=data.server_demand)
        m.parameter_size = Param(m.jobs, values=[job.parameter_size for job in data.jobs])
        m.chunk_size = Param(values=data.chunk_size)
        m.budget = Param(values=data.transfer_budget)
        m.site_capacity = Param(m.sites, m.resources, values=data.capacity)
        place = m.jobs, m.slots, m.sites
        m.accepted = Var(m.jobs, binary=True, doc="x, whether the job is accepted.")
        m.finished = Var(m.jobs, m.slots, binary=True, doc="Slot of completion.")
        m.workers = Var(*place, integer=True, doc="g, workers in the site.")
        m.server = Var(*place, binary=True, doc="z, whether the server is in the site.")
        m.moved = Var(*place, m.sites, integer=True, doc="h, chunks from site to site.")

    @objective
    def welfare(m):
        """Worth of the jobs at their last slots."""
        return Sum(m.worth[i, t] * m.finished[i, t] for i, t in m.on_time)

    @constraint("2a", "jobs")
    def all_chunks(m, i):
        """As many chunks are processed as an accepted job has, over all sites together."""
        moved = Sum(m.moved[i, t, o, r] for t in m.slots for o in m.sites for r in m.sites)
        return moved == m.chunks[i] * m.accepted[i]

    @constraint("2b", "jobs", "slots", "sites")
    def enough_workers(m, i, t, r):
        """Workers in a site process what comes there, in all epochs."""
        got = Sum(m.moved[i, t, o, r] for o in m.sites)
        return m.worker_rate[i] * m.workers[i, t, r] >= m.epochs[i] * got

    @constraint("2c", "jobs", "slots")
    def one_server(m, i, t):
        """An accepted job has one server in every slot."""
        return Sum(m.server[i, t, r] for r in m.sites) == m.accepted[i]

    @constraint("2d", "slots")
    def transfer(m, t):
        """Chunks and parameters fit the budget of a slot.

        Both terms stand inside the sum over pairs, r = r' included.
        """
        return (
            Sum(
                m.chunk_size * m.moved[i, t, r, o]
                + m.parameter_size[i] * m.workers[i, t, r] * (1 - m.server[i, t, r])
                for i in m.jobs
                for r in m.sites
                for o in m.sites
            )
            <= m.budget
        )

    @constraint("2e", "slots", "sites", "resources")
    def capacity(m, t, r, k):
        """Workers and servers fit in their site."""
        used = Sum(
            m.worker_demand[i, k] * m.workers[i, t, r] + m.server_demand[i, k] * m.server[i, t, r]
            for i in m.jobs
        )
        return used <= m.site_capacity[r, k]

    @constraint("2f", "jobs", "slots", "sites")
    def last_slot(m, i, t, r):
        """No worker after the slot of completion."""
        later = Sum(m.finished[i, v] for v in m.slots_from[t])
        return m.workers[i, t, r] <= m.most_workers[i, r] * later

    @constraint("2f", "jobs")
    def finished_once(m, i):
        """An accepted job is completed in one slot."""
        return Sum(m.finished[i, t] for t in m.slots) == m.accepted[i]

    @constraint("2g", "early", "sites")
    def not_before_arrival(m, i, t, r):
        """Before the arrival there is nothing."""
        moved = Sum(m.moved[i, t, r, o] for o in m.sites)
        return m.workers[i, t, r] + m.server[i, t, r] + m.finished[i, t] + moved == 0
