"""A repair of Algorithm 1: one bandit for each pair of types, so that its rewards are its own."""

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Literal, Self

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.online.dps.offers import Ask, Known, Quote
from farkas.online.dps.pair_kernel import Asking, PairArms, UnitSlots, run_knapsacks, run_pairs
from farkas.online.dps.pricing import Placing, geometric_grid, grid_steps
from farkas.online.dps.seller import Numbers, Seller, SellerState
from farkas.online.dps.simulation import Prepared, Simulation, simulation_of
from farkas.online.driver import algorithm
from farkas.tolerances import TIE, allowed


def pair_arms(
    market: Market, prices: Callable[[int], Floats], eta: Callable[[int, int], float]
) -> PairArms:
    """Arms of all pairs of types that jobs ask for, nothing learned.

    Parameters
    ----------
    prices
        Unit prices of the arms by worker type, shape (arms, 2).
    eta
        Confidence constant by worker type and server type.
    """
    types = market.num_ps_types
    keys, pair = np.unique(market.worker_type * types + market.ps_type, return_inverse=True)
    both = [(int(key) // types, int(key) % types) for key in keys]
    grids = [prices(kind) for kind, _ in both]
    every = np.concatenate([*grids, np.zeros((0, 2))])
    return PairArms(
        pair=pair.astype(np.int64),
        first=np.cumsum([0, *map(len, grids)]).astype(np.int64),
        worker_price=every[:, 0].copy(),
        ps_price=every[:, 1].copy(),
        eta=np.array([eta(*key) for key in both], dtype=float),
        **{name: np.zeros(len(every)) for name in ("offers", "sales", "paid", "high", "low")},
    )


def simulate_pairs(
    market: Market, arms: PairArms, placing: Placing = "pa", seed: int = 0, *, log: bool = False
) -> Simulation:
    """Sell at the arm of the pair with the highest upper confidence bound."""
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=log)
    asking = Asking(allowed(market.budget), Known.of(market).price_cap)
    run_pairs(servers, run.jobs, arms, asking, run.filling(placing, seed), results)
    return simulation_of(market, results, servers, arms.worker_price, arms.ps_price, log)


def simulate_knapsacks(
    market: Market,
    arms: PairArms,
    rounds: int,
    growth: float,
    placing: Placing = "pa",
    seed: int = 0,
    *,
    log: bool = False,
) -> Simulation:
    """Sell at the arm of the pair with the best ratio of payment to weighted resources."""
    run = Prepared.of(market)
    results, servers = run.results(), run.servers(log=log)
    kinds, others = market.num_worker_types, market.num_ps_types
    sack = UnitSlots(
        worker_budget=market.worker_capacity.astype(float) * market.horizon,
        ps_budget=market.ps_capacity.astype(float) * market.horizon,
        rounds=float(rounds),
        growth=growth,
        closed=1.0 if market.occupancy == "closed" else 0.0,
        colocated_runtime=market.colocated_runtime.copy(),
        spread_runtime=market.spread_runtime.copy(),
        slots=np.zeros((kinds, others)),
        over=np.zeros((kinds, others)),
        log_weight=np.zeros(kinds + others + 1),
        weight=np.zeros(kinds + others + 1),
    )
    asking = Asking(allowed(market.budget), Known.of(market).price_cap)
    value, filling = np.zeros(len(arms.high)), run.filling(placing, seed)
    run_knapsacks(servers, run.jobs, arms, asking, sack, value, filling, results)
    return simulation_of(market, results, servers, arms.worker_price, arms.ps_price, log)


Arms = Literal["markup", "joint"]
LEARNED_OF_PAIRS = ("offers", "sales", "paid")
_PAIR = re.compile(r"pair ([0-9]{1,9}) ([0-9]{1,9}) \w+")
JOINT_PRICES = 8  #: Prices a side of the joint grid.


@dataclasses.dataclass(slots=True, eq=False)
class Pair:
    """What was learned about jobs that ask for one pair of types."""

    prices: Floats  #: Unit prices of worker and parameter server, shape (arms, 2).
    #: offers, sales, paid: offers, sales, and payments as shares of the largest payment, shape
    #: (arms,).
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


def dearest(value: Floats) -> int:
    """Last of the arms with the highest value; arms ascend in price."""
    return int(np.flatnonzero(value >= value.max() * (1.0 - TIE))[-1])


def share_paid(known: Known, ask: Ask, quote: Quote, accepted: bool) -> float:
    """Payment as a share of the largest one, in [0, 1]."""
    most = known.price_cap * (ask.workers + ask.ps)
    return quote.payment / most if accepted else 0.0


def of_pairs(pairs: Mapping[tuple[int, int], Pair]) -> dict[str, Numbers]:
    """Return what was learned about pairs, named ``pair 3 1 offers`` and so on."""
    return {
        f"pair {key[0]} {key[1]} {what}": getattr(pair, what)
        for key, pair in pairs.items()
        for what in LEARNED_OF_PAIRS
    }


def pairs_named(names: Iterable[str]) -> list[tuple[int, int]]:
    """Pairs that names of `of_pairs` speak of, each once, in order."""
    found = (_PAIR.fullmatch(name) for name in names)
    return list(dict.fromkeys((int(m[1]), int(m[2])) for m in found if m))


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
    one_pass = run_pairs

    def start(self, known: Known, seed: int) -> PairState:
        """Start without pairs."""
        plain = super().start(known, seed)
        return PairState(known, plain.cluster, plain.rng, {})

    def quote(self, state: PairState, ask: Ask) -> Quote:
        """Quote the arm with the highest upper confidence bound, the dearest among equals.

        Raises
        ------
        InvalidOption
            No job of its types is foretold, see `Known.require_foretold`.
        """
        state.known.require_foretold(ask)
        pair = self._pair(state, (ask.worker_type, ask.ps_type))
        eta = self._eta(state.known, ask.worker_type, ask.ps_type)
        arm = dearest(pair.optimistic(eta))
        worker, ps = pair.prices[arm]
        return self.at(ask, float(worker), float(ps), arm)

    def answered(self, state: PairState, ask: Ask, quote: Quote, accepted: bool) -> None:
        """Learn the payment."""
        pair = state.pairs[ask.worker_type, ask.ps_type]
        pair.learn(quote.arms[0], share_paid(state.known, ask, quote, accepted), accepted)

    def remembered(self, state: PairState) -> dict[str, Numbers]:
        """Return offers, sales and payments of each pair."""
        return of_pairs(state.pairs)

    def recall(self, state: PairState, names: Iterable[str]) -> dict[str, Numbers]:
        """Meet the pairs of these names."""
        for key in pairs_named(names):
            self._pair(state, key)
        return self.remembered(state)

    def _pair(self, state: PairState, key: tuple[int, int]) -> Pair:
        if key not in state.pairs:
            state.pairs[key] = Pair.new(self._prices(state.known, key[0]))
        return state.pairs[key]

    def _eta(self, known: Known, kind: int, other: int) -> float:
        jobs = int(min(known.worker_jobs[kind], known.ps_jobs[other]))
        return known.learning.eta_scale * math.log(max(2, jobs))

    def _prices(self, known: Known, kind: int) -> Floats:
        if self.arms == "joint":
            return joint_grid() * known.price_cap
        capacity = known.installed_workers[:, kind].sum()
        volume = np.array([known.horizon * max(int(capacity), 1)], dtype=float)
        logs = np.log(np.maximum(known.worker_jobs[[kind]], 2))
        step = float(grid_steps(known.learning, volume, logs)[0])
        one = geometric_grid(step)
        return np.column_stack([one, one]) * known.price_cap

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Run on the whole market at once, compiled; the same decisions as step by step."""
        known = Known.of(market)
        arms = pair_arms(
            market, partial(self._prices, known), lambda kind, other: self._eta(known, kind, other)
        )
        return simulate_pairs(market, arms, self.placement, seed, log=log)
