"""One slot of a job by listing its covers: what they cost, move and send, and the dual of (7a)."""

from __future__ import annotations

import itertools
import math

from farkas.relaxations.eris.payoff_bound import JobSlots

Uses = dict[float, float]
"""Least cost by MB."""


def covers(job: JobSlots, t: int) -> list[Uses]:
    """Covers of 0, 1, ... chunks in slot ``t``, all data in place."""
    found: list[Uses] = [{} for _ in range(job.chunks + 1)]
    sites = range(len(job.data))
    for chunks in itertools.product(range(job.chunks + 1), repeat=len(job.data)):
        if not 0 < sum(chunks) <= job.chunks:
            continue
        workers = [math.ceil(q * job.epochs / job.worker_rate) for q in chunks]
        pairs = zip(chunks, job.data, strict=True)
        moved = job.chunk_size * sum(max(0, q - int(stored)) for q, stored in pairs)
        for server in sites:
            room = [job.beside_server[t, r] if r == server else job.alone[t, r] for r in sites]
            if room[server] < 0 or any(w > n for w, n in zip(workers, room, strict=True)):
                continue
            use = moved + job.parameter_size * (sum(workers) - workers[server])
            paid = sum(w * float(job.worker_price[t, r]) for r, w in enumerate(workers))
            cost = paid + float(job.server_price[t, server] + job.transfer_price[t] * use)
            of = found[sum(chunks)]
            of[use] = min(cost, of.get(use, math.inf))
    return found


def at(uses: Uses, free: float, m: float) -> float:
    """Lower bound at a multiplier."""
    return min(cost + m * (use - free) for use, cost in uses.items())


def dual(uses: Uses, free: float) -> float:
    """Best lower bound: at a multiplier 0, or where two covers tie."""
    ties = [
        (one - other) / (far - near)
        for (near, one), (far, other) in itertools.combinations(sorted(uses.items()), 2)
    ]
    return max(at(uses, free, m) for m in [0.0, *(m for m in ties if m > 0)])


def vertex(uses: Uses, most: float) -> float:
    """Cost of the cover that fits and is the cheapest at some multiplier, of least cost."""
    cheapest = (
        cost
        for use, cost in uses.items()
        if use <= most
        and _steepest(uses, use, cost) >= max(0.0, _flattest(uses, use, cost)) - 1e-12
    )
    return min(cheapest, default=math.inf)


def _steepest(uses: Uses, use: float, cost: float) -> float:
    return min(((c - cost) / (use - u) for u, c in uses.items() if u < use), default=math.inf)


def _flattest(uses: Uses, use: float, cost: float) -> float:
    return max(((cost - c) / (u - use) for u, c in uses.items() if u > use), default=-math.inf)
