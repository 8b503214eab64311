"""The cheapest workers and server of a job in a slot, and what any of them cost, at given prices.

What is a bound here is always the right side of `farkas.certificates.mlbroker_transport`: at prices
of capacity that are guessed, at the optimal ones of the transport program, or at those of every
leaf of a branching on whole workers.  The better grades are computed only for the set of sites that
is best so far, until the best one has the last grade.

Work is counted where it is done: a *step* passes one number, of a site.  Beyond the most that is
allowed nothing is branched on and no pair placed any more: bounds stay bounds.
"""

from __future__ import annotations

import numpy as np

from farkas.certificates.mlbroker_transport import capacity_prices, priced_below, scale
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, Out, compiled, copy_ints
from farkas.tolerances import NORMAL, ROUNDING, ULP

MOST_BRANCHES = 400  #: Nodes of a branching; what is open then is bounded by its transport program.
ENDLESS = 1 << 62  #: More steps than anybody waits for.


@compiled(steps=lambda amount, move, *_: 400.0 * move.size)
def whole_workers(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    low: Ints1,
    high: Ints1,
    needed: int,
    roundings: int,
    cutoff: float,
    workers: Out[Ints1],
    work: Out[Ints1],
) -> tuple[float, float]:
    """Find the cheapest whole workers from ``low`` to ``high``; bound what any of them cost.

    ``work``: shape (2,): steps that were done, and after how many there are no more branches.

    Returns
    -------
    The cost of ``workers``, infinity where none below ``cutoff`` were found; a lower bound on the
    cost of all workers, or ``cutoff`` but for a share of `ROUNDING` where it is below.
    """
    origins, sites = move.shape
    flow = np.empty((origins, sites))
    load, alpha = np.empty(sites), np.empty(sites)
    lows = np.empty((sites * 64 + 64, sites), np.int64)
    highs = np.empty((sites * 64 + 64, sites), np.int64)
    copy_ints(low, lows[0])
    copy_ints(high, highs[0])
    waiting, nodes = 1, 0
    best, bound, found = cutoff, np.inf, np.inf
    while waiting > 0:
        waiting -= 1
        nodes += 1
        work[0] += 4 * move.size
        if highs[waiting].sum() < needed:
            continue
        work[0] += capacity_prices(
            amount, move, unit, lows[waiting], highs[waiting], flow, load, alpha
        )
        below = priced_below(
            amount, move, unit, lows[waiting], highs[waiting], alpha, needed, roundings
        )
        if below >= best - ROUNDING * abs(best):
            bound = min(bound, below)
            continue
        # rounded up, they are some whole workers
        cost, split, away, cheapest, short = 0.0, -1, ROUNDING, -1, float(needed)
        for r in range(sites):
            if highs[waiting, r] > 0:
                part = max(load[r] - np.floor(load[r]), 0.0)
                part = min(part, 1.0 - part)
                if load[r] > lows[waiting, r] and part > away:
                    split, away = r, part
                count = max(float(lows[waiting, r]), np.ceil(load[r] - ROUNDING))
                cost += unit[r] * count
                short -= count
                if cheapest < 0 or unit[r] < unit[cheapest]:
                    cheapest = r
                for o in range(origins):
                    cost += flow[o, r] * move[o, r]
        cost += max(0.0, short) * unit[cheapest]
        if cost < best:
            best, found = cost, cost
            for r in range(sites):
                count = max(float(lows[waiting, r]), np.ceil(load[r] - ROUNDING))
                workers[r] = int(count) if highs[waiting, r] > 0 else 0
            workers[cheapest] += int(max(0.0, short))
        enough = nodes >= MOST_BRANCHES or waiting + 2 > len(lows) or work[0] > work[1]
        if split < 0 or enough:
            bound = min(bound, below)
            continue
        floor = int(np.floor(load[split]))
        copy_ints(lows[waiting], lows[waiting + 1])
        copy_ints(highs[waiting], highs[waiting + 1])
        highs[waiting, split] = floor
        lows[waiting + 1, split] = floor + 1
        waiting += 2
    return found, bound


