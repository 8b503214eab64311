"""Kernel: upper bound on a job's payoff (5) at given prices, by dynamic programming over slots.

Two rows of (7) are relaxed.  Every slot finds all data of the job in place; of the transfer row
(7a) is left that the chunks of a slot fit in it by themselves.  The rest is exact: V(t) is the
least cost of n chunks up to slot t, and the bound the best of worth(t) - V(t)(all chunks), or 0.

The one-slot problem (8) is solved for every workload at once, site by site.  States are the chunks
processed so far and whether the server stands already.  A site that processes q chunks costs

    without server   ⌈E q/P⌉ (c + α λ) + α θ max(0, q - M)
    with server      ⌈E q/P⌉ c         + α θ max(0, q - M) + server price

where c is the price of a worker there and M the chunks it stores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.kernels import Floats1, Floats2, Floats3, Ints1, Ints2, Out, compiled
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.numbers import Floats
from farkas.tolerances import allowed

if TYPE_CHECKING:
    from farkas.forms import LinearForm

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


class SchedulePlan(NamedTuple):
    """What a job runs, by slot after its arrival."""

    workers: Ints2  #: Shape (window, sites); g.
    server: Ints1  #: Shape (window,), site of the server, -1 where nothing runs; z.
    moved: Ints1  #: Shape (window,), chunks moved between sites; Σ h.


@compiled
def new_plan(window: int, sites: int) -> SchedulePlan:
    """Make room for a schedule; nothing runs."""
    server = np.empty(window, np.int64)
    server[:] = -1
    return SchedulePlan(np.zeros((window, sites), np.int64), server, np.zeros(window, np.int64))


def read_plans(auction: Auction, form: LinearForm, point: Floats) -> dict[int, SchedulePlan]:
    """Schedules up to completion, by job, at a whole point of a program with compact moves.

    Only slots that process chunks count, and only as many workers as these need.
    """
    found: dict[int, SchedulePlan] = {}
    if not auction.chunks.any():
        return found
    job, slot = form.column_block("processed").axes[0].members.T
    processed, local = (
        np.rint(form.values(point, name)).astype(np.int64) for name in ("processed", "local")
    )
    workers = -(-auction.epochs[job, None] * processed // auction.worker_rate[job, None])
    server, moved = form.values(point, "server").argmax(axis=1), (processed - local).sum(axis=1)
    runs = processed.any(axis=1)
    for i in np.unique(job[runs]).tolist():
        at = np.flatnonzero(runs & (job == i))
        where = slot[at] - auction.arrival[i]
        plan = found[i] = new_plan.interpret(int(where.max()) + 1, auction.sites)
        plan.workers[where], plan.server[where] = workers[at], server[at]
        plan.moved[where] = moved[at]
    return found


def use_of(auction: Auction, job: Job, plan: SchedulePlan) -> tuple[Floats, Floats]:
    """MB by slot, and units by site, resource and slot, that a job's schedule uses."""
    transfer = np.zeros(auction.slots)
    used = np.zeros((auction.sites, auction.num_resources, auction.slots))
    runs = np.flatnonzero(plan.server >= 0)
    slots, server, workers = job.arrival + runs, plan.server[runs], plan.workers[runs]
    used[:, :, slots] = np.array(job.worker_demand)[:, None] * workers.T[:, None]
    used[server, :, slots] += np.array(job.server_demand)
    remote = workers.sum(axis=1) - workers[np.arange(len(runs)), server]
    transfer[slots] = auction.chunk_size * plan.moved[runs] + job.parameter_size * remote
    return transfer, used


workers_of = compiled(workers_for)  # ⌈E q / P⌉


