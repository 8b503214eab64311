"""Kernel: upper bound on a job's payoff (5) at given prices, by dynamic programming over slots.

Two rows of (7) are relaxed: every slot finds all data of the job in place, and the transfer row
(7a) is dropped.  What remains is exact: V(t) is the least cost of processing n chunks up to slot t,
and the bound is the best of worth(t) - V(t)(all chunks), or 0.

The one-slot problem (8) is then solved for every workload at once, site by site.  States are the
chunks processed so far and whether the server stands already.  A site that processes q chunks costs

    without server   ⌈E q/P⌉ (c + α λ) + α θ max(0, q - M)
    with server      ⌈E q/P⌉ c         + α θ max(0, q - M) + server price

where c is the price of a worker there and M the chunks it stores.  The sums over the sites of the
least costs are exact, because without the transfer row nothing else couples the sites.
"""

from typing import NamedTuple

import numpy as np

from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, Out, compiled
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.numbers import Floats
from farkas.tolerances import allowed

NO_SERVER = -1  #: Entry of ``beside_server`` where the server itself does not fit.


class JobSlots(NamedTuple):
    """One job's view of the slots from its arrival on; first axis slot - arrival."""

    #: worker_price, server_price: shape (window, sites), utility per worker and per server.
    worker_price: Floats2
    server_price: Floats2
    #: alone, beside_server: shape (window, sites), workers that fit at a site without and with the
    #: server; `NO_SERVER` where the server does not fit.
    alone: Ints2
    beside_server: Ints2
    transfer_price: Floats1  #: Shape (window,), utility per MB.
    #: free_transfer, most_transfer: shape (window,), MB left, and MB that count as fitting in them:
    #: a rounding error of the budget more.
    free_transfer: Floats1
    most_transfer: Floats1
    data: Ints1  #: Shape (sites,), chunks stored at each site.
    worth: Floats1  #: Shape (window,), utility of completion in the slot.
    #: epochs, worker_rate, chunk_size, parameter_size: E, P, θ, λ.
    epochs: int
    worker_rate: int
    chunk_size: float
    parameter_size: float

    @property
    def chunks(self) -> int:
        """Chunks at all sites together; D̄."""
        return int(self.data.sum())

    @property
    def window(self) -> int:
        """Number of slots from the arrival on."""
        return len(self.worth)

    @property
    def size(self) -> tuple[int, int, int]:
        """Window, sites and chunks, which decide how much work the job is."""
        return self.window, len(self.data), self.chunks


class Ties(NamedTuple):
    """What a scheduler adds to prices so that schedules of equal cost differ."""

    #: worker, server, transfer: utility per worker, per server and per MB.
    worker: float = 0.0
    server: float = 0.0
    transfer: float = 0.0


NO_TIES = Ties()  #: Prices as they are posted.


class Slot(NamedTuple):
    """One slot of a job's view, with data that need not be the job's own; for kernels."""

    worker_price: Floats1  #: (sites,)
    server_price: Floats1
    alone: Ints1
    beside_server: Ints1
    data: Ints1  #: chunks that each site finds in place
    transfer_price: float
    free_transfer: float
    most_transfer: float
    worth: float  #: greatest of the job: what costs are measured by
    chunk_size: float
    parameter_size: float
    epochs: int
    worker_rate: int
    ties: Ties


@compiled
def slot_of(job: JobSlots, t: int, data: Ints1, ties: Ties) -> Slot:
    """Look at slot ``t`` after the arrival, with ``data`` in place."""
    return Slot(
        job.worker_price[t],
        job.server_price[t],
        job.alone[t],
        job.beside_server[t],
        data,
        job.transfer_price[t],
        job.free_transfer[t],
        job.most_transfer[t],
        job.worth[0],
        job.chunk_size,
        job.parameter_size,
        job.epochs,
        job.worker_rate,
        ties,
    )


workers_of = compiled(workers_for)  # ⌈E q / P⌉


