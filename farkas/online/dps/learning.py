"""Algorithm 1 and its variants: a bandit for each type of worker and of parameter server.

The worker side and the server side of the market learn alike and apart from each other.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Literal, NamedTuple

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.dps import Learning
from farkas.kernels import Floats1, Ints1, Out, compiled
from farkas.numbers import Floats, Ints
from farkas.online.dps.cluster import (
    DECLINED,
    EXPLORED,
    FULL,
    OVER,
    PS_TYPE,
    SOLD,
    WORKER_TYPE,
    Cluster,
    Jobs,
    PlacementRule,
    Results,
    ServerChoice,
    fits,
    place,
    release,
    steps,
)
from farkas.online.dps.environment import Knowledge
from farkas.online.dps.seller import KernelSeller, SellerState
from farkas.online.driver import algorithm
from farkas.tolerances import TIE

Supply = Literal["published", "turnover", "top"]
Radii = Literal["unit", "range"]
Grid = Literal["geometric", "uniform"]

MOST_ARMS = 1_000_000  #: Prices per type; a finer grid is refused before it fills the memory.
BLOCK = 32  #: Arms of a block.
STEPS_AN_OFFER = 100  #: What two prices cost, in looks at a server.


class Side(NamedTuple):
    """One side of the market: constants by type, then what is learned.  DPS (9)-(14)."""

    jobs: Ints1  #: jobs that will ask for the type; n
    capacity: Ints1  #: units installed; C
    explore: Floats1  #: arrivals to explore, not rounded; θ n
    eta: Floats1  #: confidence constant; η
    demand_range: Floats1  #: what demands are scaled by in the radii; 1 as printed
    time_range: Floats1  #: the same of unused time
    first: Ints1  #: first arm of each type, and behind them the number of all arms
    price: Floats1  #: price of every arm, ascending within a type
    seen: Ints1
    finished: Ints1
    unused: Floats1
    offers: Ints1
    sold: Floats1
    demand: Floats1  #: optimistic demand of every arm
    block: Ints1  #: block of every arm; a block has arms of one type
    start: Ints1  #: first arm of every block, and behind them the number of all arms
    peak: Floats1  #: largest demand of every block
    top: Floats1  #: largest price x demand of every block


class Sides(NamedTuple):
    """Both sides of the market."""

    workers: Side
    ps: Side


def grid_steps(knobs: Learning, volume: Floats, logs: Floats) -> Floats:
    """Grid step of each type; δ = (T C)^(-1/3) (ln n)^(2/3), at most ``delta_max``."""
    if knobs.delta is not None:
        return np.full(len(logs), knobs.delta)
    steps: Floats = knobs.delta_scale * np.power(volume, -1.0 / 3.0) * np.power(logs, 2.0 / 3.0)
    return np.minimum(knobs.delta_max, steps)


def explored(knobs: Learning, volume: Floats, logs: Floats, jobs: Ints) -> Floats:
    """Arrivals to explore for each type; θ n = (T C ln n)^(2/3), at most ``explore_cap`` n."""
    wanted: Floats = knobs.theta_scale * np.power(volume * logs, 2.0 / 3.0)
    return wanted if knobs.explore_cap is None else np.minimum(wanted, knobs.explore_cap * jobs)


def geometric_grid(step: float) -> Floats:
    """Prices δ (1 + δ)^z up to 1, z = 0, 1, ...; ``step``: δ in (0, 1]."""
    most = int(math.log(1.0 / step) / math.log1p(step)) + 2
    _check_size(most, step)
    prices: Floats = step * np.power(1.0 + step, np.arange(most))
    return prices[prices <= 1.0 + TIE]


def uniform_grid(step: float) -> Floats:
    """Prices z / G, z = 1, ..., G = ⌈1 / δ⌉."""
    count = max(1, math.ceil(1.0 / step))
    _check_size(count, step)
    return np.arange(1, count + 1) / count


def _check_size(count: int, step: float) -> None:
    if count > MOST_ARMS:
        raise InvalidOption(
            f"grid step {step:g} makes {count} prices, at most {MOST_ARMS} are kept; "
            "give a larger delta or delta_scale"
        )


PUBLISHED, TURNOVER, TOP = 0, 1, 2
SUPPLY = {"published": PUBLISHED, "turnover": TURNOVER, "top": TOP}


class SupplyEstimate(NamedTuple):
    """How supply is estimated; see `Bandits`."""

    horizon: float
    form: int  #: PUBLISHED, TURNOVER or TOP
    closed: bool  #: jobs hold their last slot to its end


@compiled
def supply(side: Side, kind: int, by: SupplyEstimate) -> float:
    """Units of a type that can still be sold over the horizon, optimistically.  DPS (6), (14)."""
    capacity, count = float(side.capacity[kind]), float(side.finished[kind])
    if count == 0.0:
        return capacity * by.horizon if by.form == PUBLISHED else np.inf
    eta = side.time_range[kind] * side.eta[kind]
    unused = side.unused[kind] / count
    if by.form == PUBLISHED:
        radius: float = eta / (1.0 + count) + np.sqrt(eta * unused / (1.0 + count))
        return float(capacity * (unused + radius))
    runtime = by.horizon - unused
    if by.form == TURNOVER and by.closed:
        runtime += 1.0
    runtime -= np.sqrt(eta * runtime / (1.0 + count)) + eta / (1.0 + count)
    return float(capacity * by.horizon / max(1.0, runtime))


@compiled
def demand(side: Side, kind: int, arm: int) -> float:
    """Optimistic demand at the price of an arm, over all jobs of the type.  DPS (7)-(10), (13)."""
    offers = side.offers[arm]
    mean = side.sold[arm] / offers if offers else 0.0
    count = 1.0 + offers
    eta = side.demand_range[kind] * side.eta[kind]
    return float(side.jobs[kind] * (mean + (eta / count + np.sqrt(eta * mean / count))))


@compiled
def answered(side: Out[Side], kind: int, arm: int, units: int) -> None:
    """Learn how many units an offer sold, 0 if it was declined.

    Printed under "accept" only; (9) and (10) need both answers.
    """
    side.offers[arm] += 1
    side.sold[arm] += units
    side.demand[arm] = demand(side, kind, arm)
    block = side.block[arm]
    side.peak[block], side.top[block] = 0.0, 0.0
    for other in range(side.start[block], side.start[block + 1]):
        side.peak[block] = max(side.peak[block], side.demand[other])
        side.top[block] = max(side.top[block], side.price[other] * side.demand[other])


@compiled
def best_of(side: Side, block: int, most: float) -> float:
    """Largest price x min(demand, supply) of a block."""
    if side.peak[block] <= most:
        return float(side.top[block])
    best = 0.0
    for arm in range(side.start[block], side.start[block + 1]):
        best = max(best, side.price[arm] * min(side.demand[arm], most))
    return best


@compiled
def best_arm(side: Side, kind: int, by: SupplyEstimate) -> int:
    """Arm with the largest price x min(demand, supply), the highest price among equals.

    Scanning upward with a running best, as published, ends at the last arm that equals the best:
    arms before the first best one are overtaken, later ones are held against it.
    """
    most, best, chosen = supply(side, kind, by), 0.0, side.first[kind + 1] - 1
    block = side.block[chosen]
    for other in range(side.block[side.first[kind]], block + 1):
        best = max(best, best_of(side, other, most))
    while best_of(side, block, most) < best - TIE * best:
        block -= 1
        chosen = side.start[block + 1] - 1
    while side.price[chosen] * min(side.demand[chosen], most) < best - TIE * best:
        chosen -= 1
    return int(chosen)


@compiled
def finish(side: Out[Side], kind: int, runtime: float, by: SupplyEstimate) -> None:
    """Learn the runtime of a job that is over."""
    side.finished[kind] += 1
    side.unused[kind] += max(0.0, by.horizon - runtime)


def _steps(cluster: Cluster, jobs: Jobs, *rest: object) -> int:
    return STEPS_AN_OFFER * len(jobs.slot) + steps(cluster, jobs)


@compiled(steps=_steps)
def sell_learning(
    cluster: Out[Cluster],
    jobs: Jobs,
    sides: Out[Sides],
    by: SupplyEstimate,
    filling: ServerChoice,
    results: Out[Results],
) -> None:
    """Algorithm 1."""
    workers, ps = sides.workers, sides.ps
    for job in range(len(jobs.slot)):
        release(cluster, jobs.slot[job])
        for entry in range(cluster.counts[OVER]):
            row = cluster.ended[entry]
            finish(workers, cluster.running[row, WORKER_TYPE], cluster.runtime[row], by)
            finish(ps, cluster.running[row, PS_TYPE], cluster.runtime[row], by)
        kind, other = jobs.worker_type[job], jobs.ps_type[job]
        workers.seen[kind] += 1
        ps.seen[other] += 1
        results.exploring[job] = (
            workers.seen[kind] <= workers.explore[kind] or ps.seen[other] <= ps.explore[other]
        )
        if not fits(cluster, jobs, job):
            results.outcome[job] = FULL
        elif results.exploring[job]:
            results.outcome[job] = EXPLORED
        else:
            one, two = best_arm(workers, kind, by), best_arm(ps, other, by)
            results.worker_price[job], results.ps_price[job] = workers.price[one], ps.price[two]
            payment = workers.price[one] * jobs.workers[job] + ps.price[two] * jobs.ps[job]
            sold = payment <= jobs.limit[job]
            results.outcome[job] = SOLD if sold else DECLINED
            results.payment[job] = payment if sold else 0.0
            answered(workers, kind, one, jobs.workers[job] if sold else 0)
            answered(ps, other, two, jobs.ps[job] if sold else 0)
        if results.outcome[job] >= SOLD:
            place(cluster, jobs, job, filling)


@dataclasses.dataclass(slots=True, eq=False)
class LearningState(SellerState):
    """What both sides have learned."""

    sides: Sides


class Bandits(KernelSeller):
    """Two-sided upper confidence bounds; subclasses fix the variant."""

    explore: bool = True  #: Whether to explore at all.
    #: ``geometric``: δ (1 + δ)^z; ``uniform``: z / G with G = ⌈1 / δ⌉; times the price cap.
    grid: Grid = "geometric"
    #: ``unit``: as printed, for variables in [0, 1]; ``range``: for demands up to their largest
    #: and times up to the horizon, with η = 3 ln n.
    radii: Radii = "unit"
    #: Supply that caps demand: ``published``: C μ with μ the unused time T - τ; ``top``: C T / τ;
    #: ``turnover``: C T over the slots that a job occupies.
    capacity: Supply = "published"

    def start(self, known: Knowledge, seed: int) -> LearningState:
        """Start without observations."""
        return LearningState.begin(known, seed, self.sides(known))

    def sides(self, known: Knowledge) -> Sides:
        """Return workers and parameter servers before the first job."""
        workers = known.worker_jobs, known.installed_workers, known.most_workers
        ps = known.ps_jobs, known.installed_ps, known.most_ps
        return Sides(self._side(known, *workers), self._side(known, *ps))

    def _side(self, known: Knowledge, jobs: Ints, installed: Ints, most: Ints) -> Side:
        knobs, capacity, types = known.learning, installed.sum(axis=0, dtype=np.int64), len(jobs)
        logs = np.log(np.maximum(jobs, 2))
        volume = known.horizon * np.maximum(capacity, 1).astype(float)
        prices = geometric_grid if self.grid == "geometric" else uniform_grid
        arms = [
            prices(step) * known.price_cap if count else np.zeros(0)
            for step, count in zip(grid_steps(knobs, volume, logs), jobs, strict=True)
        ]
        price, sizes = np.concatenate([*arms, np.zeros(0)]), np.array([len(a) for a in arms])
        wide, ones, count = self.radii == "range", np.ones(types), len(price)
        eta = knobs.eta_scale * (3.0 if wide else 1.0) * logs
        demand_range = np.maximum(most, 1).astype(float) if wide else ones
        explore = explored(knobs, volume, logs, jobs).astype(float)
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        demand = np.repeat(jobs * (demand_range * eta), sizes)
        begins = (np.arange(count) - np.repeat(first[:-1], sizes)) % BLOCK == 0
        start = np.append(np.flatnonzero(begins), count)
        return Side(
            jobs=jobs.astype(np.int64),
            capacity=capacity,
            explore=explore if self.explore else np.zeros(types),
            eta=eta,
            demand_range=demand_range,
            time_range=ones * known.horizon if wide else ones,
            first=first,
            price=price,
            seen=np.zeros(types, np.int64),
            finished=np.zeros(types, np.int64),
            unused=np.zeros(types),
            offers=np.zeros(count, np.int64),
            sold=np.zeros(count),
            demand=demand,
            block=np.cumsum(begins) - 1,
            start=start,
            peak=np.maximum.reduceat(demand, start[:-1]),
            top=np.maximum.reduceat(price * demand, start[:-1]),
        )

    def run(self, state: LearningState, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Run Algorithm 1."""
        known = state.known
        known.require_foretold(jobs)
        closed = known.occupancy == "closed"
        by = SupplyEstimate(float(known.horizon), SUPPLY[self.capacity], closed)
        sell_learning(state.cluster, jobs, state.sides, by, fill, results)


