"""What solving the regularised slot (10) gives, and job by job in shares of the workers."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from farkas.models.mlbroker.entropy import entropy
from farkas.models.mlbroker.slot import SlotProblem
from farkas.numbers import Floats

if TYPE_CHECKING:
    from farkas.relaxations.mlbroker.outer_job import JobPrices


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotSolution:
    """Fractional decisions of one slot and the multipliers that a certificate needs.

    Parameters
    ----------
    workers, server, deployed
        Shape (jobs, sites); y, s and v.
    moved, connected
        Shape (jobs, sites, sites), GB and workers; q and g.
    server_price
        Shape (jobs, sites), multiplier of (8j), USD per worker; η.
    presence_price
        Shape (jobs, sites), multiplier of v >= s in tight mode, USD; φ^s.
    worker_price
        Shape (jobs, sites), multiplier of (8i), USD per worker; ψ.
    absence_price
        Shape (jobs, sites), multiplier of (8l), USD, 0 under printed semantics; ω.
    list_price, reduced_price
        Shape (sites, resources), multipliers of (8c) and (8d) in printed mode, else 0; θ and ρ.
    deployed_price
        Shape (jobs, sites), what more deployment would save, USD; derivative of the entropy term.
    objective
        Value of (10) at these decisions, USD.
    gap
        By how much that may exceed the optimum of (10), USD.
    """

    workers: Floats
    server: Floats
    deployed: Floats
    moved: Floats
    connected: Floats
    server_price: Floats
    presence_price: Floats
    worker_price: Floats
    absence_price: Floats
    list_price: Floats
    reduced_price: Floats
    deployed_price: Floats
    objective: float
    gap: float


class SlotSolver(Protocol):
    """What solves the regularised slots of a run."""

    def solve(self, problem: SlotProblem) -> SlotSolution:
        """Solve (10) for all jobs of a slot."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobShares:
    """Decisions and multipliers of the tight slot in shares of the needed workers, job by job.

    Parameters
    ----------
    moved, connected
        Shape (jobs, sites, sites); q / (P Y) and g / Y.
    server
        Shape (jobs, sites); s.
    connection_price
        Shape (jobs, sites), multiplier of (8j) for all workers, USD; Y η.
    presence_price, deployed_price
        As in `SlotSolution`.
    gap
        Shape (jobs,), USD.
    """

    moved: Floats
    connected: Floats
    server: Floats
    connection_price: Floats
    presence_price: Floats
    deployed_price: Floats
    gap: Floats

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
