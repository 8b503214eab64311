"""The bound on a job's payoff, all slots at once in numpy: what the kernel does slot by slot."""

from __future__ import annotations

import numpy as np

from farkas.numbers import Floats
from farkas.relaxations.eris.payoff_bound import JobSlots


def payoff_bound(job: JobSlots) -> float:
    """Upper bound on the payoff, >= 0."""
    if job.chunks == 0:
        return max(0.0, float(job.worth[0]))
    best = 0.0
    so_far = np.full(job.chunks + 1, np.inf)
    so_far[0] = 0.0
    for worth, costs in zip(job.worth, slot_costs(job), strict=True):
        shifted = [
            np.append(np.full(d, np.inf), so_far[: len(so_far) - d]) for d in range(len(costs))
        ]
        so_far = np.min(costs[:, None] + np.array(shifted), axis=0)
        best = max(best, float(worth - so_far[-1]))
    return best


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
