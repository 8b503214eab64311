"""Algorithm 1, compiled.  The readable version is `farkas.online.dps.pricing.Learner`."""

from __future__ import annotations

import numpy as np

from farkas.numbers import Array
from farkas.online.dps.kernel import (
    BLOCK,
    DECLINED,
    EXPLORED,
    FULL,
    PUBLISHED,
    SOLD,
    TIE,
    TURNOVER,
    Jobs,
    Results,
    Servers,
    Side,
    compiled,
    place,
    release,
)


@compiled
def _supply(side: Side, kind: int, horizon: float, form: int, closed: bool) -> float:
    """Optimistic supply of a type; see `farkas.online.dps.pricing.Learner.supply`."""
    capacity, count = float(side.capacity[kind]), float(side.finished[kind])
    if count == 0.0:
        return capacity * horizon if form == PUBLISHED else np.inf
    eta = side.time_range[kind] * side.eta[kind]
    unused = side.unused[kind] / count
    if form == PUBLISHED:
        radius: float = eta / (1.0 + count) + np.sqrt(eta * unused / (1.0 + count))
        return float(capacity * (unused + radius))
    runtime = horizon - unused
    if form == TURNOVER and closed:
        runtime += 1.0
    runtime -= np.sqrt(eta * runtime / (1.0 + count)) + eta / (1.0 + count)
    return float(capacity * horizon / max(1.0, runtime))


@compiled
def _demand(side: Side, kind: int, arm: int) -> float:
    """Optimistic demand at the price of an arm, over all jobs of the type."""
    offers = side.offers[arm]
    mean = side.sold[arm] / offers if offers else 0.0
    count = 1.0 + offers
    eta = side.demand_range[kind] * side.eta[kind]
    return float(side.jobs[kind] * (mean + (eta / count + np.sqrt(eta * mean / count))))


@compiled
def _evaluate(side: Side, kind: int) -> None:
    """Compute the values of all arms of a type, and the largest of each block."""
    supply = side.supply[kind]
    side.used[kind] = supply
    side.peak[kind] = 0.0
    first, last = side.first[kind], side.first[kind + 1]
    for arm in range(first, last):
        side.value[arm] = side.price[arm] * min(side.demand[arm], supply)
        side.peak[kind] = max(side.peak[kind], side.demand[arm])
    for block in range(side.first_block[kind], side.first_block[kind + 1]):
        _crown(side, kind, block)


@compiled
def _crown(side: Side, kind: int, block: int) -> None:
    """Find the largest value of a block."""
    begin = side.first[kind] + (block - side.first_block[kind]) * BLOCK
    best = -1.0
    for arm in range(begin, min(begin + BLOCK, side.first[kind + 1])):
        best = max(best, side.value[arm])
    side.top[block] = best


@compiled
def _answered(side: Side, kind: int, arm: int, units: int) -> None:
    """Learn how many units an offer sold."""
    side.offers[arm] += 1
    side.sold[arm] += units
    side.demand[arm] = _demand(side, kind, arm)
    side.peak[kind] = max(side.peak[kind], side.demand[arm])
    side.value[arm] = side.price[arm] * min(side.demand[arm], side.used[kind])
    _crown(side, kind, side.first_block[kind] + (arm - side.first[kind]) // BLOCK)


@compiled
def _choose(side: Side, kind: int, horizon: float, form: int, closed: bool) -> int:
    """Arm with the largest price x min(demand, supply), the highest price among equals.

    Scanning upward with a running best, as published, ends at the last arm that equals the best:
    arms before the first best one are overtaken, later ones are held against it.  Values wait in
    blocks, since one arm changes at a time; a new supply changes them only where it binds.
    """
    if side.supply[kind] < 0.0:
        side.supply[kind] = _supply(side, kind, horizon, form, closed)
    supply, used = side.supply[kind], side.used[kind]
    if supply != used and min(supply, used) < side.peak[kind]:
        _evaluate(side, kind)
    best = -1.0
    for block in range(side.first_block[kind], side.first_block[kind + 1]):
        best = max(best, side.top[block])
    enough = best - TIE * max(1.0, abs(best))
    block = side.first_block[kind + 1] - 1
    while side.top[block] < enough:
        block -= 1
    begin = side.first[kind] + (block - side.first_block[kind]) * BLOCK
    arm: int = min(begin + BLOCK, side.first[kind + 1]) - 1
    while side.value[arm] < enough:
        arm -= 1
    return arm


@compiled
def run_learning(
    servers: Servers,
    jobs: Jobs,
    limit: Array,
    runtimes: Array,
    workers: Side,
    ps: Side,
    horizon: float,
    form: int,
    closed: bool,
    rule: int,
    orders: Array,
    results: Results,
) -> None:
    """Algorithm 1.

    Parameters are those of `run_posted` and: ``limit``, what each user pays at most;
    ``runtimes``, shape (jobs, 2), spread first, from which the realised one is copied to
    column 0; both sides of the market; the form of supply.
    """
    realised = np.zeros(len(jobs.event))
    placed = 0
    for side in (workers, ps):
        for kind in range(len(side.jobs)):
            for arm in range(side.first[kind], side.first[kind + 1]):
                side.demand[arm] = _demand(side, kind, arm)
            side.supply[kind] = _supply(side, kind, horizon, form, closed)
            _evaluate(side, kind)
    for job in range(len(jobs.event)):
        release(servers, jobs, jobs.event[job], realised, horizon, workers, ps, True)
        kind, other = jobs.worker_type[job], jobs.ps_type[job]
        workers.seen[kind] += 1
        ps.seen[other] += 1
        explores = (
            workers.seen[kind] <= workers.explore[kind] or ps.seen[other] <= ps.explore[other]
        )
        fits = (
            servers.total_workers[kind] >= jobs.workers[job]
            and servers.total_ps[other] >= jobs.ps[job]
        )
        results.outcome[job] = EXPLORED if explores and fits else FULL
        if explores and not fits:
            results.worker_arm[job] = -2
        if not explores and fits:
            one = _choose(workers, kind, horizon, form, closed)
            two = _choose(ps, other, horizon, form, closed)
            results.worker_arm[job], results.ps_arm[job] = one, two
            payment = workers.price[one] * jobs.workers[job] + ps.price[two] * jobs.ps[job]
            sold = payment <= limit[job]
            results.outcome[job] = SOLD if sold else DECLINED
            _answered(workers, kind, one, jobs.workers[job] if sold else 0)
            _answered(ps, other, two, jobs.ps[job] if sold else 0)
        if results.outcome[job] >= SOLD:
            whole = place(servers, jobs, job, rule, orders, placed)
            placed += 1
            results.colocated[job] = whole
            realised[job] = runtimes[job, 1] if whole else runtimes[job, 0]
