"""Program mlbroker.relaxed_by_job: the tight relaxation falls apart into jobs."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.mlbroker import Brokerage
from farkas.instances.rounded import fitted
from farkas.numbers import Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some jobs of a brokerage; prices are still those of all jobs together."""

    instance: Brokerage  #: The whole brokerage.
    jobs: Ints  #: Shape (jobs,), ascending.

    @property
    def pairs(self) -> Ints:
        """Active pairs of the jobs, ascending."""
        starts = self.instance.pair_start
        runs = [np.arange(starts[i], starts[i + 1]) for i in self.jobs]
        return np.concatenate([np.zeros(0, np.int64), *runs])


class Separated(Program):
    """Tight relaxation (printed semantics) without the variables that follow from others.

    Nothing couples jobs once prices lie on the chord.  Within a job deployment only grows, since
    (8) never makes it fall, so one variable per site replaces v and z; workers are sums of
    connections; data are measured in workers.  Same optimum as ``mlbroker.relaxed[tight,printed]``.
    """

    name = "mlbroker.relaxed_by_job"
    kind = "mlbroker"
    sense = "min"

    def declare(self, m: Any, data: Brokerage | Part) -> None:
        """Declare the jobs' pairs and unit costs."""
        part = data if isinstance(data, Part) else Part(data, np.arange(data.num_jobs))
        whole, pairs = part.instance, part.pairs
        job, slot = whole.pair_job[pairs], whole.pair_slot[pairs]
        rate = whole.worker_capacity[job]
        needed = whole.workers_needed[pairs]
        # quotients are rounded; their sums are not above the workers needed, as those of data
        load = fitted(whole.trained_volume[pairs] / rate[:, None], needed.tolist())
        slope = whole.chord_slope()[slot]  # (pairs, sites, resources)
        m.sites = Set(range(whole.num_sites), label="site")
        m.jobs = Set(part.jobs, label="job")
        m.job_slots = Set(np.column_stack([job, slot]), label=("job", "slot"))
        m.deploy_cost = Param(m.jobs, values=whole.deploy_cost[part.jobs])
        m.work = Param(m.job_slots, m.sites, values=load)
        m.needed = Param(m.job_slots, values=needed)
        worker = (slope * whole.worker_demand[job][:, None, :]).sum(axis=2)
        server = (slope * whole.server_demand[job][:, None, :]).sum(axis=2)
        m.server_price = Param(m.job_slots, m.sites, values=server)
        m.move_price = Param(
            m.job_slots, m.sites, m.sites, values=rate[:, None, None] * whole.transfer
        )
        sync = whole.sync_volume[job][:, None, None] * whole.transfer
        m.connect_price = Param(m.job_slots, m.sites, m.sites, values=sync + worker[:, :, None])
        self._declare_decisions(m, load, needed)

    def _declare_decisions(self, m: Any, load: Any, needed: Any) -> None:
        m.deployed = Var(
            m.jobs,
            m.sites,
            implied_upper=1,
            reason="clipping at 1 keeps (8g)",
            doc="Job ever at the site; v at departure.",
        )
        m.server = Var(m.job_slots, m.sites, implied_upper=1, reason="(8f)", doc="Server here; s.")
        m.moved = Var(
            m.job_slots,
            m.sites,
            m.sites,
            implied_upper=load[:, :, None],
            reason="(8b)",
            doc="Data moved from the first to the second site, in units of a worker; q / P.",
        )
        m.connected = Var(
            m.job_slots,
            m.sites,
            m.sites,
            implied_upper=needed[:, None, None],
            reason="(8g)",
            doc="Workers at the first site served from the second; g.",
        )

    @constraint("8a", "job_slots", "sites")
    def enough_workers(m, i, t, r):
        """Workers in a site process all data moved to it."""
        arriving = Sum(m.moved[i, t, o, r] for o in m.sites)
        return Sum(m.connected[i, t, r, p] for p in m.sites) >= arriving

    @constraint("8b", "job_slots", "sites")
    def all_data_moved(m, i, t, o):
        """All data collected at a site are trained somewhere."""
        return Sum(m.moved[i, t, o, r] for r in m.sites) == m.work[i, t, o]

    @constraint("8f", "job_slots")
    def one_server(m, i, t):
        """A job has one parameter server."""
        return Sum(m.server[i, t, r] for r in m.sites) == 1

    @constraint("8g*", "job_slots", "sites")
    def present_with_workers(m, i, t, r):
        """A job is deployed where it has workers."""
        here = Sum(m.connected[i, t, r, p] for p in m.sites)
        return m.needed[i, t] * m.deployed[i, r] >= here

    @constraint("8g*", "job_slots", "sites")
    def present_with_server(m, i, t, r):
        """A job is deployed where it has its server."""
        return m.deployed[i, r] >= m.server[i, t, r]

    @constraint("8j", "job_slots", "sites")
    def server_is_connected(m, i, t, p):
        """At least as many workers as are needed connect to the server's site."""
        return Sum(m.connected[i, t, r, p] for r in m.sites) >= m.needed[i, t] * m.server[i, t, p]

    @objective
    def cost(m):
        """Transfer, resource, deployment and synchronisation cost, USD."""
        return (
            Sum(
                m.move_price[i, t, o, r] * m.moved[i, t, o, r]
                + m.connect_price[i, t, o, r] * m.connected[i, t, o, r]
                for i, t in m.job_slots
                for o in m.sites
                for r in m.sites
            )
            + Sum(
                m.server_price[i, t, r] * m.server[i, t, r] for i, t in m.job_slots for r in m.sites
            )
            + Sum(m.deploy_cost[i] * m.deployed[i, r] for i in m.jobs for r in m.sites)
        )
