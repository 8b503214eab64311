"""A market of kind dps job by job, with lists: who is served, where and for how much."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.instances.dps import Market

Units = tuple[list[int], list[int]]


def algorithm_2(idle_workers: list[int], idle_ps: list[int], workers: int, ps: int) -> Units:
    """Units by server: the first that holds the job, else workers and then parameter servers."""
    servers = range(len(idle_workers))
    order = sorted(servers, key=lambda s: (-idle_workers[s], -idle_ps[s], s))
    for s in order:
        if idle_workers[s] >= workers and idle_ps[s] >= ps:
            return [workers * (s == t) for t in servers], [ps * (s == t) for t in servers]
    taken: Units = [0 for _ in servers], [0 for _ in servers]
    for given, idle, left in zip(taken, (idle_workers, idle_ps), (workers, ps), strict=True):
        for s in order:
            given[s] = min(idle[s], left)
            left -= given[s]
    return taken


def best_fit(idle_workers: list[int], idle_ps: list[int], workers: int, ps: int) -> Units:
    """Units by server: the one that the job fills best, else as in Algorithm 2."""
    servers = range(len(idle_workers))
    hosts = [s for s in servers if idle_workers[s] >= workers and idle_ps[s] >= ps]
    if not hosts:
        return algorithm_2(idle_workers, idle_ps, workers, ps)
    tight = min(hosts, key=lambda s: (idle_workers[s] + idle_ps[s], s))
    return [workers * (s == tight) for s in servers], [ps * (s == tight) for s in servers]


def in_random_order(rng: np.random.Generator) -> Callable[[list[int], list[int], int, int], Units]:
    """Servers filled in an order drawn anew for every job, without a look for a single one."""

    def place(idle_workers: list[int], idle_ps: list[int], workers: int, ps: int) -> Units:
        order = rng.permutation(len(idle_workers)).tolist()
        taken: Units = [0 for _ in order], [0 for _ in order]
        for given, idle, left in zip(taken, (idle_workers, idle_ps), (workers, ps), strict=True):
            for s in order:
                given[s] = min(idle[s], left)
                left -= given[s]
        return taken

    return place


def runtimes(market: Market, number: int) -> tuple[float, float]:
    """Slots that a job runs on one server, and on several; (1)."""
    job = market.jobs[number]
    reach = market.worker_bandwidth[job.worker_type], market.ps_bandwidth[job.ps_type]
    speed = min(
        math.inf if reach[0] is None else reach[0],
        math.inf if reach[1] is None else reach[1] / job.workers,
    )
    whole = job.epochs * job.epoch_compute
    spread = whole + 2 * job.epochs * job.model_size / (speed * market.slot_seconds)
    if market.runtime_rounding == "none":
        return whole, spread
    return tuple(float(max(1, math.ceil(slots - 1e-9))) for slots in (whole, spread))  # type: ignore[return-value]


def sell(
    market: Market,
    pays: Callable[[int], float | None],
    over: Callable[[int, float], None] = lambda job, runtime: None,
    arrives: Callable[[int], None] = lambda job: None,
    place: Callable[[list[int], list[int], int, int], Units] = algorithm_2,
) -> list[tuple[str, Any]]:
    """Handle every job; ``pays`` answers for one that fits, None where the user declines.

    Jobs that are over by an arrival are told to ``over`` first, by number; then the arrival is
    told to ``arrives``, whether it fits or not.

    Returns
    -------
    What became of every job: full, declined, or served with its units.
    """
    idle_workers = [list(row) for row in market.server_workers]
    idle_ps = [list(row) for row in market.server_ps]
    running: list[tuple[float, int, float, Units]] = []
    told: list[tuple[str, Any]] = []
    for number, job in enumerate(market.jobs):
        kind, other = job.worker_type, job.ps_type
        for end, gone, runtime, units in sorted(running, key=lambda each: each[1]):
            if end > job.arrival or (end == job.arrival and market.occupancy == "closed"):
                continue
            running = [each for each in running if each[1] != gone]
            for s in range(len(idle_workers)):
                idle_workers[s][market.jobs[gone].worker_type] += units[0][s]
                idle_ps[s][market.jobs[gone].ps_type] += units[1][s]
            over(gone, runtime)
        arrives(number)
        workers, ps = [row[kind] for row in idle_workers], [row[other] for row in idle_ps]
        if sum(workers) < job.workers or sum(ps) < job.ps:
            told.append(("full", None))
            continue
        if pays(number) is None:
            told.append(("declined", None))
            continue
        units = place(workers, ps, job.workers, job.ps)
        whole = sum(a + b > 0 for a, b in zip(*units, strict=True)) == 1
        runtime = runtimes(market, number)[0 if whole else 1]
        end = max(job.arrival + runtime, math.nextafter(job.arrival, math.inf))
        for s in range(len(idle_workers)):
            idle_workers[s][kind] -= units[0][s]
            idle_ps[s][other] -= units[1][s]
        running.append((end, number, runtime, units))
        told.append(("served", units))
    return told
