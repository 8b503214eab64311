"""Program mlbroker.regularized."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from farkas.algebra import option
from farkas.algebra.convex import ConvexModel, ConvexProgram
from farkas.instances.mlbroker import Brokerage, Semantics
from farkas.models.mlbroker.data import SlotProblem
from farkas.numbers import Floats, Ints
from farkas.solvers.subproblem import Subproblem

if TYPE_CHECKING:
    from farkas.solvers.convex import ConvexAnswer


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
    #: By how much that may exceed the optimum of (10), USD; None where the solver does not say.
    gap: float | None

    @classmethod
    def idle(cls, market: Brokerage) -> SlotSolution:
        """Return what a slot without jobs decides."""
        flat = np.zeros((0, market.num_sites))
        square, table = np.zeros((*flat.shape, market.num_sites)), np.zeros_like(market.list_price)
        prices = flat, flat, flat, flat, table, table, flat
        return cls(flat, flat, flat, square, square, *prices, 0.0, 0.0)

    def with_jobs(self, jobs: Ints, solved: SlotSolution, objective: float, gap: float) -> Self:
        """Take some jobs, by their places, from a solution of these alone.  Tight mode."""
        merged = {name: getattr(self, name).copy() for name in BY_JOB}
        for name, values in merged.items():
            values[jobs] = getattr(solved, name)
        return dataclasses.replace(self, **merged, objective=objective, gap=gap)


#: Fields of a solution whose first axis is that of jobs.
BY_JOB = (
    "workers", "server", "deployed", "moved", "connected", "server_price", "presence_price",
    "worker_price", "absence_price", "deployed_price",
)  # fmt: skip


class RegularizedSlot(ConvexProgram):
    """Cheapest fractional slot, with relative entropy in place of deployment cost.  mlBroker (10).

    min C1 + C2 + C4 + Σ (c/σ) [(v+ε) ln((v+ε)/(p+ε)) − v + p], p the deployment one slot before.
    ``relax`` and ``semantics`` as in mlbroker.relaxed.  Data are moved in units of what a worker
    trains, without which interior-point methods fail at 15 sites; costs of resources are in units
    of a power of 2 near what all jobs would pay there at list price, since they measure absolutely.
    """

    name = "mlbroker.regularized"
    kind = "mlbroker"
    sense = "min"
    relax: str = option("printed", "tight")
    semantics: Semantics = option("printed", "strict")

    def declare(self, m: ConvexModel, data: SlotProblem | Brokerage) -> None:
        """Declare the slot's decisions, families (8a) to (8m) and the objective of (10)."""
        import cvxpy as cp

        problem = SlotProblem.of(data, self.semantics)
        market = problem.market
        jobs, sites = range(market.num_jobs), market.num_sites
        shape = (market.num_jobs, sites)
        for name in ("workers", "server", "deployed"):
            m.variable(name, shape, nonneg=True)
        for name in ("moved", "connected"):  # one (sites, sites) block a job
            m.variable(name, (shape[0] * sites, sites), nonneg=True)
        moved = [m.moved[i * sites : (i + 1) * sites] for i in jobs]
        connected = [m.connected[i * sites : (i + 1) * sites] for i in jobs]
        volume = market.trained_volume / market.worker_capacity[:, None]
        needed, most = market.workers_needed, market.most_workers(self.semantics)[:, None]
        if not shape[0]:
            m.optimise(cp.Constant(0.0))
            return
        m.constrain("8a", "enough_workers", m.workers >= _rows([cp.sum(q, axis=0) for q in moved]))
        m.constrain("8b", "all_data_moved", _rows([cp.sum(q, axis=1) for q in moved]) == volume)
        m.constrain("8f", "one_server", cp.sum(m.server, axis=1) == 1)
        if self.relax == "printed":
            bound = problem.constants.presence_bound
            m.constrain("8g", "present_where_used", bound * m.deployed >= m.workers + m.server)
        else:
            m.constrain("8g*", "present_with_workers", cp.multiply(most, m.deployed) >= m.workers)
            m.constrain("8g*", "present_with_server", m.deployed >= m.server)
        m.constrain(
            "8i", "workers_connect", _rows([cp.sum(g, axis=1) for g in connected]) == m.workers
        )
        m.constrain(
            "8j",
            "server_is_connected",
            _rows([cp.sum(g, axis=0) for g in connected])
            >= cp.multiply(needed[:, None].astype(float), m.server),
        )
        if self.semantics == "strict":
            m.constrain("8l", "absent_where_unused", m.deployed <= m.workers + m.server)
            served = [np.ones((sites, 1)) @ m.server[i : i + 1] * float(most[i, 0]) for i in jobs]
            m.constrain("8m", "connect_to_server_only", m.connected <= cp.vstack(served))
        entropy = cp.kl_div(m.deployed + market.epsilon, problem.before + market.epsilon)
        m.optimise(
            self._resources(m, problem)
            + sum(
                float(market.worker_capacity[i]) * cp.sum(cp.multiply(market.transfer, moved[i]))
                + float(market.sync_volume[i]) * cp.sum(cp.multiply(market.transfer, connected[i]))
                for i in jobs
            )
            + cp.sum(cp.multiply(np.broadcast_to(problem.scale, shape), entropy))
        )

    @property
    def separable(self) -> bool:
        """Whether jobs do not meet in it."""
        return self.relax == "tight" and self.semantics == "printed"

    def asked(self, problem: SlotProblem) -> Subproblem:
        """Return the slot for solvers, with the fastest that is exact."""
        fastest = "filling" if self.separable else "cutting_planes"
        return Subproblem(self, problem, functools.partial(self._solution, problem), fastest)

    def _solution(
        self, problem: SlotProblem, model: ConvexModel, answer: ConvexAnswer
    ) -> SlotSolution:
        """Read decisions and multipliers of a cone solver."""
        market = problem.market
        jobs, sites = problem.before.shape
        square, table = (jobs, sites, sites), market.list_price.shape
        unit = None if self.relax == "tight" else self._unit(market)
        point = {name: np.maximum(value, 0.0) for name, value in model.point().items()}
        # CVXPY states Lagrangians: multipliers of inequalities are not negative
        duals = dict(zip(model.constraints, answer.duals, strict=True))
        none = np.zeros((jobs, sites))
        absence = duals.get("absent_where_unused", none)
        if self.relax == "printed":
            server = none
            rise = problem.constants.presence_bound * duals["present_where_used"]
        else:
            server = duals["present_with_server"]
            most = market.most_workers(self.semantics)[:, None]
            rise = most * duals["present_with_workers"] + server

        def price(family: str) -> Floats:
            return np.zeros(table) if unit is None else np.asarray(duals[family] / unit)

        return SlotSolution(
            workers=point["workers"],
            server=point["server"],
            deployed=point["deployed"],
            moved=market.worker_capacity[:, None, None] * point["moved"].reshape(square),
            connected=point["connected"].reshape(square),
            server_price=duals["server_is_connected"],
            presence_price=server,
            worker_price=-duals["workers_connect"],
            absence_price=absence,
            list_price=price("cost_at_list_price"),
            reduced_price=price("cost_at_reduced_price"),
            deployed_price=rise - absence,
            objective=answer.objective,
            gap=None,
        )

    def _unit(self, market: Brokerage) -> Floats | None:
        """Units of costs of resources, USD; None where nothing is in use, or nothing charged."""
        dearest = market.list_price * market.usage_cap(self.semantics).max(axis=0)
        if not dearest.any():
            return None
        usual = np.where(dearest > 0, dearest, dearest.max())
        unit: Floats = np.ldexp(1.0, np.frexp(usual)[1] - 1)
        return unit

    def _resources(self, m: ConvexModel, problem: SlotProblem) -> Any:
        """C2 of the relaxation: on the chord, or with (8c), (8d), (8e) and one constant."""
        import cvxpy as cp

        market = problem.market
        usage = m.workers.T @ market.worker_demand + m.server.T @ market.server_demand
        if self.relax == "tight":
            slope: Floats = market.chord_slope(self.semantics)[0]
            return cp.sum(cp.multiply(slope, usage))
        shape = market.list_price.shape
        for name in ("resource_cost", "not_list", "not_reduced"):
            m.variable(name, shape, nonneg=True)
        unit = self._unit(market)
        if unit is None:
            return cp.Constant(0.0)
        dear = cp.multiply(market.list_price / unit, usage)
        cheap = cp.multiply(market.reduced_price / unit, usage) + market.surcharge / unit
        big_m = problem.constants.big_m / unit
        m.constrain(
            "8c", "cost_at_list_price", m.resource_cost >= dear - cp.multiply(big_m, m.not_list)
        )
        m.constrain(
            "8d",
            "cost_at_reduced_price",
            m.resource_cost >= cheap - cp.multiply(big_m, m.not_reduced),
        )
        m.constrain("8e", "one_branch", m.not_list + m.not_reduced == 1)
        return cp.sum(cp.multiply(unit, m.resource_cost))


def _rows(vectors: list[Any]) -> Any:
    """Stack vectors as the rows of a matrix."""
    import cvxpy as cp

    return cp.vstack(vectors)
