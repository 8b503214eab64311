"""Bandits of pairs of types, with and without knapsacks, as kernels.

The readable versions are `farkas.online.dps.pairs` and `farkas.online.dps.knapsacks`; both make the
same decisions to the last bit of every price.
"""

import math
from typing import NamedTuple

import numpy as np

from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
from farkas.online.dps.kernel import (
    DECLINED,
    FULL,
    SOLD,
    Filling,
    Jobs,
    Results,
    Servers,
    place,
    release,
    steps,
)
from farkas.tolerances import TIE


class PairArms(NamedTuple):
    """Arms of the pairs of types that jobs ask for: constants, then what is learned."""

    pair: Ints1  #: (jobs,) number of the pair
    first: Ints1  #: first arm of each pair, and the number of all arms
    worker_price: Floats1  #: (arms,)
    ps_price: Floats1
    eta: Floats1  #: (pairs,)
    offers: Floats1  #: (arms,)
    sales: Floats1
    paid: Floats1
    high: Floats1  #: upper confidence bound of the mean reward of every arm
    low: Floats1  #: lower confidence bound of the share of offers that sell


class Asking(NamedTuple):
    """What is known about users and prices beside `Jobs`."""

    limit: Floats1  #: (jobs,) what each user pays at most
    cap: float  #: largest unit price


class UnitSlots(NamedTuple):
    """Resources and how long jobs hold them: constants, then what is learned."""

    worker_budget: Floats1  #: (types,) unit-slots
    ps_budget: Floats1
    rounds: float
    growth: float
    closed: float  #: slots beyond its runtime that a job holds its units
    colocated_runtime: Floats1  #: (jobs,)
    spread_runtime: Floats1
    slots: Floats2  #: (worker types, server types) slots held by the jobs over
    over: Floats2  #: their number
    log_weight: Floats1  #: worker types, server types, time
    weight: Floats1  #: scratch


@compiled
def _bounds(arms: Out[PairArms], pair: int, arm: int) -> None:
    """Compute the confidence bounds of an arm."""
    eta, offers = arms.eta[pair], arms.offers[arm]
    count, tried = 1.0 + offers, max(offers, 1.0)
    mean, share = arms.paid[arm] / tried, arms.sales[arm] / tried
    arms.high[arm] = mean + eta / count + np.sqrt(eta * mean / count)
    arms.low[arm] = max(0.0, share - eta / count - np.sqrt(eta * share / count))


@compiled
def _begin(arms: Out[PairArms]) -> None:
    """Compute the bounds of every arm before anything is known."""
    for pair in range(len(arms.eta)):
        for arm in range(arms.first[pair], arms.first[pair + 1]):
            _bounds(arms, pair, arm)


@compiled
def _dearest(value: Floats1, begin: int, end: int) -> int:
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
def _sell(arms: Out[PairArms], jobs: Jobs, job: int, arm: int, asking: Asking) -> bool:
    """Offer a job the prices of an arm, and learn the answer."""
    workers, ps = jobs.workers[job], jobs.ps[job]
    payment = arms.worker_price[arm] * workers + arms.ps_price[arm] * ps
    sold: bool = payment <= asking.limit[job]
    arms.offers[arm] += 1.0
    if sold:
        arms.sales[arm] += 1.0
        arms.paid[arm] += payment / (asking.cap * (workers + ps))
    _bounds(arms, arms.pair[job], arm)
    return sold


@compiled
def _fits(servers: Servers, jobs: Jobs, job: int) -> bool:
    """Whether all servers together have enough idle units."""
    enough: bool = servers.total_workers[jobs.worker_type[job]] >= jobs.workers[job]
    return enough and servers.total_ps[jobs.ps_type[job]] >= jobs.ps[job]


def _steps(servers: Servers, jobs: Jobs, arms: PairArms, *rest: object) -> int:
    count, pairs = len(jobs.event), max(1, len(arms.eta))
    return count * (len(arms.high) // pairs) + steps(count, len(servers.chosen))


@compiled(steps=_steps)
def run_pairs(
    servers: Out[Servers],
    jobs: Jobs,
    arms: Out[PairArms],
    asking: Asking,
    filling: Filling,
    results: Out[Results],
) -> None:
    """Price every pair of types by a bandit of its own."""
    _begin(arms)
    placed = 0
    for job in range(len(jobs.event)):
        release(servers, jobs, jobs.event[job])
        if not _fits(servers, jobs, job):
            results.outcome[job] = FULL
            continue
        pair = arms.pair[job]
        arm = _dearest(arms.high, arms.first[pair], arms.first[pair + 1])
        results.worker_arm[job], results.ps_arm[job] = arm, arm
        results.outcome[job] = DECLINED
        if _sell(arms, jobs, job, arm, asking):
            results.outcome[job] = SOLD
            results.colocated[job] = place(servers, jobs, job, filling, placed)
            placed += 1


@compiled
def _learn_ends(
    servers: Servers, jobs: Jobs, event: int, results: Results, sack: Out[UnitSlots]
) -> None:
    """Learn how long every job held its units that `release` is about to take away."""
    for before in range(servers.free[1], event + 1):
        job = servers.head[before]
        while job >= 0:
            whole = results.colocated[job]
            runtime = sack.colocated_runtime[job] if whole else sack.spread_runtime[job]
            sack.slots[jobs.worker_type[job], jobs.ps_type[job]] += runtime + sack.closed
            sack.over[jobs.worker_type[job], jobs.ps_type[job]] += 1.0
            job = servers.after[job]


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


@compiled(steps=_steps)
def run_knapsacks(
    servers: Out[Servers],
    jobs: Jobs,
    arms: Out[PairArms],
    asking: Asking,
    sack: Out[UnitSlots],
    value: Out[Floats1],
    filling: Filling,
    results: Out[Results],
) -> None:
    """Offer the arm with the best ratio of payment to weighted resources."""
    _begin(arms)
    placed, kinds, last = 0, len(sack.worker_budget), len(sack.log_weight) - 1
    for job in range(len(jobs.event)):
        _learn_ends(servers, jobs, jobs.event[job], results, sack)
        release(servers, jobs, jobs.event[job])
        if not _fits(servers, jobs, job):
            results.outcome[job] = FULL
            continue
        kind, other, pair = jobs.worker_type[job], jobs.ps_type[job], arms.pair[job]
        mean = sack.slots[kind, other] / max(sack.over[kind, other], 1.0)
        of_workers = jobs.workers[job] * mean / sack.worker_budget[kind]
        of_ps = jobs.ps[job] * mean / sack.ps_budget[other]
        of_time = 1.0 / sack.rounds
        total = _weigh(sack)
        one, two = sack.weight[kind] / total, sack.weight[kinds + other] / total
        three = sack.weight[last] / total
        for arm in range(arms.first[pair], arms.first[pair + 1]):
            low = arms.low[arm]
            cost = low * of_workers * one + low * of_ps * two + of_time * three
            value[arm] = arms.high[arm] / cost if cost > 0.0 else np.inf
        arm = _dearest(value, arms.first[pair], arms.first[pair + 1])
        results.worker_arm[job], results.ps_arm[job] = arm, arm
        by = sack.growth * sack.rounds
        sack.log_weight[kind] += by * (arms.low[arm] * of_workers)
        sack.log_weight[kinds + other] += by * (arms.low[arm] * of_ps)
        sack.log_weight[last] += by * of_time
        results.outcome[job] = DECLINED
        if _sell(arms, jobs, job, arm, asking):
            results.outcome[job] = SOLD
            results.colocated[job] = place(servers, jobs, job, filling, placed)
            placed += 1
