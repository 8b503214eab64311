"""Sellers whose prices do not depend on what happened before."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.online.dps.kernel import run_posted
from farkas.online.dps.offers import Ask, Decision, Known, Offer, Quote
from farkas.online.dps.pricing import Placing
from farkas.online.dps.seller import Seller, SellerState
from farkas.online.dps.simulation import Simulation, simulate_gifts, simulate_prices
from farkas.online.driver import algorithm
from farkas.online.policy import Policy


@dataclasses.dataclass(frozen=True, eq=False)
class FixedPrice(Seller):
    """Unit prices by type that never change."""

    #: worker, ps: prices, shapes (worker types,), (server types,).
    worker: Floats
    ps: Floats
    placement: Placing = "pa"
    one_pass = run_posted

    def quote(self, state: SellerState, ask: Ask) -> Quote:
        """Ask for the fixed price."""
        return self.at(ask, float(self.worker[ask.worker_type]), float(self.ps[ask.ps_type]))

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Run on the whole market at once, compiled."""
        prices = self.worker[market.worker_type], self.ps[market.ps_type]
        return simulate_prices(market, *prices, self.placement, seed, log=log)


@algorithm("dps.fixed_price", source="DPS section IV")
@dataclasses.dataclass(frozen=True)
class GivenPrice(Policy):
    """Unit prices that never change: the ``fixed_prices`` of the instance."""

    hindsight: ClassVar[bool] = True

    placement: Placing = "pa"

    def decide(self, instance: Market, seed: int) -> Sequence[Decision]:
        """Run with the instance's prices."""
        return decided(given_price(instance, self.placement), instance, seed)

    def simulate(self, market: Market, seed: int = 0) -> Simulation:
        """Run on the whole market at once, compiled."""
        return given_price(market, self.placement).simulate(market, seed)


def given_price(market: Market, placement: Placing = "pa") -> FixedPrice:
    """Seller with the instance's ``fixed_prices``; raises `NotApplicable` where it has none."""
    if market.fixed_prices is None:
        raise NotApplicable("dps.fixed_price needs an instance with fixed_prices")
    prices = market.fixed_prices
    return FixedPrice(np.array(prices.worker), np.array(prices.ps), placement)


@algorithm("dps.random", source="DPS section V")
@dataclasses.dataclass(frozen=True)
class Random(Seller):
    """A new pair of unit prices for every job, drawn uniformly below the price cap."""

    placement: Placing = "pa"
    quotes_blindly = True

    def quote(self, state: SellerState, ask: Ask) -> Quote:
        """Draw two prices, also when the job does not fit."""
        worker, ps = state.known.price_cap * state.rng.random(2)
        return self.at(ask, float(worker), float(ps))

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Run on the whole market at once, compiled; for the deterministic placements."""
        cap = 1.0 if market.price_cap is None else market.price_cap
        drawn = cap * np.random.default_rng(seed).random((market.num_jobs, 2))
        return simulate_prices(market, drawn[:, 0], drawn[:, 1], self.placement, seed, log=log)


class _Gift(Seller):
    one_pass = run_posted

    def quote(self, state: SellerState, ask: Ask) -> Quote:
        """Serve the job, whoever it is."""
        return Quote()

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Run on the whole market at once, compiled."""
        return simulate_gifts(market, self.placement, seed, log=log)


@algorithm("dps.pa", source="DPS Algorithm 2")
@dataclasses.dataclass(frozen=True)
class FreeOfCharge(_Gift):
    """Serves every job that fits free of charge, placed by Algorithm 2; see the runtimes."""

    placement = "pa"


@algorithm("dps.best_fit", source="rival of DPS Algorithm 2")
@dataclasses.dataclass(frozen=True)
class BestFit(_Gift):
    """Serves every job that fits free of charge, placed where it fits best; see the runtimes."""

    placement = "best_fit"


def decided(seller: Seller, market: Market, seed: int) -> Sequence[Decision]:
    """Let a seller handle every job of a market, at once if it can."""
    found = seller.decide(market, seed)
    return run_seller(seller, market, seed) if found is None else found


def run_seller(seller: Seller, market: Market, seed: int = 0) -> list[Decision]:
    """Let a seller handle every job of a market, step by step."""
    state = seller.start(Known.of(market), seed)
    decisions = []
    for job in range(market.num_jobs):
        state, decision = seller.step(state, Offer.of(market, job))
        decisions.append(decision)
    return decisions
