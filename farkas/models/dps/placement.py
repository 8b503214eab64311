"""Programs dps.placement, dps.min_servers and dps.placement_sequence: where units go."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.dps import Market
from farkas.models.dps.offline import PlacedJobs
from farkas.numbers import Ints


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Idle:
    """Idle resources that jobs meet, every job on its own."""

    market: Market  #: Jobs, runtimes and types.
    #: workers, ps: idle units, shapes (servers, worker types), (servers, server types); X and Z.
    workers: Ints
    ps: Ints

    @classmethod
    def of(cls, data: Idle | Market) -> Idle:
        """Return ``data``, or the empty servers of a market."""
        if isinstance(data, Idle):
            return data
        return cls(market=data, workers=data.installed_workers, ps=data.installed_ps)

    @property
    def fitting(self) -> Ints:
        """Jobs whose units are idle somewhere, ascending."""
        data = self.market
        fits = (self.workers.sum(axis=0)[data.worker_type] >= data.workers) & (
            self.ps.sum(axis=0)[data.ps_type] >= data.ps
        )
        return np.flatnonzero(fits)


class _Arrival(Program):
    kind = "dps"
    sense = "min"

    def declare(self, m: Any, data: Idle | Market) -> None:
        """Declare fitting jobs, idle units of the types they ask for, and decisions."""
        idle = Idle.of(data)
        market, jobs = idle.market, idle.fitting
        m.jobs = Set(jobs, label="job")
        m.servers = Set(range(market.num_servers), label="server")
        m.workers = Param(m.jobs, values=market.workers[jobs])
        m.ps = Param(m.jobs, values=market.ps[jobs])
        m.idle_workers = Param(
            m.jobs, m.servers, values=idle.workers[:, market.worker_type[jobs]].T
        )
        m.idle_ps = Param(m.jobs, m.servers, values=idle.ps[:, market.ps_type[jobs]].T)
        self.declare_decisions(m, market, jobs)

    def declare_decisions(self, m: Any, market: Market, jobs: Ints) -> None:
        """Declare what is decided."""
        raise NotImplementedError


class Placement(_Arrival):
    """Shortest runtime of each job on the idle units it meets.  DPS (15).

    Every job of the data is on its own; those that do not fit are left out.
    """

    name = "dps.placement"

    def declare_decisions(self, m: Any, market: Market, jobs: Ints) -> None:
        """Declare runtimes and where units go."""
        m.colocated_runtime = Param(m.jobs, values=market.colocated_runtime[jobs])
        m.spread_runtime = Param(m.jobs, values=market.spread_runtime[jobs])
        m.whole = Var(m.jobs, m.servers, binary=True, doc="All of the job on this server.")
        m.spread = Var(m.jobs, binary=True, doc="The job is spread over servers.")
        m.spread_workers = Var(
            m.jobs, m.servers, integer=True, upper=market.workers[jobs][:, None],
            doc="Workers of the spread job on this server; x.",
        )  # fmt: skip
        m.spread_ps = Var(
            m.jobs, m.servers, integer=True, upper=market.ps[jobs][:, None],
            doc="Parameter servers of the spread job on this server; z.",
        )  # fmt: skip

    @constraint("2a", "jobs")
    def placed(m, i):
        """The job is placed."""
        return Sum(m.whole[i, s] for s in m.servers) + m.spread[i] == 1

    all_workers_placed = PlacedJobs.all_workers_placed
    all_ps_placed = PlacedJobs.all_ps_placed

    @constraint("2f", "jobs", "servers")
    def enough_workers(m, i, s):
        """A server gives no more workers than are idle."""
        return m.workers[i] * m.whole[i, s] + m.spread_workers[i, s] <= m.idle_workers[i, s]

    @constraint("2g", "jobs", "servers")
    def enough_ps(m, i, s):
        """A server gives no more parameter servers than are idle."""
        return m.ps[i] * m.whole[i, s] + m.spread_ps[i, s] <= m.idle_ps[i, s]

    @objective
    def runtime(m):
        """Slots, summed over the jobs."""
        return Sum(m.colocated_runtime[i] * m.whole[i, s] for i in m.jobs for s in m.servers) + Sum(
            m.spread_runtime[i] * m.spread[i] for i in m.jobs
        )


class MinServers(_Arrival):
    """Fewest servers whose idle units suffice for each job.  What DPS Algorithm 2 aims at."""

    name = "dps.min_servers"

    def declare_decisions(self, m: Any, market: Market, jobs: Ints) -> None:
        """Declare which servers are used."""
        m.used = Var(m.jobs, m.servers, binary=True, doc="The server is used.")

    @constraint("15", "jobs")
    def enough_workers(m, i):
        """The servers used have enough idle workers."""
        return Sum(m.idle_workers[i, s] * m.used[i, s] for s in m.servers) >= m.workers[i]

    @constraint("15", "jobs")
    def enough_ps(m, i):
        """The servers used have enough idle parameter servers."""
        return Sum(m.idle_ps[i, s] * m.used[i, s] for s in m.servers) >= m.ps[i]

    @objective
    def servers_used(m):
        """Servers, summed over the jobs."""
        return Sum(m.used[i, s] for i in m.jobs for s in m.servers)


class Sequence(PlacedJobs):
    """Shortest total runtime when every job is accepted.  DPS (15) over a whole sequence."""

    name = "dps.placement_sequence"
    sense = "min"

    def declare(self, m: Any, data: Market) -> None:
        """Declare runtimes."""
        super().declare(m, data)
        m.colocated_runtime = Param(m.jobs, values=data.colocated_runtime)
        m.spread_runtime = Param(m.jobs, values=data.spread_runtime)

    @constraint("2a", "jobs")
    def exactly_once(m, i):
        """Every job is accepted."""
        return Sum(m.whole[i, s] for s in m.servers) + m.spread[i] == 1

    runtime = Placement.runtime
