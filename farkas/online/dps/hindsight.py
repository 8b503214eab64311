"""Baselines that know every budget: fixed prices chosen in hindsight."""

import dataclasses
from typing import Annotated, ClassVar

import msgspec

from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.online.dps.best_fixed import (
    MOST_COMBINATIONS,
    STEPS,
    Best,
    best_by_coordinates,
    best_for_demand,
    best_on_grid,
    prepare,
)
from farkas.online.dps.environment import Sales
from farkas.online.dps.seller import FixedPrice
from farkas.online.driver import algorithm
from farkas.online.policy import Policy

Rounds = Annotated[int, msgspec.Meta(ge=1, le=100)]


class Hindsight(Policy):
    """Base of the baselines: find prices, then sell at them."""

    hindsight: ClassVar[bool] = True

    def best(self, market: Market) -> Best:
        """Find the prices."""
        raise NotImplementedError

    def simulations(self, market: Market) -> int:
        """How many simulations `best` takes, about."""
        return 1

    def prepare(self, instance: Market) -> None:
        """Have the simulation compiled if all of these together are worth it."""
        prepare(instance, self.simulations(instance))

    def decide(self, instance: Market, seed: int) -> Sales:
        """Run with the best prices."""
        return self.simulate(instance, seed)

    def simulate(self, market: Market, seed: int = 0) -> Sales:
        """Run with the best prices."""
        found = self.best(market)
        return FixedPrice(found.worker, found.ps).simulate(market, seed)


@algorithm("dps.bfp_coord", source="DPS section V, BFP at scale")
@dataclasses.dataclass(frozen=True)
class Coordinates(Hindsight):
    """Fixed prices improved type by type on the grid 0.1, ..., 1; a lower bound on the best ones.

    Option: ``rounds`` over all types, at most.
    """

    rounds: Rounds = 3

    def best(self, market: Market) -> Best:
        """Search by coordinates."""
        return best_by_coordinates(market, self.rounds)

    def simulations(self, market: Market) -> int:
        """One for every step of every type's price, unless payments already tell."""
        return self.rounds * len(STEPS) * (market.num_worker_types + market.num_ps_types)


@algorithm("dps.bfp_fluid", source="DPS (3), second term")
@dataclasses.dataclass(frozen=True)
class Fluid(Hindsight):
    """Fixed prices with the highest payments if capacity were unlimited.

    Option: ``rounds`` over all types, at most.
    """

    rounds: Rounds = 3

    def best(self, market: Market) -> Best:
        """Search by coordinates, blind to capacity."""
        return best_for_demand(market, self.rounds)


@algorithm("dps.bfp_grid", source="DPS section V, BFP on a grid")
@dataclasses.dataclass(frozen=True)
class Grid(Hindsight):
    """Best combination of the instance's ``price_grid``, by trying all of them."""

    def best(self, market: Market) -> Best:
        """Try every combination."""
        found = best_on_grid(market)
        if found is None:
            raise NotApplicable(
                f"more than {MOST_COMBINATIONS} combinations of prices; use dps.bfp_coord"
            )
        return found

    def simulations(self, market: Market) -> int:
        """One for every combination, unless payments already tell."""
        types = market.num_worker_types + market.num_ps_types
        combinations: int = len(market.price_grid or ()) ** types
        return combinations
