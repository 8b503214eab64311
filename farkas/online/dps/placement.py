"""Algorithm 2 alone: every job is served free of charge, where (15) is shortest."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.dps import Market
from farkas.numbers import Ints
from farkas.online.dps.cluster import EXPLORED, LOGGED, Results, fits, hold, placed, release
from farkas.online.dps.environment import Decision, Offer, Sales
from farkas.online.dps.seller import Gift, SellerState
from farkas.online.driver import algorithm
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.models.dps.placement import Idle
    from farkas.solvers.answer import Answer


@algorithm("dps.pa", source="DPS Algorithm 2")
@dataclasses.dataclass(frozen=True)
class FreeOfCharge(Gift):
    """Serves every job that fits free of charge, placed by Algorithm 2; see the runtimes.

    Option: ``solver`` of (15), the placement of each job with the shortest runtime; Algorithm 2 is
    the fastest one.
    """

    placement = "pa"
    solver: str = ""

    def decide(self, instance: Market, seed: int) -> Sales | None:
        """Handle all jobs at once, unless a solver places one after the other."""
        return None if self.solver else super().decide(instance, seed)

    def model(self, state: SellerState, arrivals: Offer) -> Subproblem | None:
        """State (15) on the units that the job finds idle; None where they are too few."""
        from farkas.models.dps.placement import Idle, Placement

        if not self.solver:
            return None
        release(state.cluster, arrivals.slot)
        if not fits.function(state.cluster, arrivals.alone, 0):
            return None
        idle = state.cluster.idle_workers.T.copy(), state.cluster.idle_ps.T.copy()
        found = Idle(market=arrivals.of_one(), workers=idle[0], ps=idle[1])
        return Subproblem(Placement(), found, partial(_units, arrivals), "pa")

    def round(
        self,
        state: SellerState,
        arrivals: Offer,
        answer: SubproblemAnswer | None,
        rng: np.random.Generator,
    ) -> tuple[SellerState, Decision]:
        """Place the job as the program says."""
        if answer is None:
            return self.step(state, arrivals)
        state.cluster, results = state.cluster.with_room(arrivals.alone), Results.empty(1)
        begin, results.outcome[0] = int(state.cluster.counts[LOGGED]), EXPLORED
        hold(state.cluster, arrivals.alone, 0, *answer.decisions)
        return state, Sales.of(arrivals.alone, results, state.cluster, begin)[0]


def _units(offer: Offer, form: LinearForm, answer: Answer) -> tuple[Ints, Ints]:
    """Read workers and parameter servers of the only job on each server."""
    whole, workers, ps = (
        np.rint(form.values(answer.point, name)[0]).astype(np.int64)
        for name in ("whole", "spread_workers", "spread_ps")
    )
    return offer.workers * whole + workers, offer.ps * whole + ps


@own_solver("dps.placement", "pa")
def place_by_algorithm_2(subproblem: Subproblem) -> SubproblemAnswer:
    """Algorithm 2, which finds the shortest runtime of one job."""
    idle: Idle = subproblem.data
    (job,) = idle.market.jobs
    units = placed(
        "pa", idle.workers[:, job.worker_type], idle.ps[:, job.ps_type], job.workers, job.ps
    )
    if units is None:
        raise NoAnswer("there are too few idle units for the job")
    whole = np.count_nonzero(units[0] + units[1]) == 1
    runtime = idle.market.colocated_runtime if whole else idle.market.spread_runtime
    return SubproblemAnswer(units, float(runtime[0]), float(runtime[0]))
