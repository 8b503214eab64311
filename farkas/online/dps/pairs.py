"""A repair of Algorithm 1: one bandit for each pair of types, so that its rewards are its own."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal, NamedTuple

import numpy as np

from farkas.errors import InvalidOption
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, Out, compiled
from farkas.numbers import Floats
from farkas.online.dps.cluster import (
    DECLINED,
    FULL,
    OVER,
    PS_TYPE,
    SOLD,
    WORKER_TYPE,
    Cluster,
    Filling,
    Jobs,
    Placing,
    Results,
    fits,
    place,
    release,
    steps,
)
from farkas.online.dps.environment import Known, Sales
from farkas.online.dps.learning import geometric_grid, grid_steps
from farkas.online.dps.seller import KernelSeller, SellerState
from farkas.online.driver import algorithm
from farkas.tolerances import TIE

Arms = Literal["markup", "joint"]
JOINT_PRICES = 8  #: Prices a side of the joint grid.
MOST_PAIR_ARMS = 10_000_000  #: Prices of all pairs; more are refused before they fill the memory.


class PairArms(NamedTuple):
    """Arms of all pairs of types that somebody may ask for: constants, then what is learned."""

    pair: Ints2  #: (worker types, server types): number of the pair, -1 where nobody may ask
    first: Ints1  #: first arm of each pair, and the number of all arms
    worker_price: Floats1  #: (arms,)
    ps_price: Floats1
    eta: Floats1  #: (pairs,) confidence constant
    cap: float  #: largest unit price
    offers: Floats1  #: (arms,)
    sales: Floats1
    paid: Floats1  #: payments as shares of the largest payment
    high: Floats1  #: upper confidence bound of the mean reward of every arm, in [0, 1]
    low: Floats1  #: lower confidence bound of the share of offers that sell


@compiled
def _bounds(arms: Out[PairArms], pair: int, arm: int) -> None:
    """Compute the confidence bounds of an arm."""
    eta, offers = arms.eta[pair], arms.offers[arm]
    count, tried = 1.0 + offers, max(offers, 1.0)
    mean, share = arms.paid[arm] / tried, arms.sales[arm] / tried
    arms.high[arm] = mean + eta / count + np.sqrt(eta * mean / count)
    arms.low[arm] = max(0.0, share - eta / count - np.sqrt(eta * share / count))


@compiled
def dearest(value: Floats1, begin: int, end: int) -> int:
    """Last of the arms with the highest value."""
    best = value[begin]
    for arm in range(begin, end):
        best = max(best, value[arm])
    enough = best * (1.0 - TIE)
    arm = end - 1
    while value[arm] < enough:
        arm -= 1
    return arm


@compiled
def offer(
    arms: Out[PairArms], jobs: Jobs, job: int, pair: int, arm: int, results: Out[Results]
) -> bool:
    """Offer a job the prices of an arm, and learn the answer."""
    workers, ps = jobs.workers[job], jobs.ps[job]
    payment = arms.worker_price[arm] * workers + arms.ps_price[arm] * ps
    sold: bool = payment <= jobs.limit[job]
    results.worker_price[job], results.ps_price[job] = arms.worker_price[arm], arms.ps_price[arm]
    results.outcome[job] = SOLD if sold else DECLINED
    results.payment[job] = payment if sold else 0.0
    arms.offers[arm] += 1.0
    if sold:
        arms.sales[arm] += 1.0
        arms.paid[arm] += payment / (arms.cap * (workers + ps))
    _bounds(arms, pair, arm)
    return sold


def pair_steps(cluster: Cluster, jobs: Jobs, arms: PairArms, *rest: object) -> int:
    """Count the steps of a simulation that looks at all arms of a pair for every job."""
    each = len(arms.high) // max(1, len(arms.eta))
    return len(jobs.slot) * each + steps(cluster, jobs)


@compiled(steps=pair_steps)
def sell_to_pairs(
    cluster: Out[Cluster],
    jobs: Jobs,
    arms: Out[PairArms],
    filling: Filling,
    results: Out[Results],
) -> None:
    """Quote the arm with the highest upper confidence bound, the dearest among equals."""
    for job in range(len(jobs.slot)):
        release(cluster, jobs.slot[job])
        results.outcome[job] = FULL
        if fits(cluster, jobs, job):
            mine = arms.pair[jobs.worker_type[job], jobs.ps_type[job]]
            arm = dearest(arms.high, arms.first[mine], arms.first[mine + 1])
            if offer(arms, jobs, job, mine, arm, results):
                place(cluster, jobs, job, filling)


@dataclasses.dataclass(slots=True, eq=False)
class PairState(SellerState):
    """Arms of every pair of types."""

    arms: PairArms


class PairSeller(KernelSeller):
    """Base of sellers with arms for every pair of types."""

    def start(self, known: Known, seed: int) -> PairState:
        """Start without observations."""
        return PairState.begin(known, seed, self.arms_of(known))

    def arms_of(self, known: Known) -> PairArms:
        """Return the arms of the pairs of all types that are foretold; nothing is learned.

        Raises `InvalidOption` where they are too many.
        """
        asked = known.worker_jobs[:, None] * known.ps_jobs > 0
        pair, pairs = np.full(asked.shape, -1), np.argwhere(asked).tolist()
        pair[asked] = np.arange(len(pairs))
        grids = {kind: self.prices(known, kind) for kind in {kind for kind, _ in pairs}}
        sizes = np.array([len(grids[kind]) for kind, _ in pairs], np.int64)
        count = int(sizes.sum())
        if count > MOST_PAIR_ARMS:
            raise InvalidOption(
                f"pairs of types have {count} prices, at most {MOST_PAIR_ARMS} are kept"
            )
        worker, ps = np.concatenate([np.zeros((0, 2)), *(grids[kind] for kind, _ in pairs)]).T
        eta = np.array([self.eta(known, *types) for types in pairs], dtype=float)
        offers, sales, paid, low = np.zeros((4, count))
        return PairArms(
            pair, np.concatenate([[0], np.cumsum(sizes)]), worker.copy(), ps.copy(), eta,
            known.price_cap, offers, sales, paid, np.repeat(eta, sizes), low,
        )  # fmt: skip

    def prices(self, known: Known, kind: int) -> Floats:
        """Return the unit prices of the arms of a worker type, shape (arms, 2)."""
        return joint_grid() * known.price_cap

    def eta(self, known: Known, kind: int, other: int) -> float:
        """Return the confidence constant of a pair."""
        raise NotImplementedError

    def sell(self, state: Any, jobs: Jobs) -> Sales:
        """Handle jobs whose types are foretold."""
        state.known.require_foretold(jobs)
        return super().sell(state, jobs)


def joint_grid() -> Floats:
    """Every combination of a few prices of both sides, shape (arms, 2), up to 1."""
    steps = np.arange(1, JOINT_PRICES + 1) / JOINT_PRICES
    return np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)


@algorithm("dps.dps_pairs", source="repair of DPS Algorithm 1")
@dataclasses.dataclass(frozen=True)
class PairPrices(PairSeller):
    """Prices each pair of types by the mean payment itself, free of charge never.

    Whether a unit sells depends on the price of the partner type, so the two-sided bandits of the
    paper chase each other (double marginalisation).  Here an arm is a price for the whole job.

    Options: ``arms`` "markup" quotes one unit price for both sides, on the published grid; "joint"
    quotes every combination of a coarse grid.
    """

    placement: Placing = "pa"
    arms: Arms = "markup"

    def run(self, state: PairState, jobs: Jobs, fill: Filling, results: Results) -> None:
        """Quote the arm of the pair with the highest upper confidence bound."""
        sell_to_pairs(state.cluster, jobs, state.arms, fill, results)

    def eta(self, known: Known, kind: int, other: int) -> float:
        """Return the constant of the jobs that can ask for both types."""
        jobs = int(min(known.worker_jobs[kind], known.ps_jobs[other]))
        return known.learning.eta_scale * math.log(max(2, jobs))

    def prices(self, known: Known, kind: int) -> Floats:
        """Return the published grid for both sides alike, or the joint grid."""
        if self.arms == "joint":
            return super().prices(known, kind)
        capacity = known.installed_workers[:, kind].sum()
        volume = np.array([known.horizon * max(int(capacity), 1)], dtype=float)
        logs = np.log(np.maximum(known.worker_jobs[[kind]], 2))
        step = float(grid_steps(known.learning, volume, logs)[0])
        one = geometric_grid(step)
        return np.column_stack([one, one]) * known.price_cap


class UnitSlots(NamedTuple):
    """Resources and how long jobs hold them: constants, then what is learned."""

    worker_budget: Floats1  #: (types,) unit-slots
    ps_budget: Floats1
    rounds: float
    growth: float
    closed: float  #: slots beyond its runtime that a job holds its units
    slots: Floats2  #: (worker types, server types) slots held by the jobs over
    over: Floats2  #: their number
    log_weight: Floats1  #: worker types, server types, time
    weight: Floats1  #: scratch


@compiled
def _weigh(sack: Out[UnitSlots]) -> float:
    """Compute the weights relative to the largest, and return their sum."""
    top, total = sack.log_weight[0], 0.0
    for entry in range(len(sack.log_weight)):
        top = max(top, sack.log_weight[entry])
    for entry in range(len(sack.log_weight)):
        sack.weight[entry] = math.exp(sack.log_weight[entry] - top)
        total += sack.weight[entry]
    return total


@compiled(steps=pair_steps)
def sell_by_ratio(
    cluster: Out[Cluster],
    jobs: Jobs,
    arms: Out[PairArms],
    sack: Out[UnitSlots],
    filling: Filling,
    results: Out[Results],
) -> None:
    """Offer the arm with the best ratio of payment to weighted resources."""
    kinds, last = len(sack.worker_budget), len(sack.log_weight) - 1
    value = np.zeros(len(arms.high))
    for job in range(len(jobs.slot)):
        release(cluster, jobs.slot[job])
        for entry in range(cluster.counts[OVER]):
            row = cluster.ended[entry]
            past, partner = cluster.running[row, WORKER_TYPE], cluster.running[row, PS_TYPE]
            sack.slots[past, partner] += cluster.runtime[row] + sack.closed
            sack.over[past, partner] += 1.0
        results.outcome[job] = FULL
        if not fits(cluster, jobs, job):
            continue
        kind, other = jobs.worker_type[job], jobs.ps_type[job]
        mine = arms.pair[kind, other]
        mean = sack.slots[kind, other] / max(sack.over[kind, other], 1.0)
        of_workers = jobs.workers[job] * mean / sack.worker_budget[kind]
        of_ps = jobs.ps[job] * mean / sack.ps_budget[other]
        of_time = 1.0 / sack.rounds
        total = _weigh(sack)
        one, two = sack.weight[kind] / total, sack.weight[kinds + other] / total
        three = sack.weight[last] / total
        for arm in range(arms.first[mine], arms.first[mine + 1]):
            low = arms.low[arm]
            cost = low * of_workers * one + low * of_ps * two + of_time * three
            value[arm] = arms.high[arm] / cost if cost > 0.0 else np.inf
        arm = dearest(value, arms.first[mine], arms.first[mine + 1])
        by = sack.growth * sack.rounds
        sack.log_weight[kind] += by * (arms.low[arm] * of_workers)
        sack.log_weight[kinds + other] += by * (arms.low[arm] * of_ps)
        sack.log_weight[last] += by * of_time
        if offer(arms, jobs, job, mine, arm, results):
            place(cluster, jobs, job, filling)


@dataclasses.dataclass(slots=True, eq=False)
class KnapsackState(PairState):
    """Also resources and their weights."""

    sack: UnitSlots


@algorithm("dps.bwk", source="Badanidiyuru, Kleinberg, Slivkins (FOCS 2013), PrimalDualBwK")
@dataclasses.dataclass(frozen=True)
class Knapsacks(PairSeller):
    """Offers the arm with the most optimistic payment per weighted share of resources.

    Every type is a resource with a budget of C T unit-slots, and every job uses up one round; a
    sale uses demand times the slots a job holds.  Weights of resources grow with their expected
    use.  Resources here renew, which knapsacks do not, so that the guarantee of the source does
    not carry over; runs are measured against the same proved bound as all others.
    """

    placement: Placing = "pa"

    def start(self, known: Known, seed: int) -> KnapsackState:
        """Start with equal weights."""
        kinds, others = len(known.worker_jobs), len(known.ps_jobs)
        rounds, resources = _rounds(known), kinds + others + 1
        sack = UnitSlots(
            worker_budget=known.installed_workers.sum(axis=0).astype(float) * known.horizon,
            ps_budget=known.installed_ps.sum(axis=0).astype(float) * known.horizon,
            rounds=float(rounds),
            growth=math.log1p(math.sqrt(math.log(resources) / rounds)),
            closed=1.0 if known.occupancy == "closed" else 0.0,
            slots=np.zeros((kinds, others)),
            over=np.zeros((kinds, others)),
            log_weight=np.zeros(resources),
            weight=np.zeros(resources),
        )
        return KnapsackState.begin(known, seed, self.arms_of(known), sack)

    def eta(self, known: Known, kind: int, other: int) -> float:
        """Return the same constant for all pairs."""
        return known.learning.eta_scale * math.log(max(2, _rounds(known)))

    def run(self, state: Any, jobs: Jobs, fill: Filling, results: Results) -> None:
        """Quote the arm with the best ratio, the dearest among equals."""
        sell_by_ratio(state.cluster, jobs, state.arms, state.sack, fill, results)


def _rounds(known: Known) -> int:
    return max(1, int(known.worker_jobs.sum()))