@compiled(steps=lambda grade, members, needed, amount, move, *_: 400.0 * move.size)
def set_below(
    grade: int,
    members: int,
    needed: int,
    amount: Floats1,
    move: Floats2,
    worker: Floats1,
    server: Floats1,
    traffic: Floats2,
    roundings: int,
    workers: Out[Ints1],
    work: Out[Ints1],
) -> tuple[float, int]:
    """Bound the cost of a slot of a job that is deployed on exactly some sites.

    Parameters
    ----------
    grade
        1 for guessed prices of capacity, 2 for optimal ones, 3 for whole workers.
    members
        The sites, bit by bit, at least one.
    needed
        Workers needed; Y.
    amount
        Shape (sites + 1,), data in loads of workers, and last the workers that they do not fill.
    move
        Shape (sites + 1, sites), USD a load; nothing in the last row.
    worker, server
        Shape (sites,), USD >= 0, for the resources of a worker and of a server.
    traffic
        Shape (sites, sites), USD, of a worker at the first site with a server at the second.
    roundings
        Operations behind each of these numbers.
    workers
        Shape (sites,); the best ones of grade 3.
    work
        Shape (2,), see `whole_workers`.

    Returns
    -------
    The bound, and the site of the server with the workers of grade 3.
    """
    sites = len(worker)
    flow, load = np.empty((sites + 1, sites)), np.empty(sites)
    alpha, unit = np.empty(sites), np.empty(sites)
    low, high = np.empty(sites, np.int64), np.empty(sites, np.int64)
    count = np.zeros(sites, np.int64)
    lowest, best, at = np.inf, np.inf, -1
    for p in range(sites):
        if not (members >> p) & 1:
            continue
        work[0] += move.size + 16
        for r in range(sites):
            inside = (members >> r) & 1
            unit[r] = worker[r] + traffic[r, p]
            low[r] = 1 if inside and r != p else 0
            high[r] = max(1, needed) if inside else 0
        if grade == 1:
            load[:] = 0.0
            for o in range(sites + 1):
                if amount[o] > 0.0:
                    nearest, price = -1, np.inf
                    for r in range(sites):
                        if high[r] > 0 and move[o, r] + unit[r] < price:
                            nearest, price = r, move[o, r] + unit[r]
                    load[nearest] += amount[o]
            for r in range(sites):
                alpha[r] = unit[r]
            below = priced_below(amount, move, unit, low, high, alpha, needed, roundings)
            for r in range(sites):
                if load[r] < low[r]:  # capacity that is there anyway is free
                    alpha[r] = 0.0
            other = priced_below(amount, move, unit, low, high, alpha, needed, roundings)
            below = max(below, other)
        else:
            work[0] += capacity_prices(amount, move, unit, low, high, flow, load, alpha)
            below = priced_below(amount, move, unit, low, high, alpha, needed, roundings)
            if grade == 3 and below + server[p] < best:
                cutoff = best - server[p]
                cost, below = whole_workers(
                    amount, move, unit, low, high, needed, roundings, cutoff, count, work
                )
                if cost < cutoff:
                    best, at = cost + server[p], p
                    copy_ints(count, workers)
        here = below + server[p]
        here -= (roundings + 2) * ULP * (abs(below) + server[p])
        # what is no number bounds nothing
        lowest = min(lowest, here) if here > 0.0 else 0.0
    return lowest, at


@compiled(steps=lambda pair, volume, *_: 4.0 * volume.shape[1])
def loads(pair: int, volume: Floats2, needed: int, rate: float, amount: Out[Floats1]) -> None:
    """Count a pair's data in loads of workers, and last the workers that they do not fill.

    A quotient below `NORMAL` counts as 0: it may be off by more than a share, and is multiplied by
    prices.  Lower amounts prove no more, since what they leave moves for nothing.
    """
    sites, filled = volume.shape[1], 0.0
    for o in range(sites):
        amount[o] = volume[pair, o] / rate
        if amount[o] < NORMAL:
            amount[o] = 0.0
        filled += amount[o]
    amount[sites] = max(0.0, needed - filled)


