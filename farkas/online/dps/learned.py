"""A seller of our own: capacity is charged for at duals of the jobs seen, payments are bids."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from farkas.instances.base import Nonnegative
from farkas.numbers import Floats, Ints
from farkas.online.dps.cluster import (
    FREE,
    PS,
    PS_TYPE,
    RUNNING,
    WORKER_TYPE,
    WORKERS,
    PlacementRule,
)
from farkas.online.dps.environment import Knowledge, Offer
from farkas.online.dps.seller import Seller, SellerState
from farkas.online.driver import algorithm

SWEEPS = 2  #: How often prices of both sides are settled in turn.
RELEARNED = 16  #: Prices are learned anew when one in so many of the jobs seen is new.
#: Share of the prices that is charged: a job whose own worth sets a price is served.
CHARGED = 1.0 - 1.0 / 2**10


class Past(NamedTuple):
    """Jobs seen that empty servers could serve, one entry each."""

    worker_type: Ints
    ps_type: Ints
    workers: Ints
    ps: Ints
    reward: Floats  #: The most they would have paid.
    hold: Floats  #: Slots until the horizon in which they would have held their units.


@dataclasses.dataclass(slots=True, eq=False)
class LearnedState(SellerState):
    """What was seen, and what it says of prices."""

    #: Type of workers and of parameter servers, units of both, reward and slots held, by job.
    seen: list[tuple[int, int, int, int, float, float]]
    unit: float  #: Largest payment for a unit seen so far.
    #: worker_price, ps_price: price of a unit for a slot, by type, as last learned.
    worker_price: Floats
    ps_price: Floats
    relearn: int  #: Number of jobs seen at which prices are learned next.


@algorithm("dps.learned", source="added: prices of capacity from the jobs seen so far")
@dataclasses.dataclass(frozen=True)
class BidTaker(Seller):
    """Serves whoever bids more than the units are worth for as long as the job would hold them.

    Other sellers see neither budgets nor runtimes; this one sees both when a job arrives, never
    before, as if users bid and described their jobs truly.  A job that is served pays its budget,
    or the price cap; it is served when that exceeds its charge: the price of a unit for a slot,
    times units, times the slots it would hold them until the horizon.  Users gain by understating.

    A price is the dual of capacity at which the jobs seen so far, coming on at ``forecast`` times
    their rate, exhaust what running jobs leave of it until the horizon, one type after the other;
    a thousandth less is charged.  No price is below the reserve, at which a unit is worth
    ``reserve`` times the largest payment for a unit seen if it is held for as many slots as the
    horizon has: bursts come that no past foretells.
    """

    reserve: Nonnegative = 1.5
    forecast: Nonnegative = 1.0
    placement: PlacementRule = "best_fit"

    def start(self, known: Knowledge, seed: int) -> LearnedState:
        """Nobody came; capacity is worth nothing."""
        types = known.installed_workers.shape[1], known.installed_ps.shape[1]
        worker, ps = (np.zeros(count) for count in types)
        return LearnedState.begin(known, seed, [], 0.0, worker, ps, 1)

    def arrived(self, state: LearnedState, offer: Offer) -> None:
        """Take note of the report, and learn prices anew if many came since."""
        known = state.known
        installed = (
            known.installed_workers[:, offer.worker_type],
            known.installed_ps[:, offer.ps_type],
        )
        if installed[0].sum() < offer.workers or installed[1].sum() < offer.ps:
            return
        reward = most_paid(known, offer)
        state.unit = max(state.unit, reward / (offer.workers + offer.ps))
        kinds, units = (offer.worker_type, offer.ps_type), (offer.workers, offer.ps)
        state.seen.append((*kinds, *units, reward, _slots_held(offer, *installed)))
        if len(state.seen) >= state.relearn:
            state.relearn = len(state.seen) + 1 + len(state.seen) // RELEARNED
            self._learn(state, offer.slot)

    def quote(self, state: LearnedState, offer: Offer) -> tuple[float, float] | None:
        """Ask for the whole budget if it exceeds the charge, else for nothing."""
        known = state.known
        reward = most_paid(known, offer)
        if not reward > self.charge(state, offer):
            return None
        # the next double below: what it makes is less than the budget after rounding too
        unit = min(_cap(known), float(np.nextafter(reward / (offer.workers + offer.ps), 0.0)))
        return unit, unit

    def charge(self, state: LearnedState, offer: Offer) -> float:
        """Charge for the units that the job would hold now."""
        cluster = state.cluster
        idle = cluster.idle_workers[offer.worker_type], cluster.idle_ps[offer.ps_type]
        slots, least = _slots_held(offer, *idle), self._least(state)
        worker = max(least, float(state.worker_price[offer.worker_type]))
        ps = max(least, float(state.ps_price[offer.ps_type]))
        return CHARGED * slots * (worker * offer.workers + ps * offer.ps)

    def _least(self, state: LearnedState) -> float:
        return self.reserve * state.unit / state.known.horizon

    def _learn(self, state: LearnedState, slot: int) -> None:
        known = state.known
        left = float(known.horizon - slot)
        rate = self.forecast / (slot + 1.0)
        if not rate > 0:
            return
        workers = known.installed_workers.sum(axis=0) * left
        ps = known.installed_ps.sum(axis=0) * left
        cluster = state.cluster
        running = cluster.running[cluster.active[: cluster.counts[RUNNING]]]
        slots = running[:, FREE] - slot
        for room, kinds, units in ((workers, WORKER_TYPE, WORKERS), (ps, PS_TYPE, PS)):
            room -= np.bincount(running[:, kinds], slots * running[:, units], len(room))
        past = Past(*(np.array(column) for column in zip(*state.seen, strict=True)))
        times = rate * left
        coming = past._replace(hold=np.minimum(past.hold, left))
        state.worker_price, state.ps_price = exhausting_prices(
            coming, workers / times, ps / times, self._least(state)
        )


def _cap(known: Knowledge) -> float:
    """Most that a unit may cost; infinite where the market states nothing."""
    return known.price_cap if known.capped else np.inf


def most_paid(known: Knowledge, offer: Offer) -> float:
    """Budget, or what the largest unit price makes."""
    return min(offer.bid, _cap(known) * (offer.workers + offer.ps))


def exhausting_prices(
    past: Past, workers: Floats, ps: Floats, least: float = 0.0
) -> tuple[Floats, Floats]:
    """Prices of a unit for a slot, by type: the dual of capacity, minimised one price at a time.

    The dual is Σ C y + Σ max(0, r - hold (d y + e z)) over jobs; C are unit-slots of ``workers``
    and ``ps``.  No price is below ``least``, and no step raises the dual.
    """
    prices = np.full(len(workers), least), np.full(len(ps), least)
    sides = (past.worker_type, past.workers), (past.ps_type, past.ps)
    room = workers, ps
    for _ in range(SWEEPS):
        for side in (0, 1):
            (types, units), (others, other_units) = sides[side], sides[1 - side]
            margin = past.reward - past.hold * other_units * prices[1 - side][others]
            for kind in range(len(room[side])):
                of = types == kind
                found = exhausting_price(
                    margin[of], past.hold[of] * units[of], float(room[side][kind])
                )
                prices[side][kind] = max(least, found)
    return prices


def exhausting_price(margin: Floats, use: Floats, room: float) -> float:
    """Least price >= 0 at which those fit whose margin exceeds the price of their use.

    ``use``: > 0.  ``room``: what there is.
    """
    paying = margin > 0
    worth = margin[paying] / use[paying]
    order = np.argsort(-worth, kind="stable")
    fitting = int(np.searchsorted(np.cumsum(use[paying][order]), room, side="right"))
    return float(worth[order][fitting]) if fitting < len(order) else 0.0


def _slots_held(offer: Offer, workers: Ints, ps: Ints) -> float:
    """Slots until the horizon that a job holds, on one server where these units host it."""
    hosted = ((workers >= offer.workers) & (ps >= offer.ps)).any()
    free = offer.alone.free_colocated if hosted else offer.alone.free_spread
    return float(free[0] - offer.slot)
