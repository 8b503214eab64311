"""The cheapest workers and server of a job in a slot, and what any of them cost, at given prices.

What is a bound here is always the right side of `farkas.certificates.mlbroker_transport`: at prices
of capacity that are guessed, at the optimal ones of the transport program, or at those of every
leaf of a branching on whole workers, of which none and some is the first.  Sites cost charges; or
sets of sites are listed, each with a charge of its own, and a job is then on all sites of a set and
no other.  The better grades are computed only for the choice that is best so far, until the best
one has the last grade.

Work is counted where it is done: a *step* passes one number, of a site.  Beyond the most that is
allowed nothing is branched on and no pair placed any more: bounds stay bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from farkas.certificates.arrays import copy_ints
from farkas.certificates.mlbroker_transport import (
    capacity_prices,
    charged_below,
    scale,
    share_charges,
)
from farkas.instances.mlbroker import Brokerage
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, Out, compiled
from farkas.tolerances import BRANCHED, NORMAL, ROUNDING, TINY, ULP

ENDLESS = 1 << 62  #: More steps than anybody waits for.


class PlacementData(NamedTuple):
    """What placing jobs reads of a brokerage."""

    job: Ints1  #: Shape (pairs,).
    volume: Floats2  #: Shape (pairs, sites), GB.
    needed: Ints1  #: Shape (pairs,), workers; Y.
    rate: Floats1  #: Shape (jobs,), GB a worker; P.
    sync: Floats1  #: Shape (jobs,), GB a remote worker; B.
    transfer: Floats2  #: Shape (sites, sites), USD a GB.
    resources: int  #: How many enter the sums of what a worker or a server costs.

    @classmethod
    def of(cls, data: Brokerage) -> PlacementData:
        """All jobs of a brokerage."""
        return cls(
            data.pair_job, data.trained_volume, data.workers_needed, data.worker_capacity,
            data.sync_volume, data.transfer, data.num_resources,
        )  # fmt: skip


class Placements(NamedTuple):
    """The cheapest placements found of some pairs, and bounds on those of every choice."""

    #: workers, server, chosen: shapes (pairs, sites), (pairs,), (pairs,): the cheapest found, and
    #: its choice; -1 before any was.
    workers: Ints2
    server: Ints1
    chosen: Ints1
    #: least, grade: shape (pairs, choices): bounds, USD, and how good they are, see
    #: `deployed_below`; 0 where they are inherited, and where they are -infinity as there are none.
    least: Floats2
    grade: Ints2

    @classmethod
    def none(cls, pairs: int, sites: int, choices: int) -> Placements:
        """Nothing was tried yet."""
        shape = pairs, choices
        return cls(
            np.zeros((pairs, sites), np.int64), np.zeros(pairs, np.int64), np.full(pairs, -1),
            np.full(shape, -np.inf), np.zeros(shape, np.int64),
        )  # fmt: skip


MOST_BRANCHES = 400  #: Nodes of a branching; what is open then is bounded by its transport program.


@compiled(steps=lambda amount, move, *_: 4e3 * move.size)
def whole_workers(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    charge: Floats1,
    least: Ints1,
    most: Ints1,
    needed: int,
    roundings: int,
    cutoff: float,
    near: float,
    workers: Out[Ints1],
    work: Out[Ints1],
) -> tuple[float, float]:
    """Find cheap whole workers from ``least`` to ``most``; bound what any of them cost.

    ``charge``, USD, is for having any worker at a site; ``near`` is the distance of bound and cost
    that is near enough, as a share; ``work`` holds steps done, and after how many there are no more
    branches.  Returns the cost of ``workers``, infinity where none below ``cutoff`` were found, and
    a bound on the cost of all, or ``cutoff`` but for a share of ``near`` where it is below.
    """
    origins, sites = move.shape
    flow = np.empty((origins, sites))
    load, alpha, price = np.empty(sites), np.empty(sites), np.empty(sites)
    beta, none = np.zeros((origins, sites)), np.zeros((origins, sites))
    count = np.zeros(sites, np.int64)
    lows = np.empty((sites * 64 + 64, sites), np.int64)
    highs = np.empty((sites * 64 + 64, sites), np.int64)
    copy_ints(least, lows[0])
    copy_ints(most, highs[0])
    charged = np.abs(charge).max() > 0.0
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
        if charged and below < best - near * abs(best):
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
        if below >= best - near * abs(best):
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
            more = count[r] - load[r]
            if charged:
                more *= unit[r]
                if low[r] == 0:
                    more += abs(charge[r] - (price[r] - unit[r]) * load[r])
            else:
                more = min(more, 1.0 - more)
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
        done = split < 0 or below >= best - near * abs(best)
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


@compiled(steps=lambda grade, members, at, needed, amount, move, *_: 400.0 * move.size)
def deployed_below(
    grade: int,
    members: int,
    at: int,
    needed: int,
    amount: Floats1,
    move: Floats2,
    worker: Floats1,
    server: Floats1,
    traffic: Floats2,
    charge: Floats1,
    roundings: int,
    cutoff: float,
    workers: Out[Ints1],
    work: Out[Ints1],
) -> tuple[float, float, int]:
    """Bound the cost of a slot of a job that is on exactly some sites, or has its server at one.

    ``grade`` is 1 for guessed prices of capacity, 2 for optimal ones, 3 for whole workers, which
    are looked for below ``cutoff``. Sites are the bits of ``members``; where it is 0, any may be,
    with the server at ``at``, whose charge is not counted. Numbers are USD, with so many
    ``roundings`` behind each: resources of a worker and a server, ``traffic`` of a worker at the
    first site with a server at the second, and ``charge`` of either sign, nothing where sites are
    given.

    Returns the bound; with the ``workers`` of grade 3 their cost, infinity where none were found,
    and the site of the server.
    """
    sites = len(worker)
    flow, load = np.empty((sites + 1, sites)), np.empty(sites)
    alpha, unit, paid = np.empty(sites), np.empty(sites), np.empty(sites)
    beta = np.zeros((sites + 1, sites))
    low, high = np.empty(sites, np.int64), np.empty(sites, np.int64)
    count = np.zeros(sites, np.int64)
    floor = 0.0 if members > 0 else -np.inf
    near = ROUNDING if members > 0 else BRANCHED
    lowest, found, place = np.inf, np.inf, -1
    for p in range(sites):
        if p != at if members == 0 else (members >> p) & 1 == 0:
            continue
        work[0] += move.size + 16
        for r in range(sites):
            inside = members == 0 or (members >> r) & 1 == 1
            unit[r] = worker[r] + traffic[r, p]
            paid[r] = charge[r] if r != p else 0.0
            low[r] = 1 if (members > 0 and inside and r != p) or unit[r] + paid[r] < 0.0 else 0
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
            if members == 0:
                work[0] += share_charges(amount, move, unit, paid, low, high, unit, beta)
            below = charged_below(
                amount, move, unit, paid, low, high, unit, beta, needed, roundings
            )
            if members > 0:
                for r in range(sites):  # capacity that is there anyway is free
                    alpha[r] = 0.0 if load[r] < low[r] else unit[r]
                other = charged_below(
                    amount, move, unit, paid, low, high, alpha, beta, needed, roundings
                )
                below = max(below, other)
        else:
            work[0] += capacity_prices(amount, move, unit, low, high, flow, load, alpha)
            below = charged_below(
                amount, move, unit, paid, low, high, alpha, beta, needed, roundings
            )
            most = min(cutoff, found) - server[p]
            if grade == 3 and below < most:
                cost, below = whole_workers(
                    amount, move, unit, paid, low, high, needed, roundings, most, near, count, work
                )
                if cost < most:
                    found, place = cost + server[p], p
                    copy_ints(count, workers)
        here = below + server[p]
        here -= (roundings + 2) * ULP * (abs(below) + server[p])
        # what is no number bounds nothing
        lowest = min(lowest, here) if here > floor else floor
    return lowest, found, place


@compiled(
    steps=lambda pairs, data, *_: (
        2e3 * min(1 << len(data.transfer), 50 * len(data.transfer)) * len(pairs)
    )
)
def place_pairs(
    pairs: Ints1,
    data: PlacementData,
    worker: Floats2,
    server: Floats2,
    listed: bool,
    extra: Floats2,
    site: int,
    fall: Floats1,
    found: Out[Placements],
    bound: Out[Floats1],
    work: Out[Ints1],
) -> None:
    """Place jobs in a slot each, on the best set of sites or with the best site of the server.

    Where the jobs were placed before at prices that differ at one ``site``, choices that do not use
    it keep their bounds; those of the others fall by no more than a pair can save there, ``fall``,
    negative where it pays no price that differs. A bound that was inherited is replaced by one at
    the new prices when it is the least.

    Choices are sets of sites, bit by bit, where they are ``listed``, else sites of the server;
    ``extra`` is what a set costs besides, or each site that is used. All are USD and by pair, as
    are ``worker`` and ``server``, >= 0, the prices of the resources of one. ``bound`` is -infinity
    where ``work``, as in `whole_workers`, was at its end.
    """
    workers, at, chosen, least, grade = found
    job, volume, needed, rate, sync, transfer, resources = data
    sites, choices = volume.shape[1], least.shape[1]
    first = 1 if listed else 0  # a job is somewhere
    roundings = resources + sites + 8
    amount, move = np.empty(sites + 1), np.zeros((sites + 1, sites))
    traffic, charge = np.empty((sites, sites)), np.zeros(sites)
    count = np.zeros(sites, np.int64)
    bound[:] = -np.inf
    for k in range(len(pairs)):
        pair = pairs[k]
        i = job[pair]
        scale(rate[i], transfer, move)
        scale(sync[i], transfer, traffic)
        loads(pair, volume, needed[pair], rate[i], amount)
        work[0] += 2 * choices + sites * sites
        if site >= 0 and fall[k] >= 0.0:
            used = chosen[k] < 0 or workers[k, site] > 0 or at[k] == site
            for c in range(first, choices):
                if (c >> site) & 1 if listed else used or fall[k] > 16.0 * TINY:
                    least[k, c] -= fall[k] + 4.0 * ULP * (abs(least[k, c]) + fall[k])
                    grade[k, c] = 0
            if used or (not listed and fall[k] > 16.0 * TINY):
                chosen[k] = -1
        if not listed:
            for r in range(sites):
                charge[r] = extra[k, r]
        upper, best = np.inf, first
        while work[0] <= work[1]:
            work[0] += choices
            best = first
            for c in range(first + 1, choices):
                if least[k, c] < least[k, best]:
                    best = c
            if grade[k, best] == 3 and (not listed or chosen[k] == best):
                break
            grade[k, best] = min(3, grade[k, best] + 1)
            cutoff = np.inf if listed else upper - extra[k, best]
            below, cost, p = deployed_below(
                grade[k, best], best if listed else 0, best, needed[pair], amount, move, worker[k],
                server[k], traffic, charge, roundings, cutoff, count, work,
            )  # fmt: skip
            here = below + extra[k, best] - 2.0 * ULP * (abs(below) + abs(extra[k, best]))
            least[k, best] = here if grade[k, best] == 1 else max(least[k, best], here)
            if p >= 0 or (listed and grade[k, best] == 3):
                upper = cost + extra[k, best]
                chosen[k], at[k] = best, p
                copy_ints(count, workers[k])
        if work[0] > work[1]:
            return
        if chosen[k] >= 0:
            bound[k] = least[k, best]


@compiled(steps=lambda pairs, data, *_: 1e3 * len(data.transfer) * len(pairs))
def apart_costs(
    pairs: Ints1, data: PlacementData, workers: Ints2, at: Ints1, cost: Out[Floats1]
) -> None:
    """Cost of enough placed workers besides resources and charges: data moved, and traffic, USD.

    ``workers``, ``at``: shapes (len(pairs), sites) and (len(pairs),), the second for servers.
    """
    sites = len(data.transfer)
    amount, move, unit = np.empty(sites + 1), np.zeros((sites + 1, sites)), np.zeros(sites)
    flow, load, alpha = np.empty((sites + 1, sites)), np.empty(sites), np.empty(sites)
    for k in range(len(pairs)):
        i = data.job[pairs[k]]
        scale(data.rate[i], data.transfer, move)
        loads(pairs[k], data.volume, 0, data.rate[i], amount)
        capacity_prices(amount, move, unit, workers[k], workers[k], flow, load, alpha)
        total = 0.0
        for r in range(sites):
            total += data.sync[i] * data.transfer[r, at[k]] * workers[k, r]
            for o in range(sites):
                total += flow[o, r] * move[o, r]
        cost[k] = total
