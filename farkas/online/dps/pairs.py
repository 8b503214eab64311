"""A repair of Algorithm 1: one bandit for each pair of types, so that its rewards are its own."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from farkas.errors import InvalidOption
from farkas.kernels import Floats1, Ints1, Ints2, Out, compiled
from farkas.numbers import Floats
from farkas.online.dps.cluster import (
    DECLINED,
    FULL,
    SOLD,
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
from farkas.online.dps.environment import Knowledge, Sales
from farkas.online.dps.learning import geometric_grid, grid_steps
from farkas.online.dps.seller import KernelSeller, SellerState
from farkas.online.driver import algorithm
from farkas.tolerances import TIE

MOST_PAIR_ARMS = 10_000_000  #: Prices of all pairs; more are refused before they fill the memory.


class PairArms(NamedTuple):
    """Arms of all pairs of types that somebody may ask for: constants, then what is learned."""

    pair: Ints2  #: (worker types, server types): number of the pair, -1 where nobody may ask
    first: Ints1  #: first arm of each pair, and the number of all arms
    price: Floats1  #: (arms,) of a unit of either side
    eta: Floats1  #: (pairs,) confidence constant
    cap: float  #: largest unit price
    offers: Floats1  #: (arms,)
    paid: Floats1  #: payments as shares of the largest payment
    high: Floats1  #: upper confidence bound of the mean reward of every arm, in [0, 1]


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
    price = arms.price[arm]
    payment = price * workers + price * ps
    sold: bool = payment <= jobs.limit[job]
    results.worker_price[job] = results.ps_price[job] = price
    results.outcome[job] = SOLD if sold else DECLINED
    results.payment[job] = payment if sold else 0.0
    arms.offers[arm] += 1.0
    if sold:
        arms.paid[arm] += payment / (arms.cap * (workers + ps))
    eta, offers = arms.eta[pair], arms.offers[arm]
    count, mean = 1.0 + offers, arms.paid[arm] / offers
    arms.high[arm] = mean + eta / count + np.sqrt(eta * mean / count)
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
    filling: ServerChoice,
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


@algorithm("dps.dps_pairs", source="repair of DPS Algorithm 1")
@dataclasses.dataclass(frozen=True)
class PairPrices(KernelSeller):
    """Prices each pair of types by the mean payment itself, free of charge never.

    Whether a unit sells depends on the price of the partner type, so the two-sided bandits of the
    paper chase each other (double marginalisation).  Here an arm is one unit price of both sides,
    on the published grid, and so a price for the whole job.
    """

    placement: PlacementRule = "pa"

    def start(self, known: Knowledge, seed: int) -> PairState:
        """Start without observations."""
        return PairState.begin(known, seed, self.arms_of(known))

    def arms_of(self, known: Knowledge) -> PairArms:
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
        price = np.concatenate([np.zeros(0), *(grids[kind] for kind, _ in pairs)])
        eta = np.array([self.eta(known, *types) for types in pairs], dtype=float)
        return PairArms(
            pair, np.concatenate([[0], np.cumsum(sizes)]), price, eta, known.price_cap,
            np.zeros(count), np.zeros(count), np.repeat(eta, sizes),
        )  # fmt: skip

    def prices(self, known: Knowledge, kind: int) -> Floats:
        """Return the unit prices of the arms of a worker type, the published grid."""
        capacity = known.installed_workers[:, kind].sum()
        volume = np.array([known.horizon * max(int(capacity), 1)], dtype=float)
        logs = np.log(np.maximum(known.worker_jobs[[kind]], 2))
        return geometric_grid(float(grid_steps(known.learning, volume, logs)[0])) * known.price_cap

    def eta(self, known: Knowledge, kind: int, other: int) -> float:
        """Return the confidence constant of the jobs that can ask for both types."""
        jobs = int(min(known.worker_jobs[kind], known.ps_jobs[other]))
        return known.learning.eta_scale * math.log(max(2, jobs))

    def sell(self, state: Any, jobs: Jobs) -> Sales:
        """Handle jobs whose types are foretold."""
        state.known.require_foretold(jobs)
        return super().sell(state, jobs)

    def run(self, state: PairState, jobs: Jobs, fill: ServerChoice, results: Results) -> None:
        """Quote the arm of the pair with the highest upper confidence bound."""
        sell_to_pairs(state.cluster, jobs, state.arms, fill, results)