@compiled(steps=lambda pairs, job, volume, *_: 2e3 * (1 << volume.shape[1]) * len(pairs))
def place_pairs(
    pairs: Ints1,
    job: Ints1,
    volume: Floats2,
    needed: Ints1,
    rate: Floats1,
    worker: Floats2,
    server: Floats2,
    sync: Floats1,
    transfer: Floats2,
    resources: int,
    extra: Floats2,
    site: int,
    fall: Floats1,
    workers: Out[Ints2],
    at: Out[Ints1],
    chosen: Out[Ints1],
    least: Out[Floats2],
    grade: Out[Ints2],
    bound: Out[Floats1],
    work: Out[Ints1],
) -> None:
    """Place jobs in a slot each, on the best set of sites; what sets cost besides is given.

    Where the jobs were placed before at prices that differ at one site, sets without it keep their
    bounds; those of the others fall by no more than the job could save there.  A bound that was
    inherited is replaced by one at the new prices when it is the least.

    Parameters
    ----------
    pairs
        Which; the first arrays below are those of all pairs and jobs.
    job, volume, needed
        Shapes (pairs,), (pairs, sites) and (pairs,): data in GB, and workers needed.
    rate, sync
        Shape (jobs,): GB a worker, GB a remote worker.
    worker, server
        Shape (len(pairs), sites), USD >= 0, for the resources of a worker and of a server.
    transfer
        Shape (sites, sites), USD a GB.
    resources
        How many entered the sums of ``worker`` and ``server``.
    extra
        Shape (len(pairs), sets), USD.
    site
        Where prices differ from those that the bounds below were made at; -1 for nowhere.
    fall
        Shape (len(pairs),), USD: what a pair can save there at most; negative where no price that
        it pays differs.
    workers, at, chosen
        Shapes (len(pairs), sites), (len(pairs),) and (len(pairs),): the cheapest found, and its
        set; 0 before any was.
    least, grade
        Shape (len(pairs), sets): bounds of sets, USD, and how good they are, see `set_below`; 0
        where they are inherited, and where they are -infinity as there are none.
    bound
        Shape (len(pairs),), USD: no placement costs less; -infinity where ``work`` was at its end.
    work
        Shape (2,), see `whole_workers`.
    """
    sites = volume.shape[1]
    sets = 1 << sites
    roundings = resources + sites + 8
    amount, move = np.empty(sites + 1), np.zeros((sites + 1, sites))
    traffic, count = np.empty((sites, sites)), np.zeros(sites, np.int64)
    bound[:] = -np.inf
    for k in range(len(pairs)):
        pair = pairs[k]
        i = job[pair]
        scale(rate[i], transfer, move)
        scale(sync[i], transfer, traffic)
        loads(pair, volume, needed[pair], rate[i], amount)
        work[0] += 2 * sets + sites * sites
        if site >= 0 and fall[k] >= 0.0:
            for s in range(1, sets):
                if (s >> site) & 1:
                    least[k, s] -= fall[k] + 4.0 * ULP * (abs(least[k, s]) + fall[k])
                    grade[k, s] = 0
            if (chosen[k] >> site) & 1:
                chosen[k] = 0
        best = 1
        while work[0] <= work[1]:
            work[0] += sets
            best = 1
            for s in range(2, sets):
                if least[k, s] < least[k, best]:
                    best = s
            if grade[k, best] == 3:
                break
            grade[k, best] += 1
            below, p = set_below(
                grade[k, best], best, needed[pair], amount, move, worker[k], server[k], traffic,
                roundings, count, work,
            )  # fmt: skip
            here = below + extra[k, best] - 2.0 * ULP * (below + abs(extra[k, best]))
            least[k, best] = here if grade[k, best] == 1 else max(least[k, best], here)
            if grade[k, best] == 3:
                chosen[k], at[k] = best, p
                copy_ints(count, workers[k])
        if grade[k, best] < 3 or work[0] > work[1]:
            return
        bound[k] = least[k, best]
        if best != chosen[k]:
            _, p = set_below(
                3, best, needed[pair], amount, move, worker[k], server[k], traffic, roundings,
                count, work,
            )  # fmt: skip
            chosen[k], at[k] = best, p
            copy_ints(count, workers[k])