@algorithm("dps.dps", source="DPS Algorithm 1 with Algorithm 2")
@dataclasses.dataclass(frozen=True)
class Dps(Bandits):
    """Prices each type by upper confidence bounds after serving the first jobs free of charge.

    With the published constants the free phase is longer than the whole published trace, so that
    the profit is 0; the instance's ``dps`` settings change that.

    Options: ``placement`` of accepted jobs, ``capacity`` form of the supply that caps demand,
    ``radii`` for demands in [0, 1] as printed or for their true range.
    """

    placement: PlacementRule = "pa"
    capacity: Literal["published", "turnover"] = "published"
    radii: Radii = "unit"


@algorithm("dps.simple", source="DPS section V, without exploration")
@dataclasses.dataclass(frozen=True)
class Simple(Bandits):
    """DPS that charges from the first job on."""

    placement: PlacementRule = "pa"
    explore = False


@algorithm("dps.top", source="reconstructed from its use in DPS section V")
@dataclasses.dataclass(frozen=True)
class Top(Bandits):
    """The rival called TOP, reconstructed: a uniform grid, turnover as supply, no exploration.

    The cited text was not available; read every comparison with it as one with this reconstruction.
    """

    placement: PlacementRule = "pa"
    explore = False
    grid = "uniform"
    capacity = "top"


@algorithm("dps.dps_scaled", source="repair of DPS (13), (14)")
@dataclasses.dataclass(frozen=True)
class ScaledBandits(Bandits):
    """DPS with confidence radii for demands up to their largest and times up to the horizon.

    As printed the radii hold for variables in [0, 1].  Supply is turnover, the correct form.
    """

    placement: PlacementRule = "pa"
    radii = "range"
    capacity = "turnover"


@algorithm("dps.dps_random_placement", source="DPS section V, DPS-RS")
@dataclasses.dataclass(frozen=True)
class RandomPlacement(Bandits):
    """DPS whose accepted jobs fill servers in random order."""

    placement = "random"
