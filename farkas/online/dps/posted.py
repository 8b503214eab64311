"""Sellers whose prices do not depend on what happened before."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.kernels import Floats1, Out, compiled
from farkas.numbers import Floats
from farkas.online.dps.cluster import (
    DECLINED,
    EXPLORED,
    FULL,
    SOLD,
    Cluster,
    Filling,
    Jobs,
    Placing,
    Results,
    fits,
    place,
    release,
    steps,
)
from farkas.online.dps.offers import Known
from farkas.online.dps.sales import Sales
from farkas.online.dps.seller import KernelSeller, SellerState
from farkas.online.driver import algorithm
from farkas.online.policy import Policy


@compiled(steps=steps)
def sell_at(
    cluster: Out[Cluster],
    jobs: Jobs,
    worker_price: Floats1,
    ps_price: Floats1,
    free: bool,
    blindly: bool,
    filling: Filling,
    results: Out[Results],
) -> None:
    """Serve every job that accepts its prices, or free of charge, and fits.

    Parameters
    ----------
    worker_price, ps_price
        Unit prices for each job.
    blindly
        Whether jobs that do not fit are asked as well.
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
    placement: Placing = "pa"

    def run(self, state: Any, jobs: Jobs, fill: Filling, results: Results) -> None:
        """Ask for the fixed price."""
        prices = self.worker[jobs.worker_type], self.ps[jobs.ps_type]
        sell_at(state.cluster, jobs, *prices, False, False, fill, results)


@algorithm("dps.fixed_price", source="DPS section IV")
@dataclasses.dataclass(frozen=True)
class GivenPrice(Policy):
    """Unit prices that never change: the ``fixed_prices`` of the instance."""

    hindsight: ClassVar[bool] = True

    placement: Placing = "pa"

    def decide(self, instance: Market, seed: int) -> Sales:
        """Run with the instance's prices."""
        return self.simulate(instance, seed)

    def simulate(self, market: Market, seed: int = 0) -> Sales:
        """Run with the instance's prices; raises `NotApplicable` where it has none."""
        prices = market.fixed_prices
        if prices is None:
            raise NotApplicable("dps.fixed_price needs an instance with fixed_prices")
        seller = FixedPrice(np.array(prices.worker), np.array(prices.ps), self.placement)
        return seller.simulate(market, seed)


@dataclasses.dataclass(slots=True, eq=False)
class RandomState(SellerState):
    """Prices of the jobs at hand, shape (2, jobs)."""

    drawn: Floats


@algorithm("dps.random", source="DPS section V")
@dataclasses.dataclass(frozen=True)
class Random(KernelSeller):
    """A new pair of unit prices for every job, drawn uniformly below the price cap."""

    placement: Placing = "pa"

    def start(self, known: Known, seed: int) -> RandomState:
        """Start without prices."""
        return RandomState.begin(known, seed, np.zeros((2, 0)))

    def decide(self, instance: Market, seed: int) -> Sales | None:
        """Handle all jobs at once, unless prices and orders of servers are drawn in turn."""
        return None if self.placement == "random" else super().decide(instance, seed)

    def sell(self, state: RandomState, jobs: Jobs) -> Sales:
        """Draw two prices for every job, also for those that do not fit."""
        state.drawn = state.known.price_cap * state.rng.random((len(jobs.slot), 2)).T
        return super().sell(state, jobs)

    def run(self, state: RandomState, jobs: Jobs, fill: Filling, results: Results) -> None:
        """Ask for the drawn prices."""
        worker, ps = state.drawn
        sell_at(state.cluster, jobs, worker, ps, False, True, fill, results)


class Gift(KernelSeller):
    """Base of sellers that serve every job that fits free of charge."""

    def run(self, state: Any, jobs: Jobs, fill: Filling, results: Results) -> None:
        """Serve every job, whoever it is."""
        none = np.zeros(len(jobs.slot))
        sell_at(state.cluster, jobs, none, none, True, False, fill, results)


@algorithm("dps.best_fit", source="rival of DPS Algorithm 2")
@dataclasses.dataclass(frozen=True)
class BestFit(Gift):
    """Serves every job that fits free of charge, placed where it fits best; see the runtimes."""

    placement = "best_fit"