@compiled
def chunks_of(workers: int, epochs: int, worker_rate: int, most: int) -> int:
    """Chunks that so many workers process, at most ``most``; -1 for `NO_SERVER`."""
    return -1 if workers < 0 else min(workers * worker_rate // epochs, most)


def job_slots(
    auction: Auction, job: Job, prices: Prices, transferred: Floats | None, used: Floats | None
) -> JobSlots:
    """Collect what ``job`` meets on the sites of an auction; use None is an empty system."""
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
    """Bounds of all jobs, shape (jobs,), by default at the prices posted in the instance's state.

    Jobs meet the ``full`` empty system, or what the state leaves.
    """
    prices = posted_on_arrival(auction) if prices is None else prices
    used = None if full else auction.used
    seen = (job_slots(auction, job, prices, None, used) for job in auction.jobs)
    return np.array([bound_payoff(job, job.chunks).payoff for job in seen])


@compiled
def chunks_sent(job: JobSlots) -> int:
    """Chunks of the job's first slot, at most, whose least transfer fits in it."""
    total = job.data.sum()
    return chunks_that_fit(job, 0, job.data, total, np.empty((4, len(job.data) + 1, total + 1)))


@compiled
def chunks_that_fit(job: JobSlots, t: int, data: Ints1, total: int, tables: Out[Floats3]) -> int:
    """Chunks of slot ``t``, at most, whose least transfer fits in it with ``data`` in place."""
    cover_slot(job, t, data, total, 0.0, 1.0, tables)
    found = 0
    for d in range(1, total + 1):
        if tables[1, len(data), d] <= job.most_transfer[t]:
            found = d
    return found


@compiled(steps=lambda job, most: job.window * (len(job.data) + 1) * (job.chunks + 1) ** 2)
def bound_payoff(job: JobSlots, most: int) -> Cover:
    """Compute the bound where slots process ``most`` chunks, with the schedule that attains it."""
    window, sites, total = len(job.worth), len(job.data), job.data.sum()
    tables = np.empty((2, sites + 1, total + 1))
    so_far = np.empty((window + 1, total + 1))  # V(t)
    so_far[0] = np.inf
    so_far[0, 0] = 0.0
    choice = np.zeros((window, total + 1), np.int64)
    best, finish, held = 0.0, -1, -1
    for t in range(window):
        if job.worth[t] <= best:  # costs are not negative and worth never rises
            break
        cover_slot(job, t, job.data, most, 1.0, 0.0, tables)
        held = t  # the tables are those of this slot
        add_slot(so_far[t], tables[1, sites, : most + 1], so_far[t + 1], choice[t])
        if job.worth[t] - so_far[t + 1, total] > best:
            best, finish = job.worth[t] - so_far[t + 1, total], t
    processed, server = np.zeros((window, sites), np.int64), np.empty(window, np.int64)
    server[:] = -1
    left = total
    for t in range(finish, -1, -1):
        done = choice[t, left]
        left -= done
        if done > 0:
            if t != held:
                cover_slot(job, t, job.data, done, 1.0, 0.0, tables)
            server[t] = trace_slot(job, t, job.data, 0.0, tables, done, processed[t])
    return Cover(best, finish, processed, server)


@compiled(steps=lambda job, t, data, total, *_: (len(data) + 1) * (total + 1) ** 2)
def cover_slot(
    job: JobSlots,
    t: int,
    data: Ints1,
    total: int,
    money: float,
    multiplier: float,
    tables: Out[Floats3],
) -> None:
    """Fill the tables of slot ``t`` with ``data`` in place, for workloads up to ``total``.

    ``tables``: shape (4, sites + 1, at least total + 1): cost without and with the server, then MB;
    the first two alone where nobody asks for MB.
    ``money`` weights posted prices, 1 or 0; ``multiplier`` is on top of the price of transfer.
    """
    epochs, rate = job.epochs, job.worker_rate
    worker_price, server_price = job.worker_price[t], job.server_price[t]
    alone, beside_server = job.alone[t], job.beside_server[t]
    chunk_size, parameter_size = job.chunk_size, job.parameter_size
    price = money * job.transfer_price[t] + multiplier
    for d in range(total + 1):
        tables[0, 0, d] = 0.0 if d == 0 else np.inf
        tables[1, 0, d] = np.inf
    if len(tables) > 2:
        tables[2, 0, 0] = 0.0  # elsewhere nobody looks at MB without a finite cost
    # largest workloads that are possible so far: beyond them every entry is infinite
    reach_idle, reach_served = 0, -1
    for r in range(len(data)):
        most = chunks_of(alone[r], epochs, rate, total)
        most_beside = chunks_of(beside_server[r], epochs, rate, total)
        per_worker, per_server = money * worker_price[r], money * server_price[r]
        for d in range(total + 1):
            tables[0, r + 1, d] = tables[1, r + 1, d] = np.inf
        for q in range(max(most, most_beside) + 1):
            workers = workers_of(q, epochs, rate)
            moving = chunk_size * max(0, q - data[r])
            upto = min(total, reach_idle + q)
            if q <= most:
                volume = moving + parameter_size * workers
                cost = workers * per_worker + price * volume
                add_chunks(tables, r, 0, 0, q, upto, cost, volume)
                add_chunks(tables, r, 1, 1, q, min(total, reach_served + q), cost, volume)
            if q <= most_beside:
                cost = workers * per_worker + price * moving + per_server
                add_chunks(tables, r, 0, 1, q, upto, cost, moving)
        reach_idle, reach_served = reach(reach_idle, reach_served, most, most_beside, total)


@compiled
def add_chunks(
    tables: Out[Floats3], r: int, of: int, to: int, q: int, upto: int, cost: float, volume: float
) -> None:
    """Let site ``r`` process ``q`` chunks where that is cheaper, for workloads ``q`` to ``upto``.

    ``of``, ``to``: whether the server stands before it, and with it.
    """
    # choosing values instead of branching lets the compiler treat several d at once
    before, after = tables[of, r], tables[to, r + 1]
    if len(tables) > 2:
        used, used_after = tables[2 + of, r], tables[2 + to, r + 1]
        for d in range(upto + 1 - q):
            better = before[d] + cost < after[d + q]
            after[d + q] = before[d] + cost if better else after[d + q]
            used_after[d + q] = used[d] + volume if better else used_after[d + q]
        return
    for d in range(upto + 1 - q):
        better = before[d] + cost < after[d + q]
        after[d + q] = before[d] + cost if better else after[d + q]


@compiled
def reach(idle: int, served: int, most: int, most_beside: int, total: int) -> tuple[int, int]:
    """Largest workloads without and with the server, -1 for none, when one site more takes part."""
    if served >= 0:
        served = min(total, served + most)
    if most_beside >= 0:
        served = max(served, min(total, idle + most_beside))
    return min(total, idle + most), served


@compiled
def add_slot(before: Floats1, costs: Floats1, after: Out[Floats1], choice: Out[Ints1]) -> None:
    """Least cost up to a slot: after[n] = min over d of costs[d] + before[n - d].

    ``choice``: workload of the slot; small ones are preferred, and none costs nothing.
    """
    total = len(before) - 1
    for n in range(total + 1):
        after[n] = before[n]
        choice[n] = 0
    for d in range(1, len(costs)):
        if costs[d] < np.inf:
            for n in range(d, total + 1):
                better = before[n - d] + costs[d] < after[n]
                after[n] = before[n - d] + costs[d] if better else after[n]
                choice[n] = d if better else choice[n]


@compiled(steps=lambda job, t, data, *_: job.chunks * (len(data) + 1))
def trace_slot(
    job: JobSlots,
    t: int,
    data: Ints1,
    multiplier: float,
    tables: Floats3,
    workload: int,
    processed: Out[Ints1],
) -> int:
    """Read the cover of ``workload`` >= 1 chunks off the tables; returns the server's site."""
    epochs, rate = job.epochs, job.worker_rate
    worker_price, server_price = job.worker_price[t], job.server_price[t]
    alone, beside_server = job.alone[t], job.beside_server[t]
    chunk_size, parameter_size = job.chunk_size, job.parameter_size
    price = job.transfer_price[t] + multiplier
    server = -1
    d = workload
    for r in range(len(data) - 1, -1, -1):
        state = 1 if server < 0 else 0  # the server is among the sites up to this one
        here = tables[state, r + 1, d]
        processed[r] = 0
        most = chunks_of(alone[r], epochs, rate, d)
        most_beside = chunks_of(beside_server[r], epochs, rate, d) if server < 0 else -1
        per_worker, per_server = worker_price[r], server_price[r]
        # the same sums in the same order as when the tables were filled: the first equal one won
        for q in range(max(most, most_beside) + 1):
            workers = workers_of(q, epochs, rate)
            moving = chunk_size * max(0, q - data[r])
            if q <= most:
                volume = moving + parameter_size * workers
                cost = workers * per_worker + price * volume
                if tables[state, r, d - q] + cost == here:
                    processed[r] = q
                    break
            if q <= most_beside:
                cost = workers * per_worker + price * moving + per_server
                if tables[0, r, d - q] + cost == here:
                    processed[r] = q
                    server = r
                    break
        d -= processed[r]
    return server
