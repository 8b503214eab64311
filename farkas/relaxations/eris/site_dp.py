"""The one-slot problem (8) without its transfer row, for every workload at once, site by site.

States are the chunks processed so far and whether the server stands already.  A site that
processes q chunks costs

    without server   ⌈E q/P⌉ (c + α λ) + α θ max(0, q - M)
    with server      ⌈E q/P⌉ c         + α θ max(0, q - M) + server price

where c is the price of a worker there and M the chunks it stores.  The sums over the sites of the
least costs are exact, because without the transfer row nothing else couples the sites.

Readable functions in numpy treat all slots at once; kernels in numba treat one slot after the
other and are what algorithms call.  Tests hold them equal.
"""

from __future__ import annotations

import numpy as np

from farkas.compiled import compiled
from farkas.numbers import Floats, Ints
from farkas.relaxations.eris.slots import JobSlots


def slot_costs(job: JobSlots) -> Floats:
    """Least cost of processing d chunks in each slot, shape (window, chunks + 1); inf if too many.

    Every slot finds all data of the job in place.
    """
    total = job.chunks
    idle, served = _start(job.window, total), np.full((job.window, total + 1), np.inf)
    for site in range(len(job.data)):
        alone = site_costs(job, site, with_server=False)
        hosting = site_costs(job, site, with_server=True)
        served = np.minimum(_added(served, alone), _added(idle, hosting))
        idle = _added(idle, alone)
    served[:, 0] = 0.0  # nothing to do needs no server
    return served


def site_costs(job: JobSlots, site: int, *, with_server: bool) -> Floats:
    """Cost of processing q chunks at ``site`` in each slot, shape (window, most chunks + 1)."""
    fits = (job.beside_server if with_server else job.alone)[:, site]
    room = np.where(fits < 0, -1, fits * job.worker_rate // job.epochs)
    chunks = np.arange(min(job.chunks, int(room.max(initial=0))) + 1)
    workers = -(-job.epochs * chunks // job.worker_rate)
    moved = np.maximum(0, chunks - job.data[site])
    away = 0.0 if with_server else job.parameter_size
    per_worker = job.worker_price[:, site] + job.transfer_price * away
    cost = np.outer(per_worker, workers) + np.outer(job.transfer_price * job.chunk_size, moved)
    if with_server:
        cost = cost + job.server_price[:, site, None]
    return np.where(chunks[None] <= room[:, None], cost, np.inf)


def _start(window: int, total: int) -> Floats:
    start = np.full((window, total + 1), np.inf)
    start[:, 0] = 0.0
    return start


def _added(before: Floats, costs: Floats) -> Floats:
    """Least cost when one site more takes part, by slot and chunks."""
    after = np.full_like(before, np.inf)
    for chunks in range(costs.shape[1]):
        reach = before[:, : before.shape[1] - chunks] + costs[:, chunks, None]
        np.minimum(after[:, chunks:], reach, out=after[:, chunks:])
    return after


@compiled
def cover_slot(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    data: Ints,
    per_move: float,
    per_remote: float,
    epochs: int,
    worker_rate: int,
    idle: Floats,
    served: Floats,
) -> None:
    """Fill the tables of one slot: row r is the least cost over the first r sites.

    Parameters
    ----------
    worker_price, server_price, alone, beside_server, data
        Shape (sites,).
    per_move, per_remote
        Cost of moving a chunk, α θ, and of a remote worker, α λ.
    idle, served
        Shape (sites + 1, workload + 1), overwritten: without and with the server placed.
    """
    sites = len(data)
    total = idle.shape[1] - 1
    idle[:] = np.inf
    served[:] = np.inf
    idle[0, 0] = 0.0
    reach_idle = 0  # largest workload that is possible so far
    reach_served = -1
    for r in range(sites):
        most = min(alone[r] * worker_rate // epochs, total)
        most_beside = -1
        if beside_server[r] >= 0:
            most_beside = min(beside_server[r] * worker_rate // epochs, total)
        idle_now, idle_next = idle[r], idle[r + 1]
        served_now, served_next = served[r], served[r + 1]
        for q in range(max(most, most_beside) + 1):
            workers = (epochs * q + worker_rate - 1) // worker_rate
            moving = per_move * max(0, q - data[r])
            if q <= most:
                cost = workers * (worker_price[r] + per_remote) + moving
                for d in range(min(total, reach_idle + q) + 1 - q):
                    idle_next[d + q] = min(idle_next[d + q], idle_now[d] + cost)
                for d in range(min(total, reach_served + q) + 1 - q):
                    served_next[d + q] = min(served_next[d + q], served_now[d] + cost)
            if q <= most_beside:
                cost = workers * worker_price[r] + moving + server_price[r]
                for d in range(min(total, reach_idle + q) + 1 - q):
                    served_next[d + q] = min(served_next[d + q], idle_now[d] + cost)
        if reach_served >= 0:
            reach_served = min(total, reach_served + most)
        if most_beside >= 0:
            reach_served = max(reach_served, min(total, reach_idle + most_beside))
        reach_idle = min(total, reach_idle + most)


@compiled
def add_slot(before: Floats, costs: Floats, after: Floats) -> None:
    """Least cost up to a slot: after[n] = min over d of costs[d] + before[n - d]."""
    total = len(before) - 1
    after[:] = before + costs[0]
    for d in range(1, total + 1):
        if costs[d] < np.inf:
            for n in range(d, total + 1):
                after[n] = min(after[n], before[n - d] + costs[d])


@compiled
def trace_slot(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    data: Ints,
    per_move: float,
    per_remote: float,
    epochs: int,
    worker_rate: int,
    idle: Floats,
    served: Floats,
    workload: int,
    processed: Ints,
) -> int:
    """Read a cheapest cover of ``workload`` >= 1 chunks off the tables of `cover_slot`.

    Fills ``processed``, shape (sites,), chunks per site, and returns the server's site.
    """
    server = -1
    d = workload
    for r in range(len(data) - 1, -1, -1):
        here = served[r + 1, d] if server < 0 else idle[r + 1, d]
        most = min(alone[r] * worker_rate // epochs, d)
        most_beside = -1
        if server < 0 and beside_server[r] >= 0:
            most_beside = min(beside_server[r] * worker_rate // epochs, d)
        for q in range(max(most, most_beside) + 1):
            workers = (epochs * q + worker_rate - 1) // worker_rate
            moving = per_move * max(0, q - data[r])
            cost = workers * (worker_price[r] + per_remote) + moving
            before = served[r, d - q] if server < 0 else idle[r, d - q]
            if q <= most and before + cost == here:
                processed[r] = q
                break
            cost = workers * worker_price[r] + moving + server_price[r]
            if q <= most_beside and idle[r, d - q] + cost == here:
                processed[r] = q
                server = r
                break
        d -= processed[r]
    return server
