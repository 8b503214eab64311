"""Algorithms 2 and 3 as printed: the best schedule of a job by greedy placement in every slot.

What the text leaves open is read so: Algorithm 2 begins with cost 0 for no chunks and an infinite
one for any other number; its inner function returns the best cost; all completion slots share one
table; a workload of 0 places nothing.  Algorithm 3 sees all data of the job in every slot, because
the recursion of Algorithm 2 hands it no history.  It reserves room for a server everywhere, as
section IV-D says and line 14 forgets.

Schedules found this way may be impossible: data can be used twice, and Σ⌈E q/P⌉ may need more
workers than ⌈E Σq/P⌉.  `farkas.online.eris.executable` tells.
"""

from __future__ import annotations

import numpy as np

from farkas.compiled import compiled, compiled_if_long
from farkas.numbers import Floats, Ints
from farkas.online.eris.schedule import Proposal, nothing, without_data
from farkas.relaxations.eris.slots import JobSlots
from farkas.tolerances import ROUNDING as GUARD

DIGITS = 9
"""Prices are compared after rounding to this many decimals."""


def printed_schedule(job: JobSlots) -> Proposal:
    """Best schedule by Algorithms 2 and 3."""
    if job.chunks == 0:
        return without_data(job)
    workers = np.zeros((job.window, len(job.data)), np.int64)
    server = np.full(job.window, -1)
    moved = np.zeros(job.window, np.int64)
    sites = len(job.data)
    with compiled_if_long(job.window * (job.chunks + 1) * (sites * (sites + 2) + job.chunks)):
        payoff, finish, cost = _algorithm_2(
            job.worker_price,
            job.server_price,
            np.maximum(job.beside_server, 0),
            job.transfer_price,
            job.free_transfer,
            job.data,
            job.worth,
            job.chunk_size,
            job.parameter_size,
            job.epochs,
            job.worker_rate,
            workers,
            server,
            moved,
        )
    if finish < 0:
        return nothing(job.window, len(job.data))
    return Proposal(payoff, finish, cost, workers, server, moved)


def printed_slot(job: JobSlots, slot: int, workload: int) -> tuple[float, int, int, Ints]:
    """Algorithm 3 alone: cost (infinite if it finds none), server, chunks moved, workers by site.

    Parameters
    ----------
    slot
        Counted from the arrival.
    workload
        Chunks to process, >= 1.
    """
    workers = np.zeros(len(job.data), np.int64)
    origin, target, cheap = _pairs(
        job.worker_price[slot],
        job.chunk_size * job.transfer_price[slot],
        job.epochs / job.worker_rate,
    )
    scratch = np.zeros((4, len(job.data)), np.int64)
    cost, server, moved = _algorithm_3(
        job.worker_price[slot],
        job.server_price[slot],
        np.maximum(job.beside_server[slot], 0),
        job.transfer_price[slot],
        job.free_transfer[slot],
        job.data,
        job.chunk_size,
        job.parameter_size,
        job.epochs,
        job.worker_rate,
        workload,
        origin,
        target,
        cheap,
        scratch[0],
        scratch[1],
        scratch[2],
        scratch[3],
        workers,
    )
    return cost, server, moved, workers


@compiled
def _pairs(worker_price: Floats, per_chunk: float, passes: float) -> tuple[Ints, Ints, Ints]:
    """Pairs (from, to) of sites with negative metric (9), best first, and sites by price."""
    sites = len(worker_price)
    metric = np.empty(sites * sites)
    origin = np.empty(sites * sites, np.int64)
    target = np.empty(sites * sites, np.int64)
    count = 0
    for r in range(sites):
        for o in range(sites):
            omega = per_chunk - passes * (worker_price[r] - worker_price[o])
            if r != o and omega < -GUARD:
                metric[count] = omega
                origin[count], target[count] = r, o
                count += 1
    # a stable sort keeps equal metrics in the order of the sites
    order = np.argsort(np.round(metric[:count], DIGITS), kind="mergesort")
    cheap = np.argsort(np.round(worker_price, DIGITS), kind="mergesort")
    return origin[:count][order], target[:count][order], cheap


