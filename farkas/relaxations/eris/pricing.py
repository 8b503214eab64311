"""Schedules of an auction at prices: jobs are owners, resources of all sites together are rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from farkas.certificates.eris import PricedAuction
from farkas.certificates.priced_tree import Case, Knapsack
from farkas.decomposition.protocol import Plans, Pricing
from farkas.instances.eris import Auction, hosted, left_over
from farkas.kernels import Bools1, Floats1, Floats2, Floats3, Ints1, Ints2, Out, compiled
from farkas.models.eris.prices import Prices
from farkas.numbers import Floats, Ints
from farkas.relaxations.eris.payoff_bound import NO_SERVER, JobSlots, bound_payoff, chunks_sent
from farkas.relaxations.eris.spans import Spans
from farkas.tolerances import ROUNDING, SOLVER_GAP

FIRST_SLOTS = 8  #: Of a window that are looked at first.
MORE_SLOTS = 4  #: How many times as many come next, while they may be worth more than the best.


class JobsTable(NamedTuple):
    """All jobs of an auction as arrays; their windows follow each other in one axis."""

    arrival: Ints1  #: Shape (jobs,), slots.
    begin: Ints1  #: Shape (jobs + 1,), where each job's window begins.
    worth: Floats1  #: Shape (windows,), utility of completion in the slot.
    #: data, alone, beside_server: shape (jobs, sites): chunks, and workers that an empty site holds
    #: without and with the server; `NO_SERVER` where the server does not fit.
    data: Ints2
    alone: Ints2
    beside_server: Ints2
    epochs: Ints1  #: Shape (jobs,).
    worker_rate: Ints1  #: Shape (jobs,).
    parameter_size: Floats1  #: Shape (jobs,).
    worker_demand: Floats2  #: Shape (jobs, resources).
    server_demand: Floats2  #: Shape (jobs, resources).
    chunk_size: float  #: MB.


class PricedCapacity(NamedTuple):
    """What there is, and what it costs."""

    capacity: Floats2  #: Shape (sites, resources), units per slot.
    budget: float  #: MB per slot.
    #: transfer_price, resource_price: shapes (slots,) and (sites, resources, slots).
    transfer_price: Floats1
    resource_price: Floats3


class ChosenSchedules(NamedTuple):
    """Schedules of some jobs, by row of the windows of `JobsTable`."""

    #: payoff, finish: shape (jobs,): the bound, and the slot of completion after the arrival, -1
    #: for none.
    payoff: Floats1
    finish: Ints1
    processed: Ints2  #: Shape (windows, sites), chunks.
    server: Ints1  #: Shape (windows,), site of the server, -1 where nothing runs.
    sent: Ints1  #: Shape (jobs,), chunks that an empty slot processes at most, -1 for unknown.


def jobs_table(auction: Auction) -> JobsTable:
    """Collect the jobs of an auction."""
    most = -(-auction.epochs * auction.chunks // auction.worker_rate)[:, None]
    beside = left_over(auction.capacity, auction.server_demand[:, None])
    fits = (beside >= 0).all(axis=2)
    with_server = hosted(beside, auction.worker_demand[:, None], most)
    worth = [np.array(job.utility) for job in auction.jobs]
    return JobsTable(
        arrival=auction.arrival,
        begin=np.cumsum([0, *(len(row) for row in worth)]),
        worth=np.concatenate([*worth, np.zeros(0)]),
        data=auction.data,
        alone=hosted(auction.capacity, auction.worker_demand[:, None], most),
        beside_server=np.where(fits, with_server, NO_SERVER),
        epochs=auction.epochs,
        worker_rate=auction.worker_rate,
        parameter_size=auction.parameter_size,
        worker_demand=auction.worker_demand,
        server_demand=auction.server_demand,
        chunk_size=auction.chunk_size,
    )


@compiled(steps=lambda jobs, *_: 1e2 * jobs.data.size)
def meet(
    jobs: JobsTable,
    i: int,
    transferred: Floats1,
    used: Floats3,
    room: PricedCapacity,
    noise: Floats2,
    share: float,
    last: int,
    open_slots: Bools1,
) -> JobSlots:
    """Collect what job ``i`` meets up to slot ``last`` of its window, at a share of the prices.

    There is no room in slots that are not open.
    """
    sites, resources = room.capacity.shape
    first, low, window = jobs.arrival[i], jobs.begin[i], last + 1
    worker_price, server_price = np.zeros((window, sites)), np.zeros((window, sites))
    alone = np.zeros((window, sites), np.int64)
    beside_server = np.empty((window, sites), np.int64)
    beside_server[:, :] = NO_SERVER
    free, most, transfer = np.zeros(window), np.zeros(window), np.empty(window)
    for t in range(window):
        transfer[t] = share * room.transfer_price[first + t]
        if not open_slots[low + t]:
            continue
        free[t] = max(0.0, room.budget - transferred[first + t])
        most[t] = max(0.0, room.budget * (1.0 + ROUNDING) - transferred[first + t])
        for r in range(sites):
            workers, beside = jobs.alone[i, r], max(jobs.beside_server[i, r], 0)
            fits, hosts = True, jobs.beside_server[i, r] >= 0
            for k in range(resources):
                price = share * noise[r, k] * room.resource_price[r, k, first + t]
                worker, server = jobs.worker_demand[i, k], jobs.server_demand[i, k]
                worker_price[t, r] += worker * price
                server_price[t, r] += server * price
                limit, held = room.capacity[r, k], used[r, k, first + t]
                most_used = limit * (1.0 + ROUNDING)
                fits = fits and held <= most_used
                hosts = hosts and held + server <= most_used
                if worker > 0:
                    # compared before they are made whole: what no integer holds limits nobody
                    alone_left = np.floor(max(0.0, limit - held) / worker + ROUNDING)
                    beside_left = np.floor(max(0.0, limit - held - server) / worker + ROUNDING)
                    workers = int(alone_left) if alone_left < workers else workers
                    beside = int(beside_left) if beside_left < beside else beside
            alone[t, r] = workers if fits else 0
            beside_server[t, r] = beside if hosts else NO_SERVER
    return JobSlots(
        worker_price, server_price, alone, beside_server, transfer, free, most,
        jobs.data[i].copy(), jobs.worth[low : low + window].copy(), jobs.epochs[i],
        jobs.worker_rate[i], jobs.chunk_size, jobs.parameter_size[i],
    )  # fmt: skip


@compiled(steps=lambda jobs, room, chosen: len(jobs.arrival) * room.resource_price.size)
def choose(jobs: JobsTable, room: PricedCapacity, chosen: Out[ChosenSchedules]) -> None:
    """Fill in the best schedules of all jobs on the empty system."""
    transferred, used = np.zeros(len(room.transfer_price)), np.zeros(room.resource_price.shape)
    noise, open_slots = np.ones(room.capacity.shape), np.ones(len(jobs.worth), np.bool_)
    for i in range(len(jobs.arrival)):
        low, window = jobs.begin[i], jobs.begin[i + 1] - jobs.begin[i]
        last = min(window, FIRST_SLOTS) - 1
        while True:
            seen = meet(jobs, i, transferred, used, room, noise, 1.0, last, open_slots)
            if chosen.sent[i] < 0:
                chosen.sent[i] = chunks_sent(seen)
            cover = bound_payoff(seen, chosen.sent[i])
            if last == window - 1 or jobs.worth[low + last + 1] <= cover.payoff:
                break  # later slots are worth no more
            last = min(window, MORE_SLOTS * (last + 1)) - 1
        chosen.payoff[i], chosen.finish[i] = cover.payoff, cover.finish
        for t in range(window):
            chosen.server[low + t] = cover.server[t] if t <= last else -1
        for t in range(last + 1):
            for r in range(jobs.data.shape[1]):
                chosen.processed[low + t, r] = cover.processed[t, r]


class SchedulePricing(Pricing):
    """Rows are the transfer of a slot, then each resource of a slot, all sites pooled.

    Parameters
    ----------
    occupied
        What is in use already, as the program's prices are arranged; nothing by default.
    times
        Shape (jobs,), how often each job comes; once by default.  Certificates count it once.
    """

    program: PricedAuction

    def __init__(
        self,
        auction: Auction,
        *,
        occupied: Floats | None = None,
        times: Floats | None = None,
    ) -> None:
        self.program = PricedAuction(auction)
        self._spans = Spans(self.program)
        self.auction, self.jobs, self.owners = auction, jobs_table(auction), auction.num_jobs
        begin = self.jobs.begin
        self._owner = np.repeat(np.arange(self.owners), np.diff(begin))
        self._slot = np.arange(begin[-1]) + (self.jobs.arrival - begin[:-1])[self._owner]
        #: Of the last replies.
        self.chosen = ChosenSchedules(
            np.zeros(self.owners),
            np.full(self.owners, -1),
            np.zeros((begin[-1], auction.sites), np.int64),
            np.full(begin[-1], -1),
            np.full(self.owners, -1),
        )
        sites, resources, slots = self._shape = auction.used.shape
        self.hard = np.concatenate(
            [np.full(slots, auction.transfer_budget), np.repeat(auction.capacity, slots)]
        )
        row: Ints = np.arange(resources * slots).reshape(1, resources, slots)
        pooled = np.broadcast_to(row, self._shape).ravel()
        if occupied is not None:
            self.hard = np.maximum(self.hard - occupied, 0.0)
        self.times = np.ones(auction.num_jobs) if times is None else times
        self.row_of = np.concatenate([np.arange(slots), slots + pooled])
        self.rows = np.bincount(self.row_of, self.hard).astype(np.float64)
        places = np.repeat(np.arange(sites * resources), slots)
        self.place_of = np.concatenate([np.full(slots, sites * resources), places])
        self._worth = [np.array(job.utility) for job in auction.jobs]
        self.most = self.times * np.array([worth[0] for worth in self._worth])

    def prices_of(self, rows: Floats) -> Prices:
        """Return prices of rows as prices at every site."""
        return Prices(*(np.ascontiguousarray(one) for one in self.program.parts(self.fine(rows))))

    def pooled(self, prices: Prices) -> Floats:
        """Return means over sites of prices, by row."""
        fine = np.concatenate([prices.transfer, prices.resource.ravel()])
        found: Floats = np.bincount(self.row_of, fine) / np.bincount(self.row_of)
        return found

    def start(self) -> Plans:
        """Return the plans of jobs without data, which use nothing."""
        none = np.flatnonzero(self.auction.chunks == 0)
        use = sparse.csr_array((len(none), len(self.rows)))
        return Plans(none, self.most[none], use)

    def replies(self, prices: Floats, case: Case) -> tuple[Floats, Plans]:
        """Return the payoff of each job on the empty system, and schedules that attain it."""
        jobs, counted, chosen = self.jobs, dict[int, Floats](), self.chosen
        worth = jobs.worth.copy() if case else jobs.worth
        for owner, window in case.items():
            counted[owner] = window.worth(self._worth[owner])
            worth[jobs.begin[owner] : jobs.begin[owner + 1]] = _later(counted[owner])
        at, auction = self.prices_of(prices), self.auction
        room = PricedCapacity(auction.capacity, auction.transfer_budget, at.transfer, at.resource)
        choose(jobs._replace(worth=worth), room, chosen)
        some = np.flatnonzero((chosen.finish >= 0) & (self.auction.chunks > 0))
        last = chosen.finish[some]
        for k in np.flatnonzero(np.isin(some, list(counted))).tolist():
            # what counts for more later completes then, with nothing left to do
            last[k] += int(counted[int(some[k])][last[k] :].argmax())
        value = self.times[some] * jobs.worth[jobs.begin[some] + last]
        return self.times * chosen.payoff, Plans(some, value, self._use(some))

    def _use(self, owners: Ints) -> sparse.csr_array:
        """Use of rows by the chosen schedules of owners with data."""
        auction, jobs, chosen, slots = self.auction, self.jobs, self.chosen, self.auction.slots
        at = np.flatnonzero((chosen.server >= 0) & (auction.chunks[self._owner] > 0))
        owner, slot, processed = self._owner[at], self._slot[at], chosen.processed[at]
        workers = -(-jobs.epochs[owner, None] * processed // jobs.worker_rate[owner, None])
        every = workers.sum(axis=1)
        remote = every - workers[np.arange(len(at)), chosen.server[at]]
        moved = np.maximum(0, processed - jobs.data[owner]).sum(axis=1)
        volume = auction.chunk_size * moved + jobs.parameter_size[owner] * remote
        units = every[:, None] * jobs.worker_demand[owner] + jobs.server_demand[owner]
        rows = slot[:, None] + slots * np.arange(1 + auction.num_resources)
        amounts = self.times[owner, None] * np.column_stack([volume, units])
        plan = np.repeat(np.searchsorted(owners, owner), rows.shape[1])
        shape = len(owners), len(self.rows)
        use = sparse.coo_array((amounts.ravel(), (plan, rows.ravel())), shape=shape).tocsr()
        use.eliminate_zeros()
        return use

    def cuts(self, plans: Plans, share: Floats, prices: Floats) -> Sequence[Knapsack]:
        """Return spans of slots that hold jobs as wholes and that shares violate."""
        pooled = prices.reshape(-1, self.auction.slots)
        tight = pooled > SOLVER_GAP * pooled.max(axis=1, keepdims=True, initial=0.0)
        return self._spans.violated(plans, share, tight)

    def fine(self, prices: Floats) -> Floats:
        """Return prices of rows as prices at every site."""
        found: Floats = prices[self.row_of]
        return found


def _later(worth: Floats) -> Floats:
    """By slot, the most that it or a later one is worth."""
    found: Floats = np.maximum.accumulate(worth[::-1])[::-1]
    return found
