"""What all sellers share: release what is over, look whether the job fits, quote, place.

A rule that has a kernel is a `KernelSeller`: its kernel handles jobs, one in a step or all of a
market.  Any other rule is a `Seller`, whose hooks are Python.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

import numpy as np

from farkas.instances.dps import Market
from farkas.online.dps import cluster
from farkas.online.dps.cluster import Cluster, Filling, Jobs, Placing, Results, filling
from farkas.online.dps.offers import Decision, Known, Offer, Quote
from farkas.online.dps.sales import Sales
from farkas.online.policy import Policy


@dataclasses.dataclass(slots=True, eq=False)
class SellerState:
    """Cluster and random numbers; sellers that learn add what they learned."""

    known: Known
    cluster: Cluster
    rng: np.random.Generator

    @classmethod
    def begin(cls, known: Known, seed: int, *learned: Any) -> Self:
        """Start with empty servers."""
        idle = Cluster.empty(known.installed_workers, known.installed_ps)
        return cls(known, idle, np.random.default_rng(seed), *learned)


class KernelSeller(Policy):
    """Base of the sellers whose rule is a kernel."""

    placement: Placing = "pa"

    def start(self, known: Known, seed: int) -> Any:
        """Start with empty servers."""
        return SellerState.begin(known, seed)

    def run(self, state: Any, jobs: Jobs, fill: Filling, results: Results) -> None:
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
        return self.sell(self.start(Known.of(market), seed), Jobs.of(market))

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


class Seller(Policy):
    """Base of the sellers whose rule is Python.  A subclass overrides the hooks it needs."""

    placement: Placing = "pa"

    def start(self, known: Known, seed: int) -> Any:
        """Start with empty servers."""
        return SellerState.begin(known, seed)

    def step(self, state: Any, arrivals: Offer) -> tuple[Any, Decision]:
        """Handle one job."""
        cluster.release(state.cluster, arrivals.slot)
        for row in state.cluster.ended[: state.cluster.counts[cluster.OVER]].tolist():
            self.finished(state, row)
        explores = self.arrived(state, arrivals)
        fits = cluster.fits.function(state.cluster, arrivals.alone, 0)
        quote = Quote()
        if not explores and (fits or self.quotes_blindly):
            quote = self.quote(state, arrivals)
        prices = quote.worker_price, quote.ps_price
        if not fits:
            return state, Decision("full", 0.0, *prices, exploring=explores)
        free = quote.worker_price is None
        accepted = self.serves_free if free else arrivals.accepts(quote.payment)
        if not free:
            self.answered(state, arrivals, quote, accepted)
        if not accepted:
            return state, Decision("declined", 0.0, *prices)
        servers, workers, ps = self._place(state, arrivals.alone)
        outcome: Any = "explored" if free else "sold"
        return state, Decision(
            outcome, quote.payment, *prices, servers, workers, ps, exploring=explores
        )

    def _place(self, state: Any, job: Jobs) -> tuple[tuple[int, ...], ...]:
        state.cluster = state.cluster.with_room(job)
        counts, servers = state.cluster.counts, len(state.cluster.order)
        random = self.placement == "random"
        orders = [state.rng.permutation(servers)] if random else []
        begin, counts[cluster.PLACED] = int(counts[cluster.LOGGED]), 0
        cluster.place(state.cluster, job, 0, filling(self.placement, orders, servers))
        log = state.cluster.log[begin : counts[cluster.LOGGED], 1:]
        one, two, three = log[np.argsort(log[:, 0])].T.tolist()
        return tuple(one), tuple(two), tuple(three)

    quotes_blindly = False  #: Whether a price is made even for jobs that do not fit.
    serves_free = True  #: Whether jobs that fit and are quoted no price are served.

    def finished(self, state: Any, row: int) -> None:
        """Learn that a job is over; ``row`` is its row in the arrays of running jobs."""

    def arrived(self, state: Any, offer: Offer) -> bool:
        """Take note of an arrival; return whether it is served free of charge to learn."""
        return False

    def quote(self, state: Any, offer: Offer) -> Quote:
        """Quote a price for a job that is not explored."""
        raise NotImplementedError

    def answered(self, state: Any, offer: Offer, quote: Quote, accepted: bool) -> None:
        """Learn whether a job that fits was sold at its quote."""

    def at(self, offer: Offer, worker_price: float, ps_price: float, arm: int = -1) -> Quote:
        """Quote of unit prices."""
        payment = worker_price * offer.workers + ps_price * offer.ps
        return Quote(worker_price, ps_price, payment, arm)
