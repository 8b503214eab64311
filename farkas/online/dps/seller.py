"""What all sellers share, and those at posted prices: release, look, quote, place.

A rule that has a kernel is a `KernelSeller`: its kernel handles jobs, one in a step or all of a
market.  Any other rule is a `Seller`, whose hooks are Python.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.dps import Market
from farkas.kernels import Floats1, Out, compiled
from farkas.numbers import Floats, Ints, Rng
from farkas.online.dps import cluster
from farkas.online.dps.cluster import (
    DECLINED,
    EXPLORED,
    FULL,
    LOGGED,
    SOLD,
    Cluster,
    Jobs,
    PlacementRule,
    Results,
    ServerChoice,
    filling,
    fits,
    hold,
    place,
    placed,
    release,
    steps,
)
from farkas.online.dps.environment import Decision, Knowledge, Offer, Sales
from farkas.online.driver import algorithm
from farkas.online.policy import Policy
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer, own_solver

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.models.dps.placement import Idle
    from farkas.solvers.answer import Answer


@dataclasses.dataclass(slots=True, eq=False)
class SellerState:
    """Cluster and random numbers; sellers that learn add what they learned."""

    known: Knowledge
    cluster: Cluster
    rng: Rng
    asked: Floats  #: Unit prices of the jobs at hand, of workers and of servers, shape (2, jobs).

    @classmethod
    def begin(cls, known: Knowledge, seed: int, *learned: Any) -> Self:
        """Start with empty servers."""
        idle = Cluster.empty(known.installed_workers, known.installed_ps)
        return cls(known, idle, np.random.default_rng(seed), np.zeros((2, 0)), *learned)


class KernelSeller(Policy):
    """Base of the sellers whose rule is a kernel."""

    placement: PlacementRule = "pa"

    def start(self, known: Knowledge, seed: int) -> Any:
        """Start with empty servers."""
        return SellerState.begin(known, seed)

    def run(self, state: Any, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Call the kernel of the rule on the arrays of the state."""
        raise NotImplementedError

    def step(self, state: Any, arrivals: Offer) -> tuple[Any, Decision]:
        """Handle one job."""
        return state, self.sell(state, arrivals.alone)[0]

    def decide(self, instance: Market, seed: int) -> Sales | None:
        """Handle all jobs of a market at once, unless a subclass has steps of its own."""
        return self.simulate(instance, seed) if type(self).step is KernelSeller.step else None

    def simulate(self, market: Market, seed: int = 0) -> Sales:
        """Handle all jobs of a market at once."""
        return self.sell(self.start(Knowledge.of(market), seed), Jobs.of(market))

    def sell(self, state: Any, jobs: Jobs) -> Sales:
        """Handle jobs in order of arrival."""
        state.cluster = state.cluster.with_room(jobs)
        counts, results = state.cluster.counts, Results.empty(len(jobs.slot))
        begin, counts[cluster.PLACED] = int(counts[cluster.LOGGED]), 0
        random = self.placement == "random"
        before, servers = state.rng.bit_generator.state, len(state.cluster.order)
        orders = [state.rng.permutation(servers) for _ in jobs.slot] if random else []
        self.run(state, jobs, filling(self.placement, orders, servers), results)
        if random:  # only a job that is placed takes an order
            state.rng.bit_generator.state = before
            for _ in range(counts[cluster.PLACED]):
                state.rng.permutation(servers)
        return Sales.of(jobs, results, state.cluster, begin)


