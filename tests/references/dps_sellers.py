"""DPS's sellers as the paper has them, with lists: Algorithm 1, its variants and fixed prices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from farkas.instances.dps import Market
from farkas.online.dps.environment import Knowledge, Offer
from tests.references import dps_market

Handled = tuple[str, float, float | None, float | None]
"""What became of a job, what it paid, and the unit prices it was quoted."""


def by_steps(seller: Any, market: Market, seed: int = 0) -> list[Any]:
    """Decisions of a seller that is told of one job after the other."""
    state, found = seller.start(Knowledge.of(market), seed), []
    for offer in Offer.all_of(market):
        state, decision = seller.step(state, offer)
        found.append(decision)
    return found


def handled(decisions: Sequence[Any]) -> list[Handled]:
    """Decisions of a policy in these words."""
    return [(d.outcome, d.payment, d.worker_price, d.ps_price) for d in decisions]


def alike(found: Sequence[Handled], wanted: Sequence[Handled]) -> bool:
    """Whether the same happened to every job, at the same prices but for their last digits."""
    return len(found) == len(wanted) and all(
        one[0] == other[0]
        and all(
            a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-12))
            for a, b in zip(one[1:], other[1:], strict=True)
        )
        for one, other in zip(found, wanted, strict=True)
    )


class Side:
    """One side of a market: its types, their arms, and what was learned of them."""

    def __init__(self, market: Market, side: str, grid: str, wide: bool, explore: bool) -> None:
        knobs, horizon = market.learning, market.horizon
        kinds = [self.kind(job, side) for job in market.jobs]
        installed = market.server_workers if side == "worker" else market.server_ps
        cap = 1.0 if market.price_cap is None else market.price_cap
        self.side, self.horizon = side, horizon
        self.count = {k: kinds.count(k) for k in set(kinds)}
        self.capacity = {k: sum(row[k] for row in installed) for k in self.count}
        self.price: dict[int, list[float]] = {}
        self.new: dict[int, float] = {}
        self.eta: dict[int, float] = {}
        self.most: dict[int, int] = {}
        for k, jobs in self.count.items():
            logs, volume = math.log(max(jobs, 2)), horizon * max(self.capacity[k], 1)
            step = knobs.delta_scale * volume ** (-1 / 3) * logs ** (2 / 3)
            step = min(knobs.delta_max, step) if knobs.delta is None else knobs.delta
            if grid == "uniform":
                count = math.ceil(1 / step)
                self.price[k] = [cap * (z + 1) / count for z in range(count)]
            else:
                self.price[k] = [cap * step]
                while self.price[k][-1] * (1 + step) <= cap * (1 + 1e-12):
                    self.price[k].append(self.price[k][-1] * (1 + step))
            theta = knobs.theta_scale * (volume * logs) ** (2 / 3)
            share = math.inf if knobs.explore_cap is None else knobs.explore_cap * jobs
            self.new[k] = min(theta, share) if explore else 0.0
            self.eta[k] = knobs.eta_scale * logs * (3 if wide else 1)
            self.most[k] = max(self.units(job) for job in market.jobs if self.kind(job, side) == k)
        self.wide = wide
        self.seen = dict.fromkeys(self.count, 0)
        self.ends: dict[int, list[float]] = {k: [] for k in self.count}
        self.answers = {k: [[] for _ in self.price[k]] for k in self.count}

    def kind(self, job: Any, side: str) -> int:
        return int(job.worker_type if side == "worker" else job.ps_type)

    def units(self, job: Any) -> int:
        return int(job.workers if self.side == "worker" else job.ps)

    def explores(self, job: Any) -> bool:
        k = self.kind(job, self.side)
        self.seen[k] += 1
        return self.seen[k] <= self.new[k]

    def upper(self, mean: float, seen: int, eta: float) -> float:
        """(13), (14)."""
        return mean + eta / (1 + seen) + math.sqrt(eta * mean / (1 + seen))

    def supply(self, k: int, form: str, closed: bool) -> float:
        """What can be sold of a type over the horizon, as the paper, TOP or a repair has it."""
        eta = self.eta[k] * (self.horizon if self.wide else 1)
        seen, capacity = len(self.ends[k]), self.capacity[k]
        if not seen:
            return capacity * self.horizon if form == "published" else math.inf
        unused = sum(max(0.0, self.horizon - runtime) for runtime in self.ends[k]) / seen
        if form == "published":
            return capacity * self.upper(unused, seen, eta)
        held = self.horizon - unused + (1 if form == "turnover" and closed else 0)
        least = held - math.sqrt(eta * held / (1 + seen)) - eta / (1 + seen)
        return capacity * self.horizon / max(1.0, least)

    def arm(self, k: int, form: str, closed: bool) -> int:
        """Largest price times the smaller of demand and supply; the dearest where they tie."""
        eta = self.eta[k] * (self.most[k] if self.wide else 1)
        most = self.supply(k, form, closed)
        worth = []
        for price, answers in zip(self.price[k], self.answers[k], strict=True):
            mean = sum(answers) / len(answers) if answers else 0.0
            worth.append(price * min(self.count[k] * self.upper(mean, len(answers), eta), most))
        best = max(worth)
        return max(a for a, value in enumerate(worth) if value >= best * (1 - 1e-12))


def bandits(
    market: Market,
    *,
    explore: bool = True,
    grid: str = "geometric",
    wide: bool = False,
    form: str = "published",
    place: Callable[..., Any] = dps_market.algorithm_2,
) -> list[Handled]:
    """Algorithm 1 and its variants, job by job."""
    sides = [Side(market, side, grid, wide, explore) for side in ("worker", "ps")]
    closed = market.occupancy == "closed"
    free: list[bool] = []
    asked: dict[int, tuple[float, float]] = {}

    def arrives(number: int) -> None:
        free.append(any([side.explores(market.jobs[number]) for side in sides]))

    def over(number: int, runtime: float) -> None:
        for side in sides:
            side.ends[side.kind(market.jobs[number], side.side)].append(runtime)

    def pays(number: int) -> float | None:
        if free[number]:
            return 0.0
        job = market.jobs[number]
        kinds = [side.kind(job, side.side) for side in sides]
        arms = [side.arm(k, form, closed) for side, k in zip(sides, kinds, strict=True)]
        prices = [side.price[k][a] for side, k, a in zip(sides, kinds, arms, strict=True)]
        asked[number] = prices[0], prices[1]
        payment = prices[0] * job.workers + prices[1] * job.ps
        accepts = payment <= job.budget * (1 + 1e-9)
        for side, k, a in zip(sides, kinds, arms, strict=True):
            side.answers[k][a].append(side.units(job) if accepts else 0)
        return payment if accepts else None

    told = dps_market.sell(market, pays, over, arrives, place)
    return _handled(market, told, free, asked)


def _handled(
    market: Market, told: Sequence[tuple[str, Any]], free: Sequence[bool], asked: Any
) -> list[Handled]:
    found: list[Handled] = []
    for number, (what, _) in enumerate(told):
        worker, ps = asked.get(number, (None, None))
        if what != "served":
            found.append((what, 0.0, worker, ps))
        elif free[number]:
            found.append(("explored", 0.0, None, None))
        else:
            job = market.jobs[number]
            found.append(("sold", worker * job.workers + ps * job.ps, worker, ps))
    return found


def at_prices(
    market: Market, prices: Callable[[int], tuple[float, float]], blindly: bool = False
) -> list[Handled]:
    """Prices that do not depend on the past; told to jobs that fit, or blindly to all."""
    asked = {number: prices(number) for number in range(len(market.jobs))}

    def pays(number: int) -> float | None:
        job = market.jobs[number]
        payment = asked[number][0] * job.workers + asked[number][1] * job.ps
        return payment if payment <= job.budget * (1 + 1e-9) else None

    told = dps_market.sell(market, pays)
    quoted = {n: asked[n] for n, (what, _) in enumerate(told) if blindly or what != "full"}
    return _handled(market, told, [False] * len(told), quoted)


def drawn(market: Market, seed: int) -> list[Handled]:
    """Two prices for every arrival, uniformly below the cap."""
    cap = 1.0 if market.price_cap is None else market.price_cap
    rng = np.random.default_rng(seed)
    prices = [cap * rng.random(2) for _ in market.jobs]
    return at_prices(market, lambda n: (float(prices[n][0]), float(prices[n][1])), blindly=True)


Fixed = tuple[dict[int, float], dict[int, float]]


def fixed(market: Market, prices: Fixed) -> list[Handled]:
    """Unit prices by type."""
    worker, ps = prices
    jobs = market.jobs
    return at_prices(market, lambda n: (worker[jobs[n].worker_type], ps[jobs[n].ps_type]))


def profit(handled: Sequence[Handled]) -> float:
    return sum(payment for _, payment, _, _ in handled)


def used_types(market: Market) -> tuple[list[int], list[int]]:
    jobs = market.jobs
    return sorted({job.worker_type for job in jobs}), sorted({job.ps_type for job in jobs})


def best_of_grid(market: Market) -> tuple[float, Fixed]:
    """Most that a combination of the grid's prices earns, and the first that does."""
    kinds, others = used_types(market)
    best, chosen = 0.0, None
    for combination in itertools.product(market.price_grid or (), repeat=len(kinds) + len(others)):
        prices = (
            dict(zip(kinds, combination, strict=False)),
            dict(zip(others, combination[len(kinds) :], strict=True)),
        )
        earned = profit(fixed(market, prices))
        if earned > best or chosen is None:
            best, chosen = earned, prices
    assert chosen is not None
    return best, chosen


def climbed(market: Market, by: Literal["profit", "demand"], rounds: int = 3) -> Fixed:
    """One type's price after the other on 0.1, ..., 1 times the cap, from 0.4 of it."""
    cap = 1.0 if market.price_cap is None else market.price_cap
    kinds, others = used_types(market)
    prices = dict.fromkeys(kinds, 0.4 * cap), dict.fromkeys(others, 0.4 * cap)

    def worth() -> float:
        if by == "profit":
            return profit(fixed(market, prices))
        asked = [prices[0][j.worker_type] * j.workers + prices[1][j.ps_type] * j.ps
                 for j in market.jobs]  # fmt: skip
        return sum(a for a, j in zip(asked, market.jobs, strict=True) if a <= j.budget * (1 + 1e-9))

    best = worth()
    for _ in range(rounds):
        before = best
        for side, kind in [(prices[0], k) for k in kinds] + [(prices[1], k) for k in others]:
            kept = side[kind]
            for step in range(1, 11):
                side[kind] = step / 10 * cap
                if worth() > best:
                    best, kept = worth(), side[kind]
            side[kind] = kept
        if best <= before:
            break
    return prices
