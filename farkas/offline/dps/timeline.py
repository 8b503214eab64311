"""Idle units by server and slot, so that jobs can be placed in any order and taken away again.

Usage of a type rises at arrivals only, so that idle units at the slots of arrival say everything.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.certificates.sums import affordable
from farkas.instances.dps import Market
from farkas.numbers import Bools, Ints

Units = tuple[Ints, Ints, Ints]  #: Servers, and workers and parameter servers on each, of one job.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where a job is."""

    #: servers, workers, ps: servers used, and units on each.
    servers: Ints
    workers: Ints
    ps: Ints

    @property
    def whole(self) -> bool:
        """Whether one server holds the job."""
        return len(self.servers) == 1


class ServerTimeline:
    """What is idle, and where the jobs are.

    Raises `NotACertificate` when the table of idle units would be too large.
    """

    def __init__(self, market: Market) -> None:
        self.market = market
        slots = np.unique(market.arrival)
        types = market.num_worker_types + market.num_ps_types
        affordable(float(types) * market.num_servers * len(slots), "idle units by slot")
        self.first: Ints = np.searchsorted(slots, market.arrival)
        """Number of the arrival slot of each job, shape (jobs,)."""
        self._last = market.last_held(market.spread_end), market.last_held(market.colocated_end)
        self.after = tuple(np.searchsorted(slots, last, side="right") for last in self._last)
        """First arrival slot at which the job holds nothing any more: spread, and whole."""
        self._idle = tuple(
            np.repeat(installed.T[:, :, None], len(slots), axis=2).astype(np.int64)
            for installed in (market.installed_workers, market.installed_ps)
        )
        self._hosting: dict[tuple[int, int, int, int], Ints] = {}
        self.placed: dict[int, Placed] = {}
        self._on: list[set[int]] = [set() for _ in range(market.num_servers)]

    def hosting(self, job: int) -> Ints:
        """Servers that can host the whole job when they are empty."""
        market = self.market
        key = (
            int(market.worker_type[job]), int(market.workers[job]),
            int(market.ps_type[job]), int(market.ps[job]),
        )  # fmt: skip
        if key not in self._hosting:
            workers = market.installed_workers[:, key[0]] >= key[1]
            self._hosting[key] = np.flatnonzero(
                workers & (market.installed_ps[:, key[2]] >= key[3])
            )
        return self._hosting[key]

    def _views(self, job: int, whole: bool) -> tuple[Ints, Ints]:
        """Idle units of the two types over the slots of a job, shapes (servers, slots)."""
        part = slice(self.first[job], self.after[whole][job])
        market = self.market
        return (
            self._idle[0][market.worker_type[job], :, part],
            self._idle[1][market.ps_type[job], :, part],
        )

    def last_slot(self, job: int) -> int:
        """Last slot in which a placed job holds its units."""
        return int(self._last[int(self.placed[job].whole)][job])

    def idle(self, job: int, whole: bool) -> tuple[Ints, Ints]:
        """Least idle workers and parameter servers over the slots of a job, shapes (servers,)."""
        workers, ps = self._views(job, whole)
        return workers.min(axis=1), ps.min(axis=1)

    def idle_units(self, side: int, kind: int) -> Ints:
        """Idle units of a type, shape (servers, arrival slots); side 0 is workers."""
        idle: Ints = self._idle[side][kind]
        return idle

    def one_server(self, job: int, among: Bools | None = None) -> Placed | None:
        """Find the fullest server that can host the whole job; None where none can.

        ``among``: servers that may, shape (servers,); all by default.
        """
        hosts = self.hosting(job)
        hosts = hosts if among is None else hosts[among[hosts]]
        if not len(hosts):
            return None
        market = self.market
        workers, ps = (view[hosts] for view in self._views(job, True))
        fits = (workers.min(axis=1) >= market.workers[job]) & (ps.min(axis=1) >= market.ps[job])
        if not fits.any():
            return None
        able = np.flatnonzero(fits)
        idle = workers[able].sum(axis=1) + ps[able].sum(axis=1)
        server = hosts[able[int(idle.argmin())]]
        return Placed(
            np.array([server]), np.array([market.workers[job]]), np.array([market.ps[job]])
        )

    def by_class(self, job: int, of: Ints, workers: Ints, ps: Ints) -> Placed | None:
        """Spread a job over classes as is asked for; None where there is no room.

        Parameters
        ----------
        of
            Class of each server, shape (servers,).
        workers, ps
            Units of each class, shapes (classes,).
        """
        idle = [view.min(axis=1) for view in self._views(job, False)]
        taken = [np.zeros(len(of), np.int64) for _ in idle]
        for side, asked in enumerate((workers, ps)):
            for number in np.flatnonzero(asked).tolist():
                here = np.flatnonzero(of == number)
                some = idle[side][here]
                if some.sum() < asked[number]:
                    return None
                order = np.lexsort((some, idle[1 - side][here]))
                before = np.cumsum(some[order]) - some[order]
                taken[side][here[order]] = np.clip(asked[number] - before, 0, some[order])
        used = np.flatnonzero(taken[0] + taken[1])
        return Placed(used, taken[0][used], taken[1][used])

    def several_servers(self, job: int, workers: Ints, ps: Ints) -> Placed | None:
        """Fill servers with a spread job; None where there is no room.

        ``workers``, ``ps``: ranks of servers, shape (servers,): lower ones are filled first.
        """
        market, taken = self.market, []
        idle = [view.min(axis=1) for view in self._views(job, False)]
        for side, rank, units in (
            (0, workers, market.workers[job]),
            (1, ps, market.ps[job]),
        ):
            some = idle[side]
            if some.sum() < units:
                return None
            # units whose partners are taken are of least use to jobs on one server
            order = np.lexsort((some, idle[1 - side], rank))
            each = np.zeros(len(some), np.int64)
            before = np.cumsum(some[order]) - some[order]
            each[order] = np.clip(units - before, 0, some[order])
            taken.append(each)
        used = np.flatnonzero(taken[0] + taken[1])
        return Placed(used, taken[0][used], taken[1][used])

    def put(self, job: int, where: Placed) -> None:
        """Place a job."""
        self.placed[job] = where
        for server in where.servers.tolist():
            self._on[server].add(job)
        self._move(job, where, -1)

    def take(self, job: int) -> Placed:
        """Take a job away; returns where it was."""
        where = self.placed.pop(job)
        for server in where.servers.tolist():
            self._on[server].remove(job)
        self._move(job, where, 1)
        return where

    def on(self, server: int, begin: int, end: int) -> list[int]:
        """Jobs that hold units of a server at arrival slots from ``begin`` to ``end`` - 1."""
        return [
            job
            for job in sorted(self._on[server])
            if self.first[job] < end and self.after[self.placed[job].whole][job] > begin
        ]

    def _move(self, job: int, where: Placed, sign: int) -> None:
        workers, ps = self._views(job, where.whole)
        workers[where.servers] += sign * where.workers[:, None]
        ps[where.servers] += sign * where.ps[:, None]
