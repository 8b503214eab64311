"""Algorithm 1 and its variants: a bandit for each type of worker and of parameter server."""

import dataclasses
from typing import Literal

from farkas.instances.dps import Market
from farkas.online.dps.cluster import Running
from farkas.online.dps.learning_kernel import run_learning
from farkas.online.dps.offers import Ask, Known, Quote
from farkas.online.dps.pricing import LEARNED, Grid, Learner, Placing, Radii, Supply, both_sides
from farkas.online.dps.seller import Numbers, Seller, SellerState
from farkas.online.dps.simulation import Simulation, simulate_learning
from farkas.online.driver import algorithm


@dataclasses.dataclass(slots=True, eq=False)
class LearningState(SellerState):
    """What both sides have learned."""

    workers: Learner
    ps: Learner


class Bandits(Seller):
    """Two-sided upper confidence bounds; subclasses fix the variant."""

    explore: bool = True
    grid: Grid = "geometric"
    radii: Radii = "unit"
    capacity: Supply = "published"
    one_pass = run_learning

    def start(self, known: Known, seed: int) -> LearningState:
        """Start without observations."""
        plain = super().start(known, seed)
        rules = both_sides(known, explore=self.explore, radii=self.radii, grid=self.grid)
        closed = known.occupancy == "closed"
        workers, ps = (Learner(side, known.horizon, self.capacity, closed) for side in rules)
        return LearningState(known, plain.cluster, plain.rng, workers, ps)

    def finished(self, state: LearningState, job: Running) -> None:
        """Learn a runtime on both sides."""
        state.workers.finish(job.ask.worker_type, job.runtime)
        state.ps.finish(job.ask.ps_type, job.runtime)

    def arrived(self, state: LearningState, ask: Ask) -> bool:
        """Explore while either type is new."""
        one = state.workers.explores(ask.worker_type)
        other = state.ps.explores(ask.ps_type)
        return one or other

    def quote(self, state: LearningState, ask: Ask) -> Quote:
        """Quote the arms with the highest upper confidence bounds, each side for itself.

        Raises
        ------
        InvalidOption
            No job of its types is foretold, so that there are no arms.
        """
        state.known.require_foretold(ask)
        one, other = state.workers.choose(ask.worker_type), state.ps.choose(ask.ps_type)
        prices = state.workers.rules.price[one], state.ps.rules.price[other]
        return self.at(ask, float(prices[0]), float(prices[1]), one, other)

    def answered(self, state: LearningState, ask: Ask, quote: Quote, accepted: bool) -> None:
        """Learn how many units both arms sold."""
        one, other = quote.arms
        state.workers.answered(one, ask.workers * accepted)
        state.ps.answered(other, ask.ps * accepted)

    def remembered(self, state: LearningState) -> dict[str, Numbers]:
        """Return counts and sums of both sides."""
        sides = {"workers": state.workers, "ps": state.ps}
        return {
            f"{name} {what}": getattr(side, what)
            for name, side in sides.items()
            for what in LEARNED
        }

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Run on the whole market at once, compiled; the same decisions as step by step.

        Parameters
        ----------
        seed
            For random placement.
        log
            Keep placements.
        """
        known = Known.of(market)
        rules = both_sides(known, explore=self.explore, radii=self.radii, grid=self.grid)
        return simulate_learning(market, rules, self.capacity, self.placement, seed, log=log)


@algorithm("dps.dps", source="DPS Algorithm 1 with Algorithm 2")
@dataclasses.dataclass(frozen=True)
class Dps(Bandits):
    """Prices each type by upper confidence bounds after serving the first jobs free of charge.

    With the published constants the free phase is longer than the whole published trace, so that
    the profit is 0; the instance's ``dps`` settings change that.

    Options: ``placement`` of accepted jobs, ``capacity`` form of the supply that caps demand,
    ``radii`` for demands in [0, 1] as printed or for their true range.
    """

    placement: Placing = "pa"
    capacity: Literal["published", "turnover"] = "published"
    radii: Radii = "unit"


@algorithm("dps.simple", source="DPS section V, without exploration")
@dataclasses.dataclass(frozen=True)
class Simple(Bandits):
    """DPS that charges from the first job on."""

    placement: Placing = "pa"
    explore = False


@algorithm("dps.top", source="reconstructed from its use in DPS section V")
@dataclasses.dataclass(frozen=True)
class Top(Bandits):
    """The rival called TOP, reconstructed: a uniform grid, turnover as supply, no exploration.

    The cited text was not available; read every comparison with it as one with this reconstruction.
    """

    placement: Placing = "pa"
    explore = False
    grid = "uniform"
    capacity = "top"


@algorithm("dps.dps_scaled", source="repair of DPS (13), (14)")
@dataclasses.dataclass(frozen=True)
class Scaled(Bandits):
    """DPS with confidence radii for demands up to their largest and times up to the horizon.

    As printed the radii hold for variables in [0, 1].  Supply is turnover, the correct form.
    """

    placement: Placing = "pa"
    radii = "range"
    capacity = "turnover"


@algorithm("dps.dps_random_placement", source="DPS section V, DPS-RS")
@dataclasses.dataclass(frozen=True)
class RandomPlacement(Bandits):
    """DPS whose accepted jobs fill servers in random order."""

    placement = "random"