class Seller(KernelSeller):
    """Base of the sellers whose rule is Python.  A subclass overrides the hooks it needs."""

    def step(self, state: Any, arrivals: Offer) -> tuple[Any, Decision]:
        """Handle one job."""
        release(state.cluster, arrivals.slot)
        for row in state.cluster.ended[: state.cluster.counts[cluster.OVER]].tolist():
            self.finished(state, row)
        self.arrived(state, arrivals)
        if not fits.function(state.cluster, arrivals.alone, 0):
            return state, Decision("full")
        prices = self.quote(state, arrivals)
        if prices is None:
            return state, Decision("declined")
        state.asked = np.array(prices, float).reshape(2, 1)
        decision = self.sell(state, arrivals.alone)[0]
        self.answered(state, arrivals, prices, decision.outcome == "sold")
        return state, decision

    def run(self, state: Any, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Ask for the prices at hand."""
        worker, ps = state.asked
        sell_at(state.cluster, jobs, worker, ps, False, False, fill, results)

    def finished(self, state: Any, row: int) -> None:
        """Learn that a job is over; ``row`` is its row in the arrays of running jobs."""

    def arrived(self, state: Any, offer: Offer) -> None:
        """Take note of an arrival."""

    def quote(self, state: Any, offer: Offer) -> tuple[float, float] | None:
        """Return prices of a worker and of a parameter server for a job that fits.

        None turns it away.
        """
        raise NotImplementedError

    def answered(
        self, state: Any, offer: Offer, prices: tuple[float, float], accepted: bool
    ) -> None:
        """Learn whether a job that fits was sold at its prices."""


@compiled(steps=steps)
def sell_at(
    cluster: Out[Cluster],
    jobs: Jobs,
    worker_price: Floats1,
    ps_price: Floats1,
    free: bool,
    blindly: bool,
    filling: ServerChoice,
    results: Out[Results],
) -> None:
    """Serve every job that accepts its prices, or free of charge, and fits.

    ``blindly``: whether jobs that do not fit are asked as well.
    """
    for job in range(len(jobs.slot)):
        release(cluster, jobs.slot[job])
        room = fits(cluster, jobs, job)
        payment = worker_price[job] * jobs.workers[job] + ps_price[job] * jobs.ps[job]
        if not free and (room or blindly):
            results.worker_price[job] = worker_price[job]
            results.ps_price[job] = ps_price[job]
        if not room:
            results.outcome[job] = FULL
        elif free:
            results.outcome[job] = EXPLORED
        elif payment <= jobs.limit[job]:
            results.outcome[job] = SOLD
            results.payment[job] = payment
        else:
            results.outcome[job] = DECLINED
        if results.outcome[job] >= SOLD:
            place(cluster, jobs, job, filling)


@dataclasses.dataclass(frozen=True, eq=False)
class FixedPrice(KernelSeller):
    """Unit prices by type that never change."""

    #: worker, ps: prices, shapes (worker types,), (server types,).
    worker: Floats
    ps: Floats
    placement: PlacementRule = "pa"

    def run(self, state: Any, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Ask for the fixed price."""
        prices = self.worker[jobs.worker_type], self.ps[jobs.ps_type]
        sell_at(state.cluster, jobs, *prices, False, False, fill, results)


class Hindsight(Policy):
    """Base of the baselines that know the market: choose fixed prices, then sell at them."""

    hindsight: ClassVar[bool] = True

    def seller(self, market: Market) -> FixedPrice:
        """Choose the prices."""
        raise NotImplementedError

    def decide(self, instance: Market, seed: int) -> Sales:
        """Run with the chosen prices."""
        return self.simulate(instance, seed)

    def simulate(self, market: Market, seed: int = 0) -> Sales:
        """Run with the chosen prices."""
        return self.seller(market).simulate(market, seed)


@algorithm("dps.fixed_price", source="DPS section IV")
@dataclasses.dataclass(frozen=True)
class GivenPrice(Hindsight):
    """Unit prices that never change: the ``fixed_prices`` of the instance."""

    placement: PlacementRule = "pa"

    def seller(self, market: Market) -> FixedPrice:
        """Take the instance's prices; raises `NotApplicable` where it has none."""
        return FixedPrice(*market.require_prices("dps.fixed_price"), self.placement)


@algorithm("dps.random", source="DPS section V")
@dataclasses.dataclass(frozen=True)
class Random(KernelSeller):
    """A new pair of unit prices for every job, drawn uniformly below the price cap."""

    placement: PlacementRule = "pa"

    def decide(self, instance: Market, seed: int) -> Sales | None:
        """Handle all jobs at once, unless prices and orders of servers are drawn in turn."""
        return None if self.placement == "random" else super().decide(instance, seed)

    def sell(self, state: Any, jobs: Jobs) -> Sales:
        """Draw two prices for every job, also for those that do not fit."""
        state.asked = state.known.price_cap * state.rng.random((len(jobs.slot), 2)).T
        return super().sell(state, jobs)

    def run(self, state: Any, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Ask for the drawn prices."""
        worker, ps = state.asked
        sell_at(state.cluster, jobs, worker, ps, False, True, fill, results)


class Gift(KernelSeller):
    """Base of sellers that serve every job that fits free of charge."""

    def run(self, state: Any, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Serve every job, whoever it is."""
        none = np.zeros(len(jobs.slot))
        sell_at(state.cluster, jobs, none, none, True, False, fill, results)


@algorithm("dps.best_fit", source="rival of DPS Algorithm 2")
@dataclasses.dataclass(frozen=True)
class BestFit(Gift):
    """Serves every job that fits free of charge, placed where it fits best; see the runtimes."""

    placement = "best_fit"


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
        self, state: SellerState, arrivals: Offer, answer: SubproblemAnswer | None, rng: Rng
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
