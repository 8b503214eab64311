"""The cheapest workers and server of a job in a slot where every site in use costs a charge.

Sets of sites are not listed, so that there may be many sites.  With the server at a given site,
u_r the price of a worker at site r, w_r the charge of being there (of either sign; that of the
server's site is paid in any case) and m_or the price of moving the load of a worker, *any* prices
α >= 0 of capacity bound what whole workers l_r <= y_r <= h_r cost:

    Σ_r (u_r y_r + w_r [y_r > 0]) + transport
        >= Σ_o A_o min_r (m_or + α_r + β_or)
           + Σ_r least of (u_r - α_r) y_r + (w_r - Σ_o A_o β_or) [y_r > 0],

as in `farkas.certificates.mlbroker_transport`; the least is found at y_r = l_r, h_r or, where l_r
is 0, at 0, 1 or h_r.  The shares β >= 0 of charges are paid by the loads that move to a site: no
more than A_o of them do, and only to a site that is open.  A branching on whole workers, of which
none and some is the first, makes the bound as near to the cost of placed workers as is asked for.
"""

from __future__ import annotations

import numpy as np

from farkas.certificates.mlbroker_transport import capacity_prices, scale
from farkas.certificates.mlbroker_workers import loads
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, Out, compiled, copy_ints
from farkas.tolerances import BRANCHED, ROUNDING, TIE, TINY, ULP

# What a job costs at least in a slot where sites in use cost charges, at prices of capacity.
#
# The inequality stands at the top of `farkas.certificates.mlbroker_charges`.


@compiled(steps=lambda amount, move, *_: move.size)
def charged_below(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    charge: Floats1,
    low: Ints1,
    high: Ints1,
    alpha: Floats1,
    beta: Floats2,
    needed: int,
    roundings: int,
) -> float:
    """Return the right side of the inequality, rounded down; -infinity on overflow.

    Parameters
    ----------
    alpha, beta
        Shapes (sites,) and (origins, sites), USD a load, >= 0.
    needed
        Y, the sum of the amounts but for rounding.
    roundings
        Operations behind each of the numbers given.
    """
    origins, sites = move.shape
    total, size, dearest = 0.0, 0.0, 0.0
    for o in range(origins):
        if amount[o] > 0.0:
            least = np.inf
            for r in range(sites):
                if high[r] > 0:
                    least = min(least, move[o, r] + alpha[r] + beta[o, r])
            total += amount[o] * least
            size += amount[o] * least
    for r in range(sites):
        if high[r] > 0:
            count = max(1, low[r]) if unit[r] >= alpha[r] else high[r]
            shared = 0.0
            for o in range(origins):
                shared += amount[o] * beta[o, r]
            some = (unit[r] - alpha[r]) * count + (charge[r] - shared)
            total += some if low[r] > 0 else min(0.0, some)
            size += (unit[r] + alpha[r]) * count + abs(charge[r]) + shared
            dearest = max(dearest, alpha[r])
    size += dearest * needed
    below: float = total - (2 * (roundings + 3 * origins + 3 * sites + 8) * ULP * size + TINY)
    # sums that overflow bound nothing; what is no number would be skipped by every minimum
    return below if below > -np.inf else -np.inf


@compiled(steps=lambda amount, move, *_: 20.0 * move.size)
def share_charges(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    charge: Floats1,
    low: Ints1,
    high: Ints1,
    alpha: Floats1,
    beta: Out[Floats2],
) -> int:
    """Share charges of sites that may stay empty among loads, as long as that raises the bound.

    Dual ascent: each load is asked for more, until the sites that are cheapest for it have no
    charge left to share, or one of them has none.  ``beta``: shape (origins, sites), USD a load.

    Returns
    -------
    Steps.
    """
    origins, sites = move.shape
    steps: int = 0
    left = np.zeros(sites)
    beta[:, :] = 0.0
    for r in range(sites):
        if low[r] == 0 and high[r] > 0:
            count = 1 if unit[r] >= alpha[r] else high[r]
            left[r] = max(0.0, charge[r] + (unit[r] - alpha[r]) * count)
    for o in range(origins):
        if amount[o] <= 0.0:
            continue
        for _ in range(sites):
            steps += 3 * sites
            least, after, more, count = np.inf, np.inf, np.inf, 0
            for r in range(sites):
                if high[r] > 0:
                    least = min(least, move[o, r] + alpha[r] + beta[o, r])
            near = least + TIE * abs(least)
            for r in range(sites):
                if high[r] > 0:
                    level = move[o, r] + alpha[r] + beta[o, r]
                    if level <= near:
                        more = min(more, left[r] / amount[o])
                    else:
                        after = min(after, level)
            more = min(more, after - least)
            if not more > 0.0:
                break
            for r in range(sites):
                if high[r] > 0 and move[o, r] + alpha[r] + beta[o, r] <= near:
                    beta[o, r] += more
                    left[r] = max(0.0, left[r] - amount[o] * more)
    return steps


MOST_BRANCHES = 400  #: Nodes of a branching; what is open then is bounded by its transport program.


