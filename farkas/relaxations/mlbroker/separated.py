"""Program mlbroker.relaxed_by_job: the tight relaxation falls apart into jobs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.instances.mlbroker import Brokerage
from farkas.instances.rounded import fitted
from farkas.models.mlbroker.discount import entropy
from farkas.models.mlbroker.slot import SlotProblem
from farkas.numbers import Floats, Ints

if TYPE_CHECKING:
    from farkas.relaxations.mlbroker.outer_job import JobPrices


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


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotSolution:
    """Fractional decisions of one slot and the multipliers that a certificate needs."""

    #: workers, server, deployed: shape (jobs, sites); y, s and v.
    workers: Floats
    server: Floats
    deployed: Floats
    #: moved, connected: shape (jobs, sites, sites), GB and workers; q and g.
    moved: Floats
    connected: Floats
    server_price: Floats  #: Shape (jobs, sites), multiplier of (8j), USD per worker; η.
    presence_price: Floats  #: Shape (jobs, sites), multiplier of v >= s in tight mode, USD; φ^s.
    worker_price: Floats  #: Shape (jobs, sites), multiplier of (8i), USD per worker; ψ.
    #: Shape (jobs, sites), multiplier of (8l), USD, 0 under printed semantics; ω.
    absence_price: Floats
    #: list_price, reduced_price: shape (sites, resources), multipliers of (8c) and (8d) in printed
    #: mode, else 0; θ and ρ.
    list_price: Floats
    reduced_price: Floats
    #: Shape (jobs, sites), what more deployment would save, USD; derivative of the entropy term.
    deployed_price: Floats
    objective: float  #: Value of (10) at these decisions, USD.
    gap: float  #: By how much that may exceed the optimum of (10), USD.


class SlotSolver(Protocol):
    """What solves the regularised slots of a run."""

    def solve(self, problem: SlotProblem) -> SlotSolution:
        """Solve (10) for all jobs of a slot."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobShares:
    """Decisions and multipliers of the tight slot in shares of the needed workers, job by job."""

    #: moved, connected: shape (jobs, sites, sites); q / (P Y) and g / Y.
    moved: Floats
    connected: Floats
    server: Floats  #: Shape (jobs, sites); s.
    connection_price: Floats  #: Shape (jobs, sites), multiplier of (8j) for all workers, USD; Y η.
    presence_price: Floats  #: As in `SlotSolution`.
    deployed_price: Floats  #: As in `SlotSolution`.
    gap: Floats  #: Shape (jobs,), USD.

    @classmethod
    def zeros(cls, jobs: int, sites: int) -> Self:
        """Nothing yet."""
        square, flat = (jobs, sites, sites), (jobs, sites)
        shapes = square, square, flat, flat, flat, flat, (jobs,)
        return cls(*(np.zeros(shape) for shape in shapes))

    def solution(self, problem: SlotProblem, prices: JobPrices) -> SlotSolution:
        """Bring shares into the units of the slot."""
        market, needed = problem.market, problem.market.workers_needed[:, None]
        share = self.connected.sum(axis=2)
        need = np.maximum(self.server, np.where(needed > 0, share, 0.0))
        deployed = np.maximum(problem.before, need)
        capacity = needed * market.worker_capacity[:, None]
        static = float(
            (prices.moved * self.moved).sum()
            + (prices.connected * self.connected).sum()
            + (prices.server * self.server).sum()
        )
        terms = entropy(deployed, problem.before, problem.scale, market.epsilon)
        none, table = np.zeros(share.shape), np.zeros(market.list_price.shape)
        return SlotSolution(
            workers=needed * share,
            server=self.server,
            deployed=deployed,
            moved=capacity[:, :, None] * self.moved,
            connected=needed[:, :, None] * self.connected,
            server_price=self.connection_price / np.maximum(needed, 1),
            presence_price=self.presence_price,
            worker_price=none,
            absence_price=none,
            deployed_price=self.deployed_price,
            list_price=table,
            reduced_price=table,
            objective=static + float(terms.sum()),
            gap=float(self.gap.sum()),
        )
