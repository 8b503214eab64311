"""Servers with idle units, and the jobs that hold the rest."""

import dataclasses
import heapq

import numpy as np

from farkas.numbers import Ints
from farkas.online.dps.offers import Known, Offer
from farkas.online.dps.placing import RULES, Placing, Units, colocated, fill


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Running:
    """A job that holds units, ordered by end and then by number."""

    end: float
    job: int
    runtime: float = dataclasses.field(compare=False)
    offer: Offer = dataclasses.field(compare=False)
    units: Units = dataclasses.field(compare=False)


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
        self._running: list[Running] = []

    def release(self, slot: int) -> list[Running]:
        """Take back the units of every job that is over at ``slot``, by end, then number."""
        over: list[Running] = []
        while self._running and self._is_over(self._running[0].end, slot):
            job = heapq.heappop(self._running)
            self.idle_workers[:, job.offer.worker_type] += job.units[0]
            self.idle_ps[:, job.offer.ps_type] += job.units[1]
            over.append(job)
        return over

    def _is_over(self, end: float, slot: int) -> bool:
        return end < slot if self.closed else end <= slot

    def fits(self, offer: Offer) -> bool:
        """Whether all servers together have enough idle units."""
        workers = self.idle_workers[:, offer.worker_type].sum()
        ps = self.idle_ps[:, offer.ps_type].sum()
        return bool(workers >= offer.workers and ps >= offer.ps)

    def place(self, offer: Offer) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Place a job that fits; return servers, workers and parameter servers on each."""
        idle = self.idle_workers[:, offer.worker_type], self.idle_ps[:, offer.ps_type]
        if self.placing == "random":
            units = fill(self.rng.permutation(len(idle[0])), *idle, offer.workers, offer.ps)
        else:
            units = RULES[self.placing](*idle, offer.workers, offer.ps)
        assert units is not None
        self.idle_workers[:, offer.worker_type] -= units[0]
        self.idle_ps[:, offer.ps_type] -= units[1]
        whole = colocated(units)
        job = Running(offer.end(whole), offer.job, offer.runtime(whole), offer, units)
        heapq.heappush(self._running, job)
        used = np.flatnonzero(units[0] + units[1])
        return tuple(used.tolist()), tuple(units[0][used].tolist()), tuple(units[1][used].tolist())
