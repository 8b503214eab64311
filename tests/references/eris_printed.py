"""Algorithms 2 and 3 as printed, in plain Python: what `printed` compiles, line by line."""

from __future__ import annotations

import math

import numpy as np

from farkas.instances.eris import workers_for
from farkas.numbers import Ints
from farkas.online.eris.proposal import Proposal, nothing, without_data
from farkas.relaxations.eris.payoff_bound import JobSlots
from farkas.tolerances import ROUNDING

Deployment = tuple[float, Ints, int, int]
"""Cost, workers by site, server, chunks moved."""


def coarse(value: float, size: float) -> float:
    """Round to a 2**-30 of the largest power of 2 up to ``size``."""
    unit = math.ldexp(1.0, math.frexp(size)[1] - 31)
    return round(value / unit) * unit


def algorithm_2(job: JobSlots) -> Proposal:
    """Best schedule: enumerate the slot of completion, share one table of costs."""
    if job.chunks == 0:
        return without_data(job)
    total = job.chunks
    least = [0.0] + [math.inf] * total
    choices: list[list[int]] = []
    best, finish, paid = 0.0, -1, 0.0
    for slot in range(job.window):
        costs = [algorithm_3(job, slot, d)[0] for d in range(total + 1)]
        after, choice = [math.inf] * (total + 1), [0] * (total + 1)
        for n in range(total + 1):
            for d in range(n + 1):
                value = costs[d] + least[n - d]
                if value * (1 + ROUNDING) < after[n]:
                    after[n], choice[n] = value, d
        least = after
        choices.append(choice)
        payoff = float(job.worth[slot]) - least[total]
        if payoff > best + ROUNDING * job.worth[slot]:
            best, finish, paid = payoff, slot, least[total]
    if finish < 0:
        return nothing(job.window, len(job.data))
    found = nothing(job.window, len(job.data))
    left = total
    for slot in range(finish, -1, -1):
        workload = choices[slot][left]
        left -= workload
        if workload > 0:
            _, found.workers[slot], found.server[slot], found.moved[slot] = algorithm_3(
                job, slot, workload
            )
    return Proposal(best, finish, paid, found.workers, found.server, found.moved)


def algorithm_3(job: JobSlots, slot: int, workload: int) -> Deployment:
    """Deploy ``workload`` chunks in one slot; none place nothing and cost nothing."""
    sites = range(len(job.data))
    workers = np.zeros(len(job.data), np.int64)
    if workload == 0:
        return 0.0, workers, 0, 0
    price = job.worker_price[slot]
    need = workers_for(workload, job.epochs, job.worker_rate)
    room = [min(need, max(0, int(count))) for count in job.beside_server[slot]]
    moves = planned_moves(job, slot, workload, room)
    for site in sorted(sites, key=lambda r: (coarse(price[r], price[r]), r)):
        chunks = int(job.data[site]) + int(moves[:, site].sum())
        wanted = workers_for(chunks, job.epochs, job.worker_rate)
        workers[site] = max(0, min(wanted, room[site], need - int(workers.sum())))
    server = int(np.argmax(workers))
    moved = int(moves.sum())
    remote = int(workers.sum() - workers[server])
    volume = job.chunk_size * moved + job.parameter_size * remote
    if workers.sum() < need or volume > job.most_transfer[slot]:
        return math.inf, workers, server, moved
    cost = float(job.transfer_price[slot] * volume + job.server_price[slot, server])
    return cost + float((price * workers).sum()), workers, server, moved


def planned_moves(job: JobSlots, slot: int, workload: int, room: list[int]) -> Ints:
    """Chunks moved between sites by (10), pair after pair, best metric (9) first."""
    sites = range(len(job.data))
    price, moves = job.worker_price[slot], np.zeros((len(job.data), len(job.data)), np.int64)
    per_chunk = job.chunk_size * job.transfer_price[slot]
    passes = job.epochs / job.worker_rate
    metric = {
        (r, o): float(per_chunk - passes * (price[r] - price[o]))
        for r in sites
        for o in sites
        if r != o
    }
    saved = {(r, o): passes * float(price[r]) for r, o in metric}
    pairs = [pair for pair, value in metric.items() if value < -ROUNDING * saved[pair]]
    excluded: set[int] = set()
    seen: list[int] = []
    for r, o in sorted(pairs, key=lambda pair: (coarse(metric[pair], saved[pair]), pair)):
        if r in excluded or o in excluded:
            continue
        affordable = math.inf
        if job.chunk_size > 0 and job.free_transfer[slot] < job.chunk_size * workload:
            affordable = math.floor(job.free_transfer[slot] / job.chunk_size + ROUNDING)
        terms = (
            job.data[r] - moves[r].sum(),
            affordable,
            workload - sum(int(job.data[x] + moves[:, x].sum()) for x in seen),
            room[o] * job.worker_rate // job.epochs - job.data[o] - moves[:, o].sum(),
        )
        count = int(min(terms))
        if count < 0:
            count = 0
            excluded.add(o)
        moves[r, o] = count
        if o not in seen:
            seen.append(o)
    return moves