@compiled
def chunks_of(workers: int, epochs: int, worker_rate: int, most: int) -> int:
    """Chunks that so many workers process, at most ``most``; -1 for `NO_SERVER`."""
    return -1 if workers < 0 else min(workers * worker_rate // epochs, most)


def job_slots(
    auction: Auction, job: Job, prices: Prices, transferred: Floats | None, used: Floats | None
) -> JobSlots:
    """Collect what ``job`` meets.

    Parameters
    ----------
    auction
        Sites and budgets; its own jobs and state are not looked at.
    prices
        Posted prices.
    transferred, used
        Use of the budget, shape (slots,), and of the capacities, shape (sites, resources, slots);
        None is an empty system.
    """
    first = job.arrival
    worker, server = np.array(job.worker_demand), np.array(job.server_demand)
    price = prices.resource[:, :, first:]
    gone = np.zeros(auction.slots) if transferred is None else transferred
    busy = np.zeros_like(price) if used is None else used[:, :, first:]
    held = np.moveaxis(busy, 2, 0)
    most = workers_for(sum(job.data), job.epochs, job.worker_rate)
    beside = left_over(auction.capacity, held + server)
    fits = (beside >= 0).all(axis=2)
    return JobSlots(
        worker_price=np.ascontiguousarray((worker[:, None] * price).sum(axis=1).T),
        server_price=np.ascontiguousarray((server[:, None] * price).sum(axis=1).T),
        alone=np.ascontiguousarray(hosted(left_over(auction.capacity, held), worker, most)),
        beside_server=np.where(fits, hosted(beside, worker, most), NO_SERVER),
        transfer_price=prices.transfer[first:].copy(),
        free_transfer=np.maximum(0.0, auction.transfer_budget - gone[first:]),
        most_transfer=np.maximum(0.0, allowed(auction.transfer_budget) - gone[first:]),
        data=np.array(job.data, dtype=np.int64),
        worth=np.array(job.utility),
        epochs=job.epochs,
        worker_rate=job.worker_rate,
        chunk_size=auction.chunk_size,
        parameter_size=job.parameter_size,
    )


class Cover(NamedTuple):
    """Schedule that attains the bound; it may use data twice and exceed the transfer budget."""

    payoff: float  #: The bound, >= 0.
    finish: int  #: Slot of completion after the arrival, -1 when no schedule earns anything.
    processed: Ints2  #: Shape (window, sites), chunks; zero where nothing runs.
    server: Ints1  #: Shape (window,), site of the server, -1 where nothing runs.


def payoff_bounds(auction: Auction, prices: Prices | None = None, *, full: bool) -> Floats:
    """Bounds of all jobs, shape (jobs,).

    Parameters
    ----------
    prices
        By default those posted in the instance's state.
    full
        Whether jobs meet the whole empty system, as certificates need, or what the state leaves.
    """
    prices = posted_on_arrival(auction) if prices is None else prices
    used = None if full else auction.used
    seen = (job_slots(auction, job, prices, None, used) for job in auction.jobs)
    return np.array([bound_payoff(job).payoff for job in seen])


@compiled(steps=lambda job: job.window * (len(job.data) + 1) * (job.chunks + 1) ** 2)
def bound_payoff(job: JobSlots) -> Cover:
    """Compute the bound, with the schedule that attains it."""
    window, sites, total = len(job.worth), len(job.data), job.data.sum()
    idle = np.empty((sites + 1, total + 1))
    served = np.empty((sites + 1, total + 1))
    so_far = np.empty((window + 1, total + 1))  # V(t)
    so_far[0] = np.inf
    so_far[0, 0] = 0.0
    costs = np.zeros((window, total + 1))  # nothing to do costs nothing: it needs no server
    best, finish = 0.0, -1
    for t in range(window):
        if job.worth[t] <= best:  # costs are not negative and worth never rises
            break
        cover_slot(slot_of(job, t, job.data, NO_TIES), idle, served)
        for d in range(1, total + 1):
            costs[t, d] = served[sites, d]
        add_slot(so_far[t], costs[t], so_far[t + 1])
        if job.worth[t] - so_far[t + 1, total] > best:
            best, finish = job.worth[t] - so_far[t + 1, total], t
    processed, server = np.zeros((window, sites), np.int64), np.empty(window, np.int64)
    server[:] = -1
    left = total
    for t in range(finish, -1, -1):
        # the same sum as in `add_slot`, so one workload of the slot gives it exactly
        done = 0
        while costs[t, done] + so_far[t, left - done] != so_far[t + 1, left]:
            done += 1
        left -= done
        if done > 0:
            slot = slot_of(job, t, job.data, NO_TIES)
            cover_slot(slot, idle, served)
            server[t] = trace_slot(slot, idle, served, done, processed[t])
    return Cover(best, finish, processed, server)


@compiled
def cover_slot(slot: Slot, idle: Out[Floats2], served: Out[Floats2]) -> None:
    """Fill the tables of one slot: row r is the least cost over the first r sites.

    ``idle``, ``served``: shape (sites + 1, workload + 1), overwritten: without and with the server
    placed.
    """
    epochs, rate = slot.epochs, slot.worker_rate
    total = idle.shape[1] - 1
    per_move = slot.transfer_price * slot.chunk_size  # α θ
    per_remote = slot.transfer_price * slot.parameter_size  # α λ
    idle[:] = np.inf
    served[:] = np.inf
    idle[0, 0] = 0.0
    # largest workloads that are possible so far: beyond them every entry is infinite
    reach_idle, reach_served = 0, -1
    for r in range(len(slot.data)):
        most = chunks_of(slot.alone[r], epochs, rate, total)
        most_beside = chunks_of(slot.beside_server[r], epochs, rate, total)
        idle_now, idle_next = idle[r], idle[r + 1]
        served_now, served_next = served[r], served[r + 1]
        for q in range(max(most, most_beside) + 1):
            workers = workers_of(q, epochs, rate)
            moving = per_move * max(0, q - slot.data[r])
            if q <= most:
                cost = workers * (slot.worker_price[r] + per_remote) + moving
                for d in range(min(total, reach_idle + q) + 1 - q):
                    idle_next[d + q] = min(idle_next[d + q], idle_now[d] + cost)
                for d in range(min(total, reach_served + q) + 1 - q):
                    served_next[d + q] = min(served_next[d + q], served_now[d] + cost)
            if q <= most_beside:
                cost = workers * slot.worker_price[r] + moving + slot.server_price[r]
                for d in range(min(total, reach_idle + q) + 1 - q):
                    served_next[d + q] = min(served_next[d + q], idle_now[d] + cost)
        reach_idle, reach_served = reach(reach_idle, reach_served, most, most_beside, total)


@compiled
def reach(idle: int, served: int, most: int, most_beside: int, total: int) -> tuple[int, int]:
    """Largest workloads without and with the server, -1 for none, when one site more takes part."""
    if served >= 0:
        served = min(total, served + most)
    if most_beside >= 0:
        served = max(served, min(total, idle + most_beside))
    return min(total, idle + most), served


@compiled
def add_slot(before: Floats1, costs: Floats1, after: Out[Floats1]) -> None:
    """Least cost up to a slot: after[n] = min over d of costs[d] + before[n - d]."""
    total = len(before) - 1
    for n in range(total + 1):
        after[n] = before[n] + costs[0]
    for d in range(1, total + 1):
        if costs[d] < np.inf:
            for n in range(d, total + 1):
                after[n] = min(after[n], before[n - d] + costs[d])


@compiled
def trace_slot(
    slot: Slot, idle: Floats2, served: Floats2, workload: int, processed: Out[Ints1]
) -> int:
    """Read a cheapest cover of ``workload`` >= 1 chunks off the tables of `cover_slot`.

    Fills ``processed``, shape (sites,), chunks per site, and returns the server's site.
    """
    epochs, rate = slot.epochs, slot.worker_rate
    per_move = slot.transfer_price * slot.chunk_size
    per_remote = slot.transfer_price * slot.parameter_size
    server = -1
    d = workload
    for r in range(len(slot.data) - 1, -1, -1):
        here = served[r + 1, d] if server < 0 else idle[r + 1, d]
        most = chunks_of(slot.alone[r], epochs, rate, d)
        most_beside = chunks_of(slot.beside_server[r], epochs, rate, d) if server < 0 else -1
        # the same sums in the same order as when the table was filled, so one of them is equal
        for q in range(max(most, most_beside) + 1):
            workers = workers_of(q, epochs, rate)
            moving = per_move * max(0, q - slot.data[r])
            cost = workers * (slot.worker_price[r] + per_remote) + moving
            before = served[r, d - q] if server < 0 else idle[r, d - q]
            if q <= most and before + cost == here:
                processed[r] = q
                break
            cost = workers * slot.worker_price[r] + moving + slot.server_price[r]
            if q <= most_beside and idle[r, d - q] + cost == here:
                processed[r] = q
                server = r
                break
        d -= processed[r]
    return server
