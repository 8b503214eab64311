"""The one-slot problem (8) with its transfer row, bounded from both sides for every workload.

The row gets a multiplier m >= 0.  At price α + m the site-by-site program of
`farkas.relaxations.eris.site_dp` is exact, so its value less m times the free transfer bounds the
cost from below, and every cover it finds that fits the free transfer is a feasible one.  For each
workload the cheapest cover that does not fit and the best one that does span a line; where it
meets the multiplier's axis is the next multiplier to try, first for the workload whose bounds are
farthest apart.  One multiplier improves the bounds of all workloads, so a few are enough.
"""

from __future__ import annotations

import numpy as np

from farkas.compiled import compiled
from farkas.numbers import Floats, Ints
from farkas.tolerances import ROUNDING as GUARD
from farkas.tolerances import SIMPLEX

CLOSED = SIMPLEX
"""Bounds closer than this, relative, count as equal."""


@compiled
def cover_with_transfer(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    data: Ints,
    price: float,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    idle: Floats,
    served: Floats,
    idle_use: Floats,
    served_use: Floats,
) -> None:
    """Fill the tables of one slot, with the transfer in use beside every cost.

    Parameters
    ----------
    worker_price, server_price, alone, beside_server, data
        Shape (sites,), see `farkas.relaxations.eris.slots.JobSlots`.
    price
        Price of transfer, multiplier included.
    idle, served, idle_use, served_use
        Shape (sites + 1, workload + 1), overwritten: cost and MB without and with the server.
    """
    sites = len(data)
    total = idle.shape[1] - 1
    idle[:] = np.inf
    served[:] = np.inf
    idle_use[:] = 0.0
    served_use[:] = 0.0
    idle[0, 0] = 0.0
    reach_idle, reach_served = 0, -1
    for r in range(sites):
        most = min(alone[r] * worker_rate // epochs, total)
        most_beside = -1
        if beside_server[r] >= 0:
            most_beside = min(beside_server[r] * worker_rate // epochs, total)
        idle_now, idle_next = idle[r], idle[r + 1]
        served_now, served_next = served[r], served[r + 1]
        idle_mb, idle_mb_next = idle_use[r], idle_use[r + 1]
        served_mb, served_mb_next = served_use[r], served_use[r + 1]
        for q in range(max(most, most_beside) + 1):
            workers = (epochs * q + worker_rate - 1) // worker_rate
            moving = chunk_size * max(0, q - data[r])
            if q <= most:
                volume = moving + parameter_size * workers
                cost = workers * worker_price[r] + price * volume
                for d in range(min(total, reach_idle + q) + 1 - q):
                    better = idle_now[d] + cost < idle_next[d + q]
                    idle_next[d + q] = idle_now[d] + cost if better else idle_next[d + q]
                    idle_mb_next[d + q] = idle_mb[d] + volume if better else idle_mb_next[d + q]
                for d in range(min(total, reach_served + q) + 1 - q):
                    better = served_now[d] + cost < served_next[d + q]
                    served_next[d + q] = served_now[d] + cost if better else served_next[d + q]
                    served_mb_next[d + q] = (
                        served_mb[d] + volume if better else served_mb_next[d + q]
                    )
            if q <= most_beside:
                cost = workers * worker_price[r] + price * moving + server_price[r]
                for d in range(min(total, reach_idle + q) + 1 - q):
                    better = idle_now[d] + cost < served_next[d + q]
                    served_next[d + q] = idle_now[d] + cost if better else served_next[d + q]
                    served_mb_next[d + q] = idle_mb[d] + moving if better else served_mb_next[d + q]
        if reach_served >= 0:
            reach_served = min(total, reach_served + most)
        if most_beside >= 0:
            reach_served = max(reach_served, min(total, reach_idle + most_beside))
        reach_idle = min(total, reach_idle + most)


@compiled
def trace_cover(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    data: Ints,
    price: float,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    idle: Floats,
    served: Floats,
    idle_use: Floats,
    served_use: Floats,
    workload: int,
    processed: Ints,
) -> int:
    """Read the cover of ``workload`` >= 1 chunks off the tables; returns the server's site."""
    server = -1
    d = workload
    for r in range(len(data) - 1, -1, -1):
        if server < 0:
            here, mb = served[r + 1, d], served_use[r + 1, d]
        else:
            here, mb = idle[r + 1, d], idle_use[r + 1, d]
        processed[r] = 0
        most = min(alone[r] * worker_rate // epochs, d)
        most_beside = -1
        if server < 0 and beside_server[r] >= 0:
            most_beside = min(beside_server[r] * worker_rate // epochs, d)
        for q in range(max(most, most_beside) + 1):
            workers = (epochs * q + worker_rate - 1) // worker_rate
            moving = chunk_size * max(0, q - data[r])
            if q <= most:
                volume = moving + parameter_size * workers
                cost = workers * worker_price[r] + price * volume
                if server < 0:
                    same = served[r, d - q] + cost == here and served_use[r, d - q] + volume == mb
                else:
                    same = idle[r, d - q] + cost == here and idle_use[r, d - q] + volume == mb
                if same:
                    processed[r] = q
                    break
            if q <= most_beside:
                cost = workers * worker_price[r] + price * moving + server_price[r]
                if idle[r, d - q] + cost == here and idle_use[r, d - q] + moving == mb:
                    processed[r] = q
                    server = r
                    break
        d -= processed[r]
    return server


@compiled
def bound_workloads(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    data: Ints,
    price: float,
    free_transfer: float,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    rounds: int,
    only: int,
    tables: Floats,
    lower: Floats,
    upper: Floats,
    multiplier: Floats,
) -> None:
    """Bound the cost of every workload and remember the multiplier of the best cover that fits.

    Parameters
    ----------
    price, free_transfer
        Price of transfer per MB, and MB left.
    rounds
        Multipliers to try after the first two.
    only
        The one workload that matters, or -1 for all.
    tables
        Shape (4, sites + 1, workload + 1), scratch.
    lower, upper, multiplier
        Shape (workload + 1,), overwritten; upper is infinite where no cover was found to fit.
    """
    sites = len(data)
    total = len(lower) - 1
    first = 1 if only < 0 else only
    fits = free_transfer + GUARD
    cover_with_transfer(
        worker_price, server_price, alone, beside_server, data, price, chunk_size, parameter_size,
        epochs, worker_rate, tables[0], tables[1], tables[2], tables[3],
    )  # fmt: skip
    upper[:] = np.inf
    multiplier[:] = 0.0
    lower[:] = tables[1, sites]
    lower[0] = upper[0] = 0.0
    dear_cost = tables[1, sites].copy()  # best cover that does not fit, and what it transfers
    dear_use = tables[3, sites].copy()
    fair_use = np.zeros(total + 1)  # transfer of the cover behind `upper`
    settled = np.ones(total + 1, np.int64)
    highest = 0.0
    for d in range(first, total + 1):
        if lower[d] < np.inf:
            if tables[3, sites, d] <= fits:
                upper[d] = lower[d]
            else:
                settled[d] = 0
                highest = max(highest, lower[d])
    if settled.all():
        return
    unit = chunk_size if chunk_size > 0 else parameter_size
    if parameter_size > 0:
        unit = min(unit, parameter_size)
    m = (1.0 + highest) * 1e3 / unit  # transfer weighs more than anything else
    worst = -1
    none_fits = 0  # workloads for which even at that multiplier nothing that fits was found
    for step in range(rounds + 1):
        cover_with_transfer(
            worker_price, server_price, alone, beside_server, data, price + m, chunk_size,
            parameter_size, epochs, worker_rate, tables[0], tables[1], tables[2], tables[3],
        )  # fmt: skip
        for d in range(first, total + 1):
            if settled[d] > 0:
                continue
            value, use = tables[1, sites, d], tables[3, sites, d]
            bound = value - m * free_transfer
            cost = value - m * use
            progress = False
            # at a huge multiplier rounding could spoil the bound, so only later ones count
            if step > 0 and bound > lower[d] + CLOSED * (1.0 + abs(lower[d])):
                lower[d] = bound
                progress = True
            if use <= fits:
                if cost < upper[d] - CLOSED * (1.0 + abs(cost)):
                    upper[d], multiplier[d], fair_use[d] = cost, m, use
                    progress = True
            elif step > 0 and use < dear_use[d]:
                dear_cost[d], dear_use[d] = cost, use
                progress = True
            if step == 0 and use > fits:
                settled[d] = 2
                none_fits += 1
            if upper[d] < np.inf and upper[d] - lower[d] <= CLOSED * (1.0 + abs(upper[d])):
                settled[d] = 1
            if d == worst and not progress:
                settled[d] = 1
        if step == 0 and none_fits > 0:
            # two covers can differ by less than a unit of transfer; only the least transfer tells
            nothing = np.zeros(sites)
            cover_with_transfer(
                nothing, nothing, alone, beside_server, data, 1.0, chunk_size, parameter_size,
                epochs, worker_rate, tables[0], tables[1], tables[2], tables[3],
            )  # fmt: skip
            for d in range(first, total + 1):
                if settled[d] == 2 and tables[1, sites, d] > fits:
                    lower[d] = np.inf
        worst, widest = -1, 0.0
        for d in range(first, total + 1):
            if settled[d] == 0 and upper[d] - lower[d] > widest:
                worst, widest = d, upper[d] - lower[d]
        if worst < 0:
            return
        rise, fall = upper[worst] - dear_cost[worst], dear_use[worst] - fair_use[worst]
        m = max(0.0, rise) / fall
