"""The cheapest way to process some chunks in one slot: problem (8)."""

from __future__ import annotations

import dataclasses
from typing import Self

import numpy as np

from farkas.algebra import IndexedSet, Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import InvalidOption, NotApplicable
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.models.eris.schedule_rows import when_compact, when_explicit
from farkas.numbers import Ints


@dataclasses.dataclass(frozen=True, eq=False)
class SlotTask:
    """A workload of one job in one slot."""

    #: auction, prices: instance, whose state gives the residual capacities, and prices.
    auction: Auction
    prices: Prices
    #: job, slot: indices.
    job: int
    slot: int
    workload: int  #: Chunks to process in the slot, >= 1; d.
    remaining: Ints  #: Shape (sites,), chunks not yet processed; M.

    def __post_init__(self) -> None:
        if self.workload < 1:
            raise InvalidOption(f"workload = {self.workload}; no chunks need no program and cost 0")

    @classmethod
    def of(cls, data: Auction | Self) -> SlotTask:
        """All chunks of the first job that has any, in its first slot, unless chosen already."""
        if isinstance(data, SlotTask):
            return data
        busy = np.flatnonzero(data.chunks)
        if len(busy) == 0:
            raise NotApplicable("eris.one_shot: no job of the instance has data")
        job = int(busy[0])
        slot, chunks = int(data.arrival[job]), int(data.chunks[job])
        return cls(data, posted_on_arrival(data), job, slot, chunks, data.data[job])


class OneShot(Program):
    """Cheapest workers, server and moves that process a workload in one slot.  Eris (8)."""

    name = "eris.one_shot"
    kind = "eris"
    sense = "min"
    moves = "compact"

    def declare(self, m, data: Auction | SlotTask) -> None:
        """Declare one job in one slot, with what the state leaves free."""
        task = SlotTask.of(data)
        auction, slot = task.auction, task.slot
        job = auction.jobs[task.job]
        most = auction.most_workers[task.job]
        m.sites = Set(range(auction.sites), label="site")
        m.resources = Set(range(auction.num_resources), label="resource")
        m.workload = Param(values=task.workload)
        m.epochs = Param(values=job.epochs)
        m.rate = Param(values=job.worker_rate)
        m.most = Param(m.sites, values=most)
        m.chunk_size = Param(values=auction.chunk_size)
        m.parameters = Param(values=job.parameter_size)
        m.worker_units = Param(m.resources, values=job.worker_demand)
        m.server_units = Param(m.resources, values=job.server_demand)
        # use may pass a capacity by a rounding error; nothing less than nothing is free
        budget = max(0.0, auction.transfer_budget - float(auction.transferred[slot]))
        free = np.maximum(0.0, auction.capacity - auction.used[:, :, slot])
        m.budget = Param(values=budget)
        m.free = Param(m.sites, m.resources, values=free)
        price = task.prices.resource[:, :, slot]
        m.transfer_price = Param(values=task.prices.transfer[slot])
        worker, server = auction.worker_demand[task.job], auction.server_demand[task.job]
        m.worker_price = Param(m.sites, values=(price * worker).sum(axis=1))
        m.server_price = Param(m.sites, values=(price * server).sum(axis=1))
        stored = np.minimum(task.remaining, task.workload)
        if self.moves == "compact":
            m.processed = Var(m.sites, integer=True, upper=task.workload, doc="q")
            m.local = Var(m.sites, integer=True, upper=stored, doc="l")
        else:
            pairs = [[o for o in range(auction.sites) if o != r] for r in range(auction.sites)]
            m.others = IndexedSet(m.sites, pairs)
            m.stored = Param(m.sites, values=stored)
            doc = "chunks of the first site processed at the second; h"
            m.moved = Var(m.sites, m.sites, integer=True, upper=stored[:, None], doc=doc)
        m.workers = Var(m.sites, integer=True, upper=most, doc="g")
        m.server = Var(m.sites, binary=True, upper=auction.server_fits[task.job], doc="z")
        m.remote = Var(m.sites, upper=most, reason="at most all workers are remote", doc="u")

    @constraint("2a", when=when_compact)
    def workload_processed(m):
        """The sites process the workload."""
        return Sum(m.processed[r] for r in m.sites) == m.workload

    @constraint("2a", when=when_explicit)
    def workload_moved(m):
        """The sites process the workload."""
        return Sum(m.moved[o, r] for o in m.sites for r in m.sites) == m.workload

    @constraint("2a", "sites", when=when_explicit)
    def chunks_of_site(m, o):
        """No more chunks of a site are processed than remain there."""
        return Sum(m.moved[o, r] for r in m.sites) <= m.stored[o]

    @constraint("2a", "sites", when=when_compact)
    def local_chunks_processed(m, r):
        """Chunks processed where they are stored are processed."""
        return m.local[r] <= m.processed[r]

    @constraint("2b", "sites", when=when_compact)
    def enough_workers(m, r):
        """Workers of a site make all passes over its chunks."""
        return m.epochs * m.processed[r] <= m.rate * m.workers[r]

    @constraint("2b", "sites", when=when_explicit)
    def enough_workers_for_moves(m, r):
        """Workers of a site make all passes over the chunks it gets or keeps."""
        return m.epochs * Sum(m.moved[o, r] for o in m.sites) <= m.rate * m.workers[r]

    @constraint("2c")
    def one_server(m):
        """The job has a server."""
        return Sum(m.server[r] for r in m.sites) == 1

    @constraint("2d", "sites")
    def workers_away_from_server(m, r):
        """Workers at a site without the server are remote."""
        return m.remote[r] >= m.workers[r] - m.most[r] * m.server[r]

    @constraint("7a", when=when_compact)
    def transfer_fits(m):
        """Moved chunks and parameters of remote workers fit in what is free of the budget."""
        return _sent(m) <= m.budget

    @constraint("7a", when=when_explicit)
    def transfer_of_moves(m):
        """As `transfer_fits`; chunks that stay at their site are not moved."""
        return _sent_by_pairs(m) <= m.budget

    @constraint("7b", "sites", "resources")
    def fits(m, r, k):
        """Workers and server fit in what is free at a site."""
        used = m.worker_units[k] * m.workers[r] + m.server_units[k] * m.server[r]
        return used <= m.free[r, k]

    @objective
    def cost(m):
        """Posted cost of transfer, workers and server; (8)."""
        return m.transfer_price * _sent(m) + _hosting(m)


class OneShotByPairs(OneShot):
    """As eris.one_shot, every move by itself, as printed; the optimum is the same.  Eris (8)."""

    name = "eris.one_shot_pairs"
    moves = "explicit"

    @objective
    def cost(m):
        """Posted cost of transfer, workers and server; (8)."""
        return m.transfer_price * _sent_by_pairs(m) + _hosting(m)


def _sent(m):
    moved = Sum(m.processed[r] - m.local[r] for r in m.sites)
    return m.chunk_size * moved + m.parameters * Sum(m.remote[r] for r in m.sites)


def _sent_by_pairs(m):
    moved = Sum(m.moved[o, r] for o in m.sites for r in m.others[o])
    return m.chunk_size * moved + m.parameters * Sum(m.remote[r] for r in m.sites)


def _hosting(m):
    return Sum(m.worker_price[r] * m.workers[r] + m.server_price[r] * m.server[r] for r in m.sites)
