"""Complete search over acceptance and placement of kind dps."""

import itertools
from collections.abc import Iterator

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats

#: End, job, workers and parameter servers by server.
Held = tuple[float, int, tuple[int, ...], tuple[int, ...]]


def best_by_search(market: Market, rewards: Floats, forced: Bools | None = None) -> float:
    """Highest total reward over all ways to accept and place jobs, one job after the other.

    The work grows exponentially with jobs and servers; jobs with ``forced`` must be accepted
    whenever they fit.
    """
    return _search(market, rewards, forced, 0, [])


def _search(
    market: Market, rewards: Floats, forced: Bools | None, job: int, held: list[Held]
) -> float:
    if job == market.num_jobs:
        return 0.0
    data = market.jobs[job]
    held = [entry for entry in held if market.still_held(entry[0], data.arrival)]
    workers, ps = _idle(market, job, held)
    fits = sum(workers) >= data.workers and sum(ps) >= data.ps
    best = -np.inf
    if not (fits and forced is not None and forced[job]):
        best = _search(market, rewards, forced, job + 1, held)
    if not fits:
        return best
    for chosen in itertools.product(_taken(data.workers, workers), _taken(data.ps, ps)):
        used = sum(1 for units in zip(*chosen, strict=True) if any(units))
        ends = market.colocated_end if used == 1 else market.spread_end
        after = [*held, (float(ends[job]), job, *chosen)]
        best = max(best, float(rewards[job]) + _search(market, rewards, forced, job + 1, after))
    return best


def _idle(market: Market, job: int, held: list[Held]) -> tuple[list[int], list[int]]:
    data = market.jobs[job]
    workers = market.installed_workers[:, data.worker_type].tolist()
    ps = market.installed_ps[:, data.ps_type].tolist()
    for _, other, some, more in held:
        if market.jobs[other].worker_type == data.worker_type:
            workers = [a - b for a, b in zip(workers, some, strict=True)]
        if market.jobs[other].ps_type == data.ps_type:
            ps = [a - b for a, b in zip(ps, more, strict=True)]
    return workers, ps


def _taken(total: int, idle: list[int]) -> Iterator[tuple[int, ...]]:
    """Every way to take ``total`` units from servers with ``idle`` units."""
    for units in itertools.product(*(range(min(total, most) + 1) for most in idle)):
        if sum(units) == total:
            yield units
