"""The one-slot problem (8) without its transfer row, for every workload at once, site by site.

States are the chunks processed so far and whether the server stands already.  A site that
processes q chunks costs

    without server   ⌈E q/P⌉ (c + α λ) + α θ max(0, q - M)
    with server      ⌈E q/P⌉ c         + α θ max(0, q - M) + server price

where c is the price of a worker there and M the chunks it stores.  The sums over the sites of the
least costs are exact, because without the transfer row nothing else couples the sites.

Readable functions in numpy treat all slots at once; kernels treat one slot after the other and are
what algorithms call.  Tests hold them equal.
"""

from __future__ import annotations

import numpy as np

from farkas.compiled import Floats1, Floats2, Ints1, Out, compiled
from farkas.numbers import Floats
from farkas.relaxations.eris.slots import JobSlots, Slot, chunks_of, workers_of


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
def cover_slot(slot: Slot, idle: Out[Floats2], served: Out[Floats2]) -> None:
    """Fill the tables of one slot: row r is the least cost over the first r sites.

    Parameters
    ----------
    idle, served
        Shape (sites + 1, workload + 1), overwritten: without and with the server placed.
    """
    epochs, rate = slot.epochs, slot.worker_rate
    total = idle.shape[1] - 1
    per_move = slot.transfer_price * slot.chunk_size  # α θ
    per_remote = slot.transfer_price * slot.parameter_size  # α λ
    idle[:] = np.inf
    served[:] = np.inf
    idle[0, 0] = 0.0
    # largest workloads that are possible so far: beyond them every entry is infinite
    reach_idle, reach_served = 0, -1
    for r in range(len(slot.data)):
        most = chunks_of(slot.alone[r], epochs, rate, total)
        most_beside = chunks_of(slot.beside_server[r], epochs, rate, total)
        idle_now, idle_next = idle[r], idle[r + 1]
        served_now, served_next = served[r], served[r + 1]
        for q in range(max(most, most_beside) + 1):
            workers = workers_of(q, epochs, rate)
            moving = per_move * max(0, q - slot.data[r])
            if q <= most:
                cost = workers * (slot.worker_price[r] + per_remote) + moving
                for d in range(min(total, reach_idle + q) + 1 - q):
                    idle_next[d + q] = min(idle_next[d + q], idle_now[d] + cost)
                for d in range(min(total, reach_served + q) + 1 - q):
                    served_next[d + q] = min(served_next[d + q], served_now[d] + cost)
            if q <= most_beside:
                cost = workers * slot.worker_price[r] + moving + slot.server_price[r]
                for d in range(min(total, reach_idle + q) + 1 - q):
                    served_next[d + q] = min(served_next[d + q], idle_now[d] + cost)
        reach_idle, reach_served = reach(reach_idle, reach_served, most, most_beside, total)


@compiled
def reach(idle: int, served: int, most: int, most_beside: int, total: int) -> tuple[int, int]:
    """Largest workloads without and with the server, -1 for none, when one site more takes part."""
    if served >= 0:
        served = min(total, served + most)
    if most_beside >= 0:
        served = max(served, min(total, idle + most_beside))
    return min(total, idle + most), served


@compiled
def add_slot(before: Floats1, costs: Floats1, after: Out[Floats1]) -> None:
    """Least cost up to a slot: after[n] = min over d of costs[d] + before[n - d]."""
    total = len(before) - 1
    for n in range(total + 1):
        after[n] = before[n] + costs[0]
    for d in range(1, total + 1):
        if costs[d] < np.inf:
            for n in range(d, total + 1):
                after[n] = min(after[n], before[n - d] + costs[d])


@compiled
def trace_slot(
    slot: Slot, idle: Floats2, served: Floats2, workload: int, processed: Out[Ints1]
) -> int:
    """Read a cheapest cover of ``workload`` >= 1 chunks off the tables of `cover_slot`.

    Fills ``processed``, shape (sites,), chunks per site, and returns the server's site.
    """
    epochs, rate = slot.epochs, slot.worker_rate
    per_move = slot.transfer_price * slot.chunk_size
    per_remote = slot.transfer_price * slot.parameter_size
    server = -1
    d = workload
    for r in range(len(slot.data) - 1, -1, -1):
        here = served[r + 1, d] if server < 0 else idle[r + 1, d]
        most = chunks_of(slot.alone[r], epochs, rate, d)
        most_beside = chunks_of(slot.beside_server[r], epochs, rate, d) if server < 0 else -1
        # the same sums in the same order as when the table was filled, so one of them is equal
        for q in range(max(most, most_beside) + 1):
            workers = workers_of(q, epochs, rate)
            moving = per_move * max(0, q - slot.data[r])
            cost = workers * (slot.worker_price[r] + per_remote) + moving
            before = served[r, d - q] if server < 0 else idle[r, d - q]
            if q <= most and before + cost == here:
                processed[r] = q
                break
            cost = workers * slot.worker_price[r] + moving + slot.server_price[r]
            if q <= most_beside and idle[r, d - q] + cost == here:
                processed[r] = q
                server = r
                break
        d -= processed[r]
    return server