@compiled(steps=lambda amount, move, *_: 4e3 * move.size)
def charged_workers(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    charge: Floats1,
    needed: int,
    roundings: int,
    cutoff: float,
    workers: Out[Ints1],
    work: Out[Ints1],
) -> tuple[float, float]:
    """Find cheap whole workers; bound what any of them cost.

    Parameters
    ----------
    amount, move
        As in `farkas.certificates.mlbroker_transport`.
    unit, charge
        Shape (sites,), USD a worker, >= 0, and USD for having any.
    needed
        Y.
    work
        Shape (2,): steps that were done, and after how many there are no more branches.

    Returns
    -------
    The cost of ``workers``, infinity where none below ``cutoff`` were found; a lower bound on the
    cost of all workers, or ``cutoff`` but for a share of `BRANCHED` where it is below.
    """
    origins, sites = move.shape
    flow = np.empty((origins, sites))
    load, alpha, price = np.empty(sites), np.empty(sites), np.empty(sites)
    beta, none = np.zeros((origins, sites)), np.zeros((origins, sites))
    count = np.zeros(sites, np.int64)
    lows = np.zeros((sites * 64 + 64, sites), np.int64)
    highs = np.zeros((sites * 64 + 64, sites), np.int64)
    highs[0] = max(1, needed)
    for r in range(sites):
        if unit[r] + charge[r] < 0.0:  # an idle worker pays
            lows[0, r] = 1
    low, high = np.zeros(sites, np.int64), np.zeros(sites, np.int64)
    waiting, nodes = 1, 0
    best, bound, found = cutoff, np.inf, np.inf
    while waiting > 0:
        waiting -= 1
        nodes += 1
        copy_ints(lows[waiting], low)
        copy_ints(highs[waiting], high)
        work[0] += 5 * move.size
        if high.sum() < needed:
            continue
        for r in range(sites):
            price[r] = unit[r]
            if low[r] == 0 and high[r] > 0 and charge[r] > 0.0:
                price[r] += charge[r] / high[r]
        work[0] += capacity_prices(amount, move, price, low, high, flow, load, alpha)
        below = charged_below(amount, move, unit, charge, low, high, alpha, none, needed, roundings)
        if below < best - BRANCHED * abs(best):
            for r in range(sites):
                alpha[r] = min(alpha[r], unit[r])
                if low[r] == 0 and charge[r] < 0.0:  # its first worker costs no more
                    alpha[r] = min(alpha[r], unit[r] + charge[r])
            work[0] += 2 * move.size
            work[0] += share_charges(amount, move, unit, charge, low, high, alpha, beta)
            below = max(
                below,
                charged_below(
                    amount, move, unit, charge, low, high, alpha, beta, needed, roundings
                ),
            )
        if below >= best - BRANCHED * abs(best):
            bound = min(bound, below)
            continue
        # rounded up, they are some whole workers; the site where these cost the most more is split
        cost, split, away, short = 0.0, -1, 0.0, needed
        for r in range(sites):
            count[r] = 0
            if high[r] == 0:
                continue
            count[r] = max(low[r], int(np.ceil(load[r] - ROUNDING)))
            short -= count[r]
            for o in range(origins):
                cost += flow[o, r] * move[o, r]
            if count[r] == 0:
                if -charge[r] > away:
                    split, away = r, -charge[r]
                continue
            cost += unit[r] * count[r] + charge[r]
            more = unit[r] * (count[r] - load[r])
            if low[r] == 0:
                more += abs(charge[r] - (price[r] - unit[r]) * load[r])
            whole = abs(load[r] - np.round(load[r])) <= ROUNDING
            open_ = (low[r] == 0 and charge[r] != 0.0) or (load[r] > low[r] and not whole)
            if open_ and more > away:
                split, away = r, more
        if short > 0:
            more, cheapest = np.inf, -1
            for r in range(sites):
                here = unit[r] * short + (charge[r] if count[r] == 0 else 0.0)
                if count[r] + short <= high[r] and here < more:
                    more, cheapest = here, r
            cost += more
            if cheapest >= 0:
                count[cheapest] += short
        if cost < best:
            best, found = cost, cost
            copy_ints(count, workers)
        done = split < 0 or below >= best - BRANCHED * abs(best)
        if done or nodes >= MOST_BRANCHES or waiting + 2 > len(lows) or work[0] > work[1]:
            bound = min(bound, below)
            continue
        floor = 0
        if low[split] > 0 or charge[split] == 0.0:
            floor = int(np.floor(load[split]))
        for child in range(waiting, waiting + 2):
            copy_ints(low, lows[child])
            copy_ints(high, highs[child])
        highs[waiting, split] = floor
        lows[waiting + 1, split] = floor + 1
        waiting += 2
    return found, bound