@compiled
def _algorithm_3(
    worker_price: Floats,
    server_price: Floats,
    room: Ints,
    transfer_price: float,
    free_transfer: float,
    data: Ints,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    workload: int,
    origin: Ints,
    target: Ints,
    cheap: Ints,
    gone: Ints,
    come: Ints,
    barred: Ints,
    seen: Ints,
    workers: Ints,
) -> tuple[float, int, int]:
    """Cost, server and chunks moved for ``workload`` >= 1 chunks; fills ``workers``."""
    need = (epochs * workload + worker_rate - 1) // worker_rate
    gone[:] = 0
    come[:] = 0
    barred[:] = 0
    seen[:] = 0
    workers[:] = 0
    affordable = workload
    if chunk_size > 0 and free_transfer < chunk_size * workload:
        affordable = int(np.floor(free_transfer / chunk_size + GUARD))
    moved = 0
    covered = 0  # chunks at the destinations seen so far
    for j in range(len(origin)):
        if covered >= workload:
            break  # (10) is at most 0 from here on
        r, o = origin[j], target[j]
        if barred[r] == 1 or barred[o] == 1:
            continue
        still = min(need, room[o]) * worker_rate // epochs - data[o] - come[o]
        h = min(min(data[r] - gone[r], affordable), min(workload - covered, still))
        if h < 0:
            h = 0
            barred[o] = 1
        gone[r] += h
        come[o] += h
        moved += h
        if seen[o] == 0:
            seen[o] = 1
            covered += data[o] + come[o]
        else:
            covered += h
    placed = 0
    for j in range(len(cheap)):
        r = cheap[j]
        wanted = (epochs * (data[r] + come[r]) + worker_rate - 1) // worker_rate
        workers[r] = max(0, min(min(wanted, min(need, room[r])), need - placed))
        placed += workers[r]
    server = 0
    for r in range(len(workers)):
        if workers[r] > workers[server]:
            server = r
    volume = chunk_size * moved + parameter_size * (placed - workers[server])
    if placed < need or free_transfer - volume < -GUARD:
        return np.inf, server, moved
    cost = transfer_price * volume + server_price[server]
    for r in range(len(workers)):
        cost += worker_price[r] * workers[r]
    return cost, server, moved


@compiled
def _algorithm_2(
    worker_price: Floats,
    server_price: Floats,
    room: Ints,
    transfer_price: Floats,
    free_transfer: Floats,
    data: Ints,
    worth: Floats,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    workers: Ints,
    server: Ints,
    moved: Ints,
) -> tuple[float, int, float]:
    window, sites = worker_price.shape
    total = data.sum()
    choice = np.zeros((window, total + 1), np.int64)
    before = np.full(total + 1, np.inf)
    before[0] = 0.0
    costs = np.zeros(total + 1)
    scratch = np.zeros((4, sites), np.int64)
    counts = np.zeros(sites, np.int64)
    best, finish, paid = 0.0, -1, 0.0
    for t in range(window):
        if worth[t] <= best:  # costs are not negative and worth never rises
            break
        origin, target, cheap = _pairs(
            worker_price[t], chunk_size * transfer_price[t], epochs / worker_rate
        )
        for d in range(1, total + 1):
            costs[d] = _algorithm_3(
                worker_price[t], server_price[t], room[t], transfer_price[t], free_transfer[t],
                data, chunk_size, parameter_size, epochs, worker_rate, d, origin, target, cheap,
                scratch[0], scratch[1], scratch[2], scratch[3], counts,
            )[0]  # fmt: skip
        after = np.full(total + 1, np.inf)
        for n in range(total + 1):
            for d in range(n + 1):
                value = costs[d] + before[n - d]
                # with an infinite right-hand side any finite value is an improvement
                if value < np.inf and (
                    after[n] == np.inf or value < after[n] - GUARD * (1.0 + abs(value))
                ):
                    after[n] = value
                    choice[t, n] = d
        before = after
        payoff = worth[t] - before[total]
        if payoff > best + GUARD * (1.0 + abs(payoff)):
            best, finish, paid = payoff, t, before[total]
    left = total
    for t in range(finish, -1, -1):
        d = choice[t, left]
        left -= d
        if d > 0:
            origin, target, cheap = _pairs(
                worker_price[t], chunk_size * transfer_price[t], epochs / worker_rate
            )
            _, server[t], moved[t] = _algorithm_3(
                worker_price[t], server_price[t], room[t], transfer_price[t], free_transfer[t],
                data, chunk_size, parameter_size, epochs, worker_rate, d, origin, target, cheap,
                scratch[0], scratch[1], scratch[2], scratch[3], workers[t],
            )  # fmt: skip
    return best, finish, paid
