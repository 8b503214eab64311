"""Transport of loads to workers at given prices: capacity priced, and what any workers cost.

Prices of resources are given, so that jobs do not meet.  With the server at a given site, u_r the
price of a worker at site r (its resources and its traffic to the server), w_r a charge for being
there (of either sign; that of the server's site is paid in any case), m_or the price of moving the
load of a worker from o to r, and A_o the data of o in loads of workers, *any* prices α >= 0 of
capacity bound what whole workers l_r <= y_r <= h_r cost:

    Σ_r (u_r y_r + w_r [y_r > 0]) + transport
        >= Σ_o A_o min_r (m_or + α_r + β_or)
           + Σ_r least of (u_r - α_r) y_r + (w_r - Σ_o A_o β_or) [y_r > 0],

where one origin, from which loads move for nothing, holds the workers that the data do not fill,
Y - Σ A: these and the data together fill no more than the workers, so that α is paid for y at most.
The least is found at y_r = l_r, h_r or, where l_r is 0, at 0, 1 or h_r.  The shares β >= 0 of
charges are paid by the loads that move to a site: no more than A_o of them do, and only to a site
that is open.  The right side is computed in floating point; every operation errs by a share of
numbers >= 0 that enter it, and as many units in the last place of their sum are taken off.
"""

from __future__ import annotations

import numpy as np

from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled
from farkas.tolerances import TIE, TINY, ULP


@compiled
def scale(factor: float, source: Floats2, target: Out[Floats2]) -> None:
    """Write the multiple of a matrix to the first rows and columns of ``target``."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = factor * source[i, j]


@compiled(steps=lambda amount, move, *_: 40.0 * move.size)
def capacity_prices(
    amount: Floats1,
    move: Floats2,
    unit: Floats1,
    low: Ints1,
    high: Ints1,
    flow: Out[Floats2],
    load: Out[Floats1],
    alpha: Out[Floats1],
) -> int:
    """Move all amounts as cheaply as possible, and price capacity; return the steps.

    Successive shortest paths: the first ``low`` loads of a site are paid for, others cost ``unit``,
    USD a worker. What does not fit ``high``, 0 where there is no site, is left.
    """
    origins, sites = move.shape
    steps: int = 4 * move.size + sites * sites
    dist = np.empty(sites)
    before = np.empty(sites, np.int64)
    carried = np.empty(sites, np.int64)
    flow[:, :] = 0.0
    load[:] = 0.0
    for o in range(origins):
        left = amount[o]
        for _ in range(8 * origins * sites):
            if left <= 0.0:
                break
            steps += 4 * sites
            for r in range(sites):
                dist[r] = move[o, r] if high[r] > 0 else np.inf
                before[r] = -1
                carried[r] = o
            for _ in range(sites):
                changed = False
                for r in range(sites):
                    if high[r] == 0 or load[r] == 0.0:
                        continue
                    steps += sites
                    for o2 in range(origins):
                        if flow[o2, r] > 0.0:
                            steps += sites
                            for r2 in range(sites):
                                if high[r2] > 0:
                                    through = dist[r] + (move[o2, r2] - move[o2, r])
                                    if through < dist[r2] - TIE * abs(dist[r2]):
                                        dist[r2] = through
                                        before[r2] = r
                                        carried[r2] = o2
                                        changed = True
                if not changed:
                    break
            end, least = -1, np.inf
            for r in range(sites):
                if load[r] < high[r]:
                    cost = dist[r] + (0.0 if load[r] < low[r] else unit[r])
                    if cost < least:
                        end, least = r, cost
            if end < 0:
                break
            room = (low[end] if load[end] < low[end] else high[end]) - load[end]
            most = min(left, room)
            r, passed = end, 0
            while before[r] >= 0 and passed <= sites:
                most = min(most, flow[carried[r], before[r]])
                r = before[r]
                passed += 1
            steps += 2 * passed
            r, passed = end, 0
            while before[r] >= 0 and passed <= sites:
                origin, there = carried[r], before[r]
                flow[origin, there] -= most
                if flow[origin, there] < TIE * most:
                    flow[origin, there] = 0.0
                flow[origin, r] += most
                r = there
                passed += 1
            flow[o, r] += most
            if most == room:
                load[end] = float(low[end] if load[end] < low[end] else high[end])
            else:
                load[end] += most
            left -= most
    dearest = 0.0
    for r in range(sites):
        if high[r] > 0:
            dearest = max(dearest, unit[r])
            for o in range(origins):
                dearest = max(dearest, unit[r] + sites * move[o, r])
    for r in range(sites):
        alpha[r] = 0.0 if load[r] < low[r] else (unit[r] if load[r] < high[r] else dearest)
    for _ in range(sites):
        changed = False
        steps += move.size
        for r in range(sites):
            for o in range(origins):
                if high[r] > 0 and flow[o, r] > 0.0:
                    steps += sites
                    for r2 in range(sites):
                        if high[r2] > 0:
                            through = max(0.0, move[o, r2] - move[o, r] + alpha[r2])
                            if through < alpha[r]:
                                alpha[r] = through
                                changed = True
        if not changed:
            break
    return steps


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
    """Return the right side of the module's inequality, rounded down; -infinity on overflow.

    Prices ``alpha`` and shares ``beta`` are USD a load, >= 0; ``roundings`` counts the operations
    behind each of the numbers given.
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
    charge left to share, or one of them has none. Returns the steps.
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