@compiled(steps=lambda pairs, job, volume, *_: 1e5 * volume.shape[1] * len(pairs))
def place_charged(
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
    """Place jobs in a slot each, with the best site of the server; charges of sites are given.

    Where the jobs were placed before at prices that differ at one site, what they cost falls by no
    more than the job could save there.  A job that is not there stays where it is, and keeps its
    bounds, where nothing falls.

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
        Shape (len(pairs), sites), USD of either sign: charges.
    site
        Where prices differ from those that the bounds below were made at; -1 for nowhere.
    fall
        Shape (len(pairs),), USD: what a pair can save there at most; negative where no price that
        it pays differs, and no more than rounding where none falls.
    workers, at, chosen
        Shapes (len(pairs), sites), (len(pairs),) and (len(pairs),): the cheapest found, and 1 once
        any was.
    least, grade
        Shape (len(pairs), sites): bounds with the server at each site, USD, and how good they are:
        0 where they are inherited, or -infinity as there are none, 1 at prices of workers, 3 where
        workers were branched on.
    bound
        Shape (len(pairs),), USD: no placement costs less; -infinity where ``work`` was at its end.
    work
        Shape (2,), see `charged_workers`.
    """
    sites = volume.shape[1]
    roundings = resources + sites + 8
    amount, move = np.empty(sites + 1), np.zeros((sites + 1, sites))
    unit, charge = np.empty(sites), np.empty(sites)
    beta = np.zeros((sites + 1, sites))
    low, high = np.zeros(sites, np.int64), np.zeros(sites, np.int64)
    count = np.zeros(sites, np.int64)
    bound[:] = -np.inf
    for k in range(len(pairs)):
        pair = pairs[k]
        i = job[pair]
        scale(rate[i], transfer, move)
        loads(pair, volume, needed[pair], rate[i], amount)
        work[0] += 4 * sites * sites
        if site >= 0 and fall[k] >= 0.0:
            used = chosen[k] == 0 or workers[k, site] > 0 or at[k] == site
            if used or fall[k] > 16.0 * TINY:
                for p in range(sites):
                    least[k, p] -= fall[k] + 4.0 * ULP * (abs(least[k, p]) + fall[k])
                    grade[k, p] = 0
                chosen[k] = 0
        upper, best = np.inf, 0
        while work[0] <= work[1]:
            work[0] += sites
            best = 0
            for p in range(1, sites):
                if least[k, p] < least[k, best]:
                    best = p
            if grade[k, best] == 3:
                break
            for r in range(sites):
                unit[r] = worker[k, r] + sync[i] * transfer[r, best]
                charge[r] = extra[k, r] if r != best else 0.0
                low[r] = 1 if unit[r] + charge[r] < 0.0 else 0
                high[r] = max(1, needed[pair])
            always = server[k, best] + extra[k, best]
            if grade[k, best] == 0:
                grade[k, best] = 1
                work[0] += 2 * move.size
                work[0] += share_charges(amount, move, unit, charge, low, high, unit, beta)
                below = charged_below(
                    amount, move, unit, charge, low, high, unit, beta, needed[pair], roundings
                )
            else:
                grade[k, best] = 3
                cost, below = charged_workers(
                    amount, move, unit, charge, needed[pair], roundings, upper - always, count, work
                )
                if cost < upper - always:
                    upper, chosen[k], at[k] = cost + always, 1, best
                    copy_ints(count, workers[k])
            size = abs(below) + server[k, best] + abs(extra[k, best])
            here = below + always - (roundings + 4) * ULP * size
            # what is no number bounds nothing
            if here > least[k, best]:
                least[k, best] = here
        if grade[k, best] == 3 and chosen[k] > 0 and work[0] <= work[1]:
            bound[k] = least[k, best]


@compiled(steps=lambda pairs, volume, *_: 1e3 * volume.shape[1] * len(pairs))
def apart_costs(
    pairs: Ints1,
    volume: Floats2,
    rate: Floats1,
    sync: Floats1,
    transfer: Floats2,
    workers: Ints2,
    at: Ints1,
    cost: Out[Floats1],
) -> None:
    """Cost of placed workers besides resources and charges: data moved, and traffic.

    Parameters
    ----------
    pairs
        Which, of those of ``volume``.
    volume
        Shape (pairs, sites), GB.
    rate, sync
        Shape (len(pairs),): GB a worker, GB a remote worker.
    transfer
        Shape (sites, sites), USD a GB.
    workers, at
        Shapes (len(pairs), sites) and (len(pairs),): enough workers, and the servers' sites.
    cost
        Shape (len(pairs),), USD.
    """
    sites = volume.shape[1]
    amount, move, unit = np.empty(sites + 1), np.zeros((sites + 1, sites)), np.zeros(sites)
    flow, load, alpha = np.empty((sites + 1, sites)), np.empty(sites), np.empty(sites)
    for k in range(len(pairs)):
        scale(rate[k], transfer, move)
        loads(pairs[k], volume, 0, rate[k], amount)
        capacity_prices(amount, move, unit, workers[k], workers[k], flow, load, alpha)
        total = 0.0
        for r in range(sites):
            total += sync[k] * transfer[r, at[k]] * workers[k, r]
            for o in range(sites):
                total += flow[o, r] * move[o, r]
        cost[k] = total
