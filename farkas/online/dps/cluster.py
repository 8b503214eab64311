"""Servers with idle units, and the jobs that hold the rest."""

import dataclasses
import heapq
import math

import numpy as np

from farkas.numbers import Ints
from farkas.online.dps.offers import Ask, Known, Offer
from farkas.online.dps.pricing import RULES, Placing, Units, colocated, fill


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A job that holds units; its runtime is not a number as long as nobody knows it."""

    job: int
    runtime: float
    ask: Ask
    units: Units


class IdleUnits:
    """Idle units of all servers.

    Parameters
    ----------
    known
        Installed units and what closed occupancy means.
    placing
        Rule; ``random`` draws one permutation of the servers for each job placed and fills them in
        that order, without a look for a single server.
    rng
        For ``random``.
    """

    def __init__(self, known: Known, placing: Placing, rng: np.random.Generator) -> None:
        self.idle_workers: Ints = known.installed_workers.copy()
        self.idle_ps: Ints = known.installed_ps.copy()
        self.closed = known.occupancy == "closed"
        self.placing = placing
        self.rng = rng
        self.running: dict[int, Running] = {}
        self._ends: list[tuple[float, int]] = []

    def release(self, slot: int) -> list[Running]:
        """Take back the units of every job that is over at ``slot``, by number."""
        over: list[int] = []
        while self._ends and self._is_over(self._ends[0][0], slot):
            over.append(heapq.heappop(self._ends)[1])
        return [self.take_back(job) for job in sorted(over)]

    def _is_over(self, end: float, slot: int) -> bool:
        return end < slot if self.closed else end <= slot

    def take_back(self, number: int) -> Running:
        """Take back the units of a job."""
        job = self.running.pop(number)
        self.idle_workers[:, job.ask.worker_type] += job.units[0]
        self.idle_ps[:, job.ask.ps_type] += job.units[1]
        return job

    def fits(self, ask: Ask) -> bool:
        """Whether all servers together have enough idle units."""
        workers = self.idle_workers[:, ask.worker_type].sum()
        ps = self.idle_ps[:, ask.ps_type].sum()
        return bool(workers >= ask.workers and ps >= ask.ps)

    def place(self, ask: Ask) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Place a job that fits; return servers, workers and parameter servers on each."""
        idle = self.idle_workers[:, ask.worker_type], self.idle_ps[:, ask.ps_type]
        if self.placing == "random":
            units = fill(self.rng.permutation(len(idle[0])), *idle, ask.workers, ask.ps)
        else:
            units = RULES[self.placing](*idle, ask.workers, ask.ps)
        assert units is not None
        self.hold(ask, units)
        used = np.flatnonzero(units[0] + units[1])
        return tuple(used.tolist()), tuple(units[0][used].tolist()), tuple(units[1][used].tolist())

    def hold(self, ask: Ask, units: Units) -> None:
        """Let a job hold units, until its end where that is known, else until taken back."""
        self.idle_workers[:, ask.worker_type] -= units[0]
        self.idle_ps[:, ask.ps_type] -= units[1]
        runtime = math.nan
        if isinstance(ask, Offer):
            whole = colocated(units)
            runtime = ask.runtime(whole)
            heapq.heappush(self._ends, (ask.end(whole), ask.job))
        self.running[ask.job] = Running(ask.job, runtime, ask, units)
