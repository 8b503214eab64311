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
