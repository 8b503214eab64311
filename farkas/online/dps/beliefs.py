"""A seller of our own that sees no budgets: answers decide what a unit is believed to be worth."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.base import Nonnegative, Positive
from farkas.numbers import Floats
from farkas.online.dps.cluster import Placing
from farkas.online.dps.environment import Known, Offer, Quote
from farkas.online.dps.seller import Seller, SellerState
from farkas.online.driver import algorithm

#: Levels of a unit's worth from two times the price cap down, as powers of two, and how many there
#: are between two powers; prices go from the cap down.
HIGHEST, LOWEST, STEPS = 1, -7, 8
LN2 = float(np.log(2.0))
NEW = 0.5  #: Share of a new pair of types that is believed to be worth what others are.


@dataclasses.dataclass(slots=True, eq=False)
class BelievedState(SellerState):
    """What is believed of pairs of types met so far."""

    #: By worker type and server type, logarithms of weights of levels, shape (levels,), not
    #: normalised.
    beliefs: dict[tuple[int, int], Floats]
    prices: Floats  #: Unit prices as powers of two times the cap, shape (prices,), ascending.
    #: sold, refused: logarithms of the share of users who accept and refuse, shape (levels,
    #: prices).
    sold: Floats
    refused: Floats


def normalised(weights: Floats) -> Floats:
    """Weights from logarithms, in all 1."""
    found: Floats = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return found / np.cumsum(found, axis=-1)[..., -1:]


@algorithm("dps.beliefs", source="added: posted prices from a posterior of what units are worth")
@dataclasses.dataclass(frozen=True)
class Believer(Seller):
    """Posts the price that earns most by what is believed, less what busy servers are worth.

    Users see one unit price for both sides and say yes or no; nothing else is seen, as in the
    paper.  A pair of types is believed to have a worth of a unit on a grid of levels around the
    price cap, and a user to accept a price p at level w with probability 1 / (1 + (p / w)^steep).
    Every answer multiplies the belief of its pair by the probability that it has; a pair that is
    new begins half from what the others are believed to be and half from nothing known.  Asked is
    the p with the largest (p - c) times the probability to sell, where c is what a unit is likely
    to earn later: ``scarcity`` times the mean worth times the share of units that is busy, on the
    busier side, to the power ``late``.
    """

    steep: Positive = 2.5
    scarcity: Nonnegative = 1.0
    late: Positive = 2.0
    placement: Placing = "best_fit"

    def start(self, known: Known, seed: int) -> BelievedState:
        """Nothing is believed of any pair."""
        levels = np.arange(LOWEST * STEPS, HIGHEST * STEPS + 1) / STEPS
        prices = levels[levels <= 0]
        odds = self.steep * LN2 * (prices[None, :] - levels[:, None])
        # 1 / (1 + e^x) and its rest, without overflow
        sold = -(np.maximum(odds, 0.0) + np.log1p(np.exp(-np.abs(odds))))
        refused = sold + odds
        unit = known.price_cap * np.exp(LN2 * prices)
        return BelievedState.begin(known, seed, {}, unit, sold, refused)

    def quote(self, state: BelievedState, offer: Offer) -> Quote:
        """Ask the dearest of the prices that are believed to earn most."""
        weight = normalised(self._belief(state, (offer.worker_type, offer.ps_type)))
        selling = weight @ np.exp(state.sold)
        levels = len(weight)
        worth = np.exp(LN2 * (LOWEST + np.arange(levels) / STEPS))
        mean = state.known.price_cap * float(weight @ worth)
        later = self.scarcity * mean * self._busy(state, offer) ** self.late
        value = (state.prices - later) * selling
        arm = int(np.flatnonzero(value == value.max())[-1])
        unit = min(float(state.prices[arm]), state.known.price_cap)
        return self.at(offer, unit, unit, arm)

    def answered(self, state: BelievedState, offer: Offer, quote: Quote, accepted: bool) -> None:
        """Multiply the belief by how likely the answer was."""
        said = state.sold if accepted else state.refused
        state.beliefs[offer.worker_type, offer.ps_type] += said[:, quote.arm]

    def _belief(self, state: BelievedState, key: tuple[int, int]) -> Floats:
        if key not in state.beliefs:
            levels = len(state.sold)
            new = np.full(levels, 1.0 / levels)
            if state.beliefs:
                others = normalised(np.array(list(state.beliefs.values())))
                new = (1.0 - NEW) * new + NEW * np.cumsum(others, axis=0)[-1] / len(others)
            state.beliefs[key] = np.log(new)
        return state.beliefs[key]

    def _busy(self, state: BelievedState, offer: Offer) -> float:
        """Share of units that are busy, on the busier side."""
        known, cluster = state.known, state.cluster
        shares = []
        for there, idle in (
            (
                known.installed_workers[:, offer.worker_type],
                cluster.idle_workers[offer.worker_type],
            ),
            (known.installed_ps[:, offer.ps_type], cluster.idle_ps[offer.ps_type]),
        ):
            shares.append(1.0 - float(idle.sum()) / float(max(1, there.sum())))
        return max(shares)
