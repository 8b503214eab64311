"""Algorithm 1 as a kernel.  The readable version is `farkas.online.dps.pricing.Learner`."""

from typing import NamedTuple

import numpy as np

from farkas.kernels import Floats1, Ints1, Out, compiled
from farkas.online.dps.kernel import (
    DECLINED,
    EXPLORED,
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

PUBLISHED, TURNOVER, TOP = 0, 1, 2
BLOCK = 32  #: Arms of a block.
TURNED_AWAY = -2  #: Arm of a job that came during exploration and did not fit.


class Side(NamedTuple):
    """One side of the learning market: constants, then what is learned."""

    jobs: Ints1
    capacity: Ints1
    explore: Floats1
    eta: Floats1
    demand_range: Floats1
    time_range: Floats1
    first: Ints1
    price: Floats1
    seen: Ints1
    finished: Ints1
    unused: Floats1
    offers: Ints1
    sold: Floats1
    demand: Floats1  #: optimistic demand of every arm
    supply: Floats1  #: optimistic supply of every type, negative when it has to be found anew
    value: Floats1  #: price x min(demand, supply) of every arm
    top: Floats1  #: largest value of every block of arms
    first_block: Ints1  #: first block of each type, and the number of all blocks
    peak: Floats1  #: at least the largest demand of each type
    used: Floats1  #: supply that the values of each type were computed with


class Sides(NamedTuple):
    """Both sides of the market."""

    workers: Side
    ps: Side


class Users(NamedTuple):
    """What is known about jobs beside `Jobs`, shape (jobs,)."""

    limit: Floats1  #: what each user pays at most
    colocated_runtime: Floats1
    spread_runtime: Floats1


class Supplying(NamedTuple):
    """How supply is estimated; see `farkas.online.dps.pricing.Learner.supply`."""

    horizon: float
    form: int  #: PUBLISHED, TURNOVER or TOP
    closed: bool  #: jobs hold their last slot to its end


@compiled
def _supply(side: Side, kind: int, by: Supplying) -> float:
    """Optimistic supply of a type."""
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
def _demand(side: Side, kind: int, arm: int) -> float:
    """Optimistic demand at the price of an arm, over all jobs of the type."""
    offers = side.offers[arm]
    mean = side.sold[arm] / offers if offers else 0.0
    count = 1.0 + offers
    eta = side.demand_range[kind] * side.eta[kind]
    return float(side.jobs[kind] * (mean + (eta / count + np.sqrt(eta * mean / count))))


@compiled
def _evaluate(side: Out[Side], kind: int) -> None:
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
def _crown(side: Out[Side], kind: int, block: int) -> None:
    """Find the largest value of a block."""
    begin = side.first[kind] + (block - side.first_block[kind]) * BLOCK
    best = 0.0
    for arm in range(begin, min(begin + BLOCK, side.first[kind + 1])):
        best = max(best, side.value[arm])
    side.top[block] = best


@compiled
def _answered(side: Out[Side], kind: int, arm: int, units: int) -> None:
    """Learn how many units an offer sold."""
    side.offers[arm] += 1
    side.sold[arm] += units
    side.demand[arm] = _demand(side, kind, arm)
    side.peak[kind] = max(side.peak[kind], side.demand[arm])
    side.value[arm] = side.price[arm] * min(side.demand[arm], side.used[kind])
    _crown(side, kind, side.first_block[kind] + (arm - side.first[kind]) // BLOCK)


@compiled
def _choose(side: Out[Side], kind: int, by: Supplying) -> int:
    """Arm with the largest price x min(demand, supply), the highest price among equals.

    Scanning upward with a running best, as published, ends at the last arm that equals the best:
    arms before the first best one are overtaken, later ones are held against it.  Values wait in
    blocks, since one arm changes at a time; a new supply changes them only where it binds.
    """
    if side.supply[kind] < 0.0:
        side.supply[kind] = _supply(side, kind, by)
    supply, used = side.supply[kind], side.used[kind]
    if supply != used and min(supply, used) < side.peak[kind]:
        _evaluate(side, kind)
    best = 0.0
    for block in range(side.first_block[kind], side.first_block[kind + 1]):
        best = max(best, side.top[block])
    enough = best - TIE * best
    block = side.first_block[kind + 1] - 1
    while side.top[block] < enough:
        block -= 1
    begin = side.first[kind] + (block - side.first_block[kind]) * BLOCK
    arm: int = min(begin + BLOCK, side.first[kind + 1]) - 1
    while side.value[arm] < enough:
        arm -= 1
    return arm


@compiled
def _begin(side: Out[Side], by: Supplying) -> None:
    """Evaluate every arm before anything is known."""
    for kind in range(len(side.jobs)):
        for arm in range(side.first[kind], side.first[kind + 1]):
            side.demand[arm] = _demand(side, kind, arm)
        side.supply[kind] = _supply(side, kind, by)
        _evaluate(side, kind)


@compiled
def _finish(
    servers: Servers,
    jobs: Jobs,
    users: Users,
    slot_event: int,
    results: Results,
    workers: Out[Side],
    ps: Out[Side],
    by: Supplying,
) -> None:
    """Learn the runtime of every job that `release` is about to take away."""
    for event in range(servers.free[1], slot_event + 1):
        job = servers.head[event]
        while job >= 0:
            kind, other = jobs.worker_type[job], jobs.ps_type[job]
            whole = results.colocated[job]
            runtime = users.colocated_runtime[job] if whole else users.spread_runtime[job]
            unused = max(0.0, by.horizon - runtime)
            workers.finished[kind] += 1
            workers.unused[kind] += unused
            ps.finished[other] += 1
            ps.unused[other] += unused
            workers.supply[kind] = -1.0
            ps.supply[other] = -1.0
            job = servers.after[job]


def _steps(servers: Servers, jobs: Jobs, users: Users, sides: Sides, *rest: object) -> int:
    count, arms = len(jobs.event), len(sides.workers.price) + len(sides.ps.price)
    return arms + 4 * BLOCK * count + steps(count, len(servers.chosen))


@compiled(steps=_steps)
def run_learning(
    servers: Out[Servers],
    jobs: Jobs,
    users: Users,
    sides: Out[Sides],
    by: Supplying,
    filling: Filling,
    results: Out[Results],
) -> None:
    """Algorithm 1."""
    workers, ps = sides.workers, sides.ps
    _begin(workers, by)
    _begin(ps, by)
    placed = 0
    for job in range(len(jobs.event)):
        _finish(servers, jobs, users, jobs.event[job], results, workers, ps, by)
        release(servers, jobs, jobs.event[job])
        kind, other = jobs.worker_type[job], jobs.ps_type[job]
        workers.seen[kind] += 1
        ps.seen[other] += 1
        explores = (
            workers.seen[kind] <= workers.explore[kind] or ps.seen[other] <= ps.explore[other]
        )
        if (
            servers.total_workers[kind] < jobs.workers[job]
            or servers.total_ps[other] < jobs.ps[job]
        ):
            results.outcome[job] = FULL
            if explores:
                results.worker_arm[job] = TURNED_AWAY
        elif explores:
            results.outcome[job] = EXPLORED
        else:
            one, two = _choose(workers, kind, by), _choose(ps, other, by)
            results.worker_arm[job], results.ps_arm[job] = one, two
            payment = workers.price[one] * jobs.workers[job] + ps.price[two] * jobs.ps[job]
            sold = payment <= users.limit[job]
            results.outcome[job] = SOLD if sold else DECLINED
            _answered(workers, kind, one, jobs.workers[job] if sold else 0)
            _answered(ps, other, two, jobs.ps[job] if sold else 0)
        if results.outcome[job] >= SOLD:
            results.colocated[job] = place(servers, jobs, job, filling, placed)
            placed += 1
