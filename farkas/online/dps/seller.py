"""What all sellers share: release what is over, look whether the job fits, offer, place."""

import dataclasses
from typing import Any, TypeVar

import numpy as np

from farkas.online.dps.cluster import IdleUnits, Running
from farkas.online.dps.offers import Decision, Known, Offer
from farkas.online.dps.placing import Placing


@dataclasses.dataclass(slots=True, eq=False)
class SellerState:
    """Cluster and random numbers; sellers that learn add what they learned."""

    known: Known
    cluster: IdleUnits
    rng: np.random.Generator


S = TypeVar("S", bound=SellerState)


class Seller:
    """Base of the step-by-step sellers.  A subclass overrides the hooks it needs."""

    placement: Placing = "pa"

    def start(self, known: Known, seed: int) -> Any:
        """Start with empty servers."""
        rng = np.random.default_rng(seed)
        return SellerState(known, IdleUnits(known, self.placement, rng), rng)

    def step(self, state: Any, arrivals: Offer) -> tuple[Any, Decision]:
        """Handle one job."""
        for job in state.cluster.release(arrivals.slot):
            self.finished(state, job)
        explores = self.arrived(state, arrivals)
        fits = state.cluster.fits(arrivals)
        if explores:
            decision = Decision("full", exploring=True)
            if fits:
                decision = dataclasses.replace(
                    self.serve(state, arrivals, "explored"), exploring=True
                )
        elif fits or self.quotes_blindly:
            decision = self.offer(state, arrivals, fits)
        else:
            decision = Decision("full")
        return state, decision

    quotes_blindly = False
    """Whether a price is made even for jobs that do not fit."""

    def finished(self, state: Any, job: Running) -> None:
        """Learn that a job is over."""

    def arrived(self, state: Any, offer: Offer) -> bool:
        """Take note of an arrival; return whether it is served free of charge to learn."""
        return False

    def offer(self, state: Any, offer: Offer, fits: bool) -> Decision:
        """Quote a price, and serve the job if its user accepts and it fits."""
        raise NotImplementedError

    def serve(
        self,
        state: Any,
        offer: Offer,
        outcome: Any,
        payment: float = 0.0,
        prices: tuple[float | None, float | None] = (None, None),
    ) -> Decision:
        """Place a job that fits."""
        servers, workers, ps = state.cluster.place(offer)
        return Decision(outcome, payment, prices[0], prices[1], servers, workers, ps)

    def post(
        self, state: Any, offer: Offer, worker_price: float, ps_price: float, fits: bool = True
    ) -> Decision:
        """Ask for the payment at unit prices and serve the job if its user accepts."""
        payment, prices = offer.payment(worker_price, ps_price), (worker_price, ps_price)
        if not fits:
            return Decision("full", 0.0, *prices)
        if not offer.accepts(payment):
            return Decision("declined", 0.0, *prices)
        return self.serve(state, offer, "sold", payment, prices)
