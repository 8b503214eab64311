"""One slot as the baselines see it: what is free, where workers go, what they process."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.kernels import Floats1, compiled
from farkas.models.eris.prices import resource_price, transfer_price
from farkas.numbers import Floats, Ints
from farkas.online.eris.environment import Piece
from farkas.tolerances import allowed


@compiled
def coarse(values: Floats1, sizes: Floats1) -> Floats1:
    """Round to a 2**-30 of the power of 2 below ``sizes``, so that prices tie in spite of noise."""
    units = np.spacing(sizes) * 2.0**22
    return np.rint(values / units) * units


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotPlacement:
    """Workers by site, shape (sites,), and the server's site."""

    workers: Ints
    server: int


@dataclasses.dataclass(slots=True, eq=False)
class Waiting:
    """A job in the system."""

    #: index, job: number in the whole instance, and the job.
    index: int
    job: Job
    remaining: Ints  #: Shape (sites,), chunks not yet processed.
    paid: float = 0.0  #: Price of all it used so far.
    count: int = 0  #: Workers it asks for; 0 while undecided.
    #: Where it runs in every slot until it is done; None while it waits, or without a fixed one.
    placement: SlotPlacement | None = None
    guaranteed: bool = False  #: Whether it runs before others (AntMan).

    def copy(self) -> Waiting:
        """Return an independent copy."""
        return dataclasses.replace(self, remaining=self.remaining.copy())

    @property
    def left(self) -> int:
        """Chunks not yet processed at all sites together."""
        return int(self.remaining.sum())

    def slots_needed(self, count: int) -> int:
        """Slots that ``count`` workers need for the rest: ⌈rem E / (P n)⌉."""
        return -(-self.left * self.job.epochs // (self.job.worker_rate * count))


class SlotRoom:
    """What is free in one slot, with the prices (6) of what is in use."""

    def __init__(self, auction: Auction, slot: int) -> None:
        self.auction, self.slot = auction, slot
        self.held = np.zeros_like(auction.capacity)
        self.transferred = 0.0

    def prices(self) -> Floats:
        """Price per unit, shape (sites, resources), at what is held now."""
        price: Floats = resource_price(self.auction, self.held[:, :, None])[:, :, 0]
        return price

    def place(self, waiting: Waiting, count: int, *, fewer: bool = False) -> SlotPlacement | None:
        """Put ``count`` workers on the cheapest sites, the server on the first that holds it.

        Sites by price of a worker, then more remaining data, then index.  The server's site must
        hold a worker too.  With ``fewer`` any positive number of workers will do.
        """
        worker, server = np.array(waiting.job.worker_demand), np.array(waiting.job.server_demand)
        price = (self.prices() * worker).sum(axis=1)
        price = coarse.function(price, price)
        order = np.lexsort((np.arange(len(price)), -waiting.remaining, price))
        alone = hosted(left_over(self.auction.capacity, self.held), worker, count)
        beside = hosted(left_over(self.auction.capacity, self.held + server), worker, count)
        able = order[beside[order] > 0]
        if len(able) == 0 or count == 0:
            return None
        site = int(able[0])
        workers = np.zeros(len(price), np.int64)
        workers[site] = min(count, int(beside[site]))
        for other in order:
            if other != site:
                workers[other] = min(int(alone[other]), count - int(workers.sum()))
        if workers.sum() < count and not fewer:
            return None
        return SlotPlacement(workers, site)

    def run(self, waiting: Waiting, placement: SlotPlacement) -> Piece | None:
        """Hold the placement and process what its workers and the transfer budget allow.

        The server's site comes first, then the others by number of workers.  A site takes its own
        chunks before it lets others be moved in, and takes fewer while its transfer does not fit.
        Returns what runs, None when nothing does; ``waiting`` is charged and its data shrink.
        """
        job = waiting.job
        prices = self.prices()
        per_mb = float(transfer_price(self.auction, np.array([self.transferred]))[0])
        self.held += np.outer(placement.workers, job.worker_demand)
        self.held[placement.server] += job.server_demand
        others = np.lexsort((np.arange(len(placement.workers)), -placement.workers))
        order = [placement.server, *(int(r) for r in others if r != placement.server)]
        processed = np.zeros(len(order), np.int64)
        moved, volume = 0, 0.0
        limit = allowed(self.auction.transfer_budget)
        for site in order:
            room = int(placement.workers[site]) * job.worker_rate // job.epochs
            left = waiting.left - int(processed.sum())
            chunks = min(room, left)
            while chunks > 0:
                in_moves = max(0, chunks - int(waiting.remaining[site]))
                remote = workers_for(chunks, job.epochs, job.worker_rate)
                extra = self.auction.chunk_size * in_moves
                extra += job.parameter_size * remote * (site != placement.server)
                if self.transferred + volume + extra <= limit:
                    processed[site], volume, moved = chunks, volume + extra, moved + in_moves
                    break
                chunks -= 1
        if not processed.any():
            return None
        self.transferred += volume
        workers = -(-job.epochs * processed // job.worker_rate)
        cost = prices * np.outer(workers, job.worker_demand)
        waiting.paid += per_mb * volume + float(cost.sum())
        waiting.paid += float((prices[placement.server] * np.array(job.server_demand)).sum())
        _take(waiting, processed, moved)
        running = tuple((int(r), int(workers[r])) for r in np.flatnonzero(workers))
        return Piece(waiting.index, self.slot, placement.server, running, moved)


def _take(waiting: Waiting, processed: Ints, moved: int) -> None:
    """Shrink the data: own chunks first, moved ones from the site with most remaining."""
    waiting.remaining = np.maximum(0, waiting.remaining - processed)
    for _ in range(moved):
        waiting.remaining[int(np.argmax(waiting.remaining))] -= 1
