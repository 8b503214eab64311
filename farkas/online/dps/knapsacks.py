"""Bandits with knapsacks: prices against multiplicative weights of the resources they use up."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
from farkas.online.dps.cluster import (
    FULL,
    OVER,
    PS_TYPE,
    WORKER_TYPE,
    Cluster,
    Filling,
    Jobs,
    Placing,
    Results,
    fits,
    place,
    release,
)
from farkas.online.dps.environment import Known
from farkas.online.dps.pairs import PairArms, PairSeller, PairState, dearest, offer, pair_steps
from farkas.online.driver import algorithm


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
    pair: Ints1,
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
        kind, other, mine = jobs.worker_type[job], jobs.ps_type[job], pair[job]
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
        return KnapsackState.begin(known, seed, {}, PairArms.empty(known.price_cap), sack)

    def eta(self, known: Known, kind: int, other: int) -> float:
        """Return the same constant for all pairs."""
        return known.learning.eta_scale * math.log(max(2, _rounds(known)))

    def run(self, state: Any, jobs: Jobs, fill: Filling, results: Results) -> None:
        """Quote the arm with the best ratio, the dearest among equals."""
        pair, sack = self.meet(state, jobs), state.sack
        sell_by_ratio(state.cluster, jobs, pair, state.arms, sack, fill, results)


def _rounds(known: Known) -> int:
    return max(1, int(known.worker_jobs.sum()))
