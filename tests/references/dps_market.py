"""A market of kind dps job by job, with lists: who is served, where and for how much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def sell(
    market: Market,
    pays: Callable[[int], float | None],
    over: Callable[[int, float], None] = lambda job, runtime: None,
) -> list[tuple[str, Any]]:
    """Handle every job; ``pays`` answers for one that fits, None where the user declines.

    Jobs that are over by an arrival are told to ``over`` first, by number.

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
        workers, ps = [row[kind] for row in idle_workers], [row[other] for row in idle_ps]
        if sum(workers) < job.workers or sum(ps) < job.ps:
            told.append(("full", None))
            continue
        if pays(number) is None:
            told.append(("declined", None))
            continue
        units = algorithm_2(workers, ps, job.workers, job.ps)
        whole = sum(a + b > 0 for a, b in zip(*units, strict=True)) == 1
        runtime = (market.colocated_runtime if whole else market.spread_runtime)[number]
        end = (market.colocated_end if whole else market.spread_end)[number]
        for s in range(len(idle_workers)):
            idle_workers[s][kind] -= units[0][s]
            idle_ps[s][other] -= units[1][s]
        running.append((float(end), number, float(runtime), units))
        told.append(("served", units))
    return told
