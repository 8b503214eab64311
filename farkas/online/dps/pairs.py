"""A repair of Algorithm 1: one bandit for each pair of types, so that its rewards are its own."""

import dataclasses
from typing import Literal, Self

import numpy as np

from farkas.numbers import Floats
from farkas.online.dps.offers import Decision, Known, Offer
from farkas.online.dps.placing import Placing
from farkas.online.dps.pricing import geometric_grid, grid_steps
from farkas.online.dps.seller import Seller, SellerState
from farkas.online.driver import algorithm
from farkas.portable.elementary import log
from farkas.tolerances import TIE

Arms = Literal["markup", "joint"]
JOINT_PRICES = 8
"""Prices a side of the joint grid."""


@dataclasses.dataclass(slots=True, eq=False)
class Pair:
    """What was learned about jobs that ask for one pair of types.

    Parameters
    ----------
    prices
        Unit prices of worker and parameter server, shape (arms, 2).
    offers, sales, paid
        Offers, sales, and payments as shares of the largest payment, shape (arms,).
    """

    prices: Floats
    offers: Floats
    sales: Floats
    paid: Floats

    @classmethod
    def new(cls, prices: Floats) -> Self:
        """Know nothing."""
        return cls(prices, *np.zeros((3, len(prices))))

    def optimistic(self, eta: float) -> Floats:
        """Upper confidence bound of the mean reward of every arm, for rewards in [0, 1]."""
        count = 1.0 + self.offers
        mean = self.paid / np.maximum(self.offers, 1.0)
        bound: Floats = mean + eta / count + np.sqrt(eta * mean / count)
        return bound

    def least_sales(self, eta: float) -> Floats:
        """Lower confidence bound of the share of offers that sell, by arm."""
        count = 1.0 + self.offers
        mean = self.sales / np.maximum(self.offers, 1.0)
        bound: Floats = np.maximum(0.0, mean - eta / count - np.sqrt(eta * mean / count))
        return bound

    def learn(self, arm: int, reward: float, sold: bool) -> None:
        """Take note of the answer to an offer."""
        self.offers[arm] += 1.0
        self.sales[arm] += sold
        self.paid[arm] += reward


@dataclasses.dataclass(slots=True, eq=False)
class PairState(SellerState):
    """Pairs met so far, by worker type and server type."""

    pairs: dict[tuple[int, int], Pair]


def joint_grid() -> Floats:
    """Every combination of a few prices of both sides, shape (arms, 2), up to 1."""
    steps = np.arange(1, JOINT_PRICES + 1) / JOINT_PRICES
    return np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)


@algorithm("dps.dps_pairs", source="repair of DPS Algorithm 1")
@dataclasses.dataclass(frozen=True)
class PairPrices(Seller):
    """Prices each pair of types by the mean payment itself, free of charge never.

    Whether a unit sells depends on the price of the partner type, so the two-sided bandits of the
    paper chase each other (double marginalisation).  Here an arm is a price for the whole job.

    Options: ``arms`` "markup" quotes one unit price for both sides, on the published grid; "joint"
    quotes every combination of a coarse grid.
    """

    placement: Placing = "pa"
    arms: Arms = "markup"

    def start(self, known: Known, seed: int) -> PairState:
        """Start without pairs."""
        plain = super().start(known, seed)
        return PairState(known, plain.cluster, plain.rng, {})

    def offer(self, state: PairState, offer: Offer, fits: bool) -> Decision:
        """Offer the arm with the highest upper confidence bound, the dearest among equals."""
        key = offer.worker_type, offer.ps_type
        if key not in state.pairs:
            state.pairs[key] = Pair.new(self._prices(state.known, offer.worker_type))
        pair = state.pairs[key]
        eta = state.known.learning.eta_scale * log(max(2, self._jobs(state.known, offer)))
        value = pair.optimistic(eta)
        arm = int(np.flatnonzero(value >= value.max() * (1.0 - TIE))[-1])
        worker, ps = pair.prices[arm]
        decision = self.post(state, offer, float(worker), float(ps))
        most = state.known.price_cap * (offer.workers + offer.ps)
        pair.learn(arm, decision.payment / most, decision.served)
        return decision

    def _jobs(self, known: Known, offer: Offer) -> int:
        return int(min(known.worker_jobs[offer.worker_type], known.ps_jobs[offer.ps_type]))

    def _prices(self, known: Known, kind: int) -> Floats:
        if self.arms == "joint":
            return joint_grid() * known.price_cap
        capacity = known.installed_workers[:, kind].sum()
        volume = np.array([known.horizon * max(int(capacity), 1)], dtype=float)
        logs = log(np.maximum(known.worker_jobs[[kind]], 2))
        step = float(grid_steps(known.learning, volume, logs)[0])
        one = geometric_grid(step)
        return np.column_stack([one, one]) * known.price_cap
