"""Kernel: schedules put into an auction and taken out again, and exchanged while that pays.

Prices guide where a schedule lies: those of a bound, times a draw for every site and resource, so
that jobs are packed otherwise each time.
"""

from typing import NamedTuple

import numpy as np

from farkas.kernels import Bools1, Floats1, Floats2, Floats3, Ints1, Ints2, Out, compiled
from farkas.online.eris.scheduler_dp import best_plan
from farkas.relaxations.eris.payoff_bound import JobSlots
from farkas.relaxations.eris.pricing import JobsTable, PricedCapacity, meet

MOST_OUT = 4  #: Jobs that one exchange takes out beside its own.
DRAWS = 6  #: Numbers from [0, 1) that one exchange uses, beside one for each other job.
MULTIPLIERS = 2  #: Multipliers of the transfer row that a schedule is sought with.


class PackedSchedules(NamedTuple):
    """Schedules of all jobs, by row of the windows of `JobsTable`, and what they use together."""

    #: worth, finish: shape (jobs,): worth of what is served, and its slot after the arrival; 0 and
    #: -1 for none.
    worth: Floats1
    finish: Ints1
    #: workers, server, moved: shapes (windows, sites), (windows,), (windows,); server -1 where
    #: nothing runs.
    workers: Ints2
    server: Ints1
    moved: Ints1
    #: transferred, used: MB, shape (slots,), and units, shape (sites, resources, slots).
    transferred: Floats1
    used: Floats3
    #: running, many: shapes (slots, jobs) and (slots,): which jobs run in a slot, and how many.
    running: Ints2
    many: Ints1


@compiled
def book(jobs: JobsTable, i: int, packed: Out[PackedSchedules], sign: int) -> None:
    """Add what job ``i``'s schedule uses, or with ``sign`` -1 take it away."""
    first, low = jobs.arrival[i], jobs.begin[i]
    for t in range(packed.finish[i] + 1):
        server, slot = packed.server[low + t], first + t
        if server < 0:
            continue
        remote = 0
        for r in range(packed.workers.shape[1]):
            workers = packed.workers[low + t, r]
            if workers > 0:
                remote += 0 if r == server else workers
                for k in range(packed.used.shape[1]):
                    packed.used[r, k, slot] += sign * workers * jobs.worker_demand[i, k]
        for k in range(packed.used.shape[1]):
            packed.used[server, k, slot] += sign * jobs.server_demand[i, k]
        volume = jobs.chunk_size * packed.moved[low + t] + jobs.parameter_size[i] * remote
        packed.transferred[slot] += sign * volume
        if sign > 0:
            packed.running[slot, packed.many[slot]] = i
            packed.many[slot] += 1
        else:
            at = 0
            while packed.running[slot, at] != i:
                at += 1
            packed.many[slot] -= 1
            packed.running[slot, at] = packed.running[slot, packed.many[slot]]


@compiled
def insert(
    jobs: JobsTable,
    i: int,
    packed: Out[PackedSchedules],
    room: PricedCapacity,
    noise: Floats2,
    share: float,
    last: int,
    open_slots: Bools1,
) -> bool:
    """Give job ``i``, which has none, its schedule of best payoff; returns whether it has one."""
    total = jobs.data[i].sum()
    low = jobs.begin[i]
    if total == 0:
        packed.worth[i] = jobs.worth[low]
        packed.finish[i] = 0 if jobs.worth[low] > 0 else -1
        return bool(jobs.worth[low] > 0)
    return settle(
        jobs,
        i,
        meet(jobs, i, packed.transferred, packed.used, room, noise, share, last, open_slots),
        packed,
    )


@compiled
def settle(jobs: JobsTable, i: int, seen: JobSlots, packed: Out[PackedSchedules]) -> bool:
    """Give job ``i``, which has data, its best schedule in what it meets; return whether it has."""
    _payoff, finish, _cost, _bound, plan = best_plan(seen, seen, MULTIPLIERS)
    if finish < 0:
        return False
    put(jobs, i, packed, finish, plan.workers, plan.server, plan.moved)
    return True


@compiled
def put(
    jobs: JobsTable,
    i: int,
    packed: Out[PackedSchedules],
    finish: int,
    workers: Ints2,
    server: Ints1,
    moved: Ints1,
) -> None:
    """Give job ``i``, which has none, a schedule up to slot ``finish``; -1 for none."""
    low, length = jobs.begin[i], finish + 1
    packed.finish[i] = finish
    packed.worth[i] = jobs.worth[low + finish] if finish >= 0 else 0.0
    packed.server[low : low + length] = server[:length]
    packed.moved[low : low + length] = moved[:length]
    packed.workers[low : low + length] = workers[:length]
    book(jobs, i, packed, 1)


@compiled
def clear(jobs: JobsTable, i: int, packed: Out[PackedSchedules]) -> None:
    """Take job ``i``'s schedule away, if it has one."""
    book(jobs, i, packed, -1)
    low, high = jobs.begin[i], jobs.begin[i] + packed.finish[i] + 1
    packed.server[low:high] = -1
    packed.moved[low:high] = 0
    packed.workers[low:high] = 0
    packed.finish[i], packed.worth[i] = -1, 0.0


@compiled(steps=lambda jobs, *_: 1e2 * jobs.worth.size)
def load(jobs: JobsTable, packed: Out[PackedSchedules]) -> None:
    """Add what all schedules use that are written down."""
    for i in range(len(jobs.arrival)):
        if packed.finish[i] >= 0:
            book(jobs, i, packed, 1)


@compiled(steps=lambda jobs, order, *_: 1e2 * len(order) * jobs.data.size)
def pack(
    jobs: JobsTable,
    order: Ints1,
    last: Ints1,
    open_slots: Bools1,
    packed: Out[PackedSchedules],
    room: PricedCapacity,
    noise: Floats3,
    share: float,
) -> None:
    """Insert jobs without a schedule, in order, each up to its ``last`` slot after its arrival."""
    for place, i in enumerate(order):
        if packed.finish[i] < 0 and last[i] >= 0:
            insert(jobs, i, packed, room, noise[place % len(noise)], share, last[i], open_slots)


@compiled(steps=lambda jobs, targets, *_: 1e3 * len(targets) * jobs.data.size)
def exchange(
    jobs: JobsTable,
    targets: Ints1,
    packed: Out[PackedSchedules],
    room: PricedCapacity,
    draws: Floats2,
    noise: Floats3,
    open_slots: Bools1,
    planned: bool,
    heat: float,
) -> float:
    """Try exchanges: others out, a job in, they in again; kept unless worth is lost.

    Each has a target, which has to complete earlier than now, and a row of ``draws`` from [0, 1).
    ``noise`` are factors of prices.  ``planned`` targets run where slots are open, whenever they
    complete.  A loss of less than ``heat`` times a draw is kept, even where the target and
    those after it stay out.  Returns the worth gained.
    """
    sites = packed.workers.shape[1]
    slots = len(packed.transferred)
    out = np.empty(MOST_OUT + 1, np.int64)
    kept_finish = np.empty(MOST_OUT + 1, np.int64)
    kept_workers = np.zeros((MOST_OUT + 1, slots, sites), np.int64)
    kept_server = np.zeros((MOST_OUT + 1, slots), np.int64)
    kept_moved = np.zeros((MOST_OUT + 1, slots), np.int64)
    gained = 0.0
    for number, i in enumerate(targets):
        draw = draws[number]
        window = jobs.begin[i + 1] - jobs.begin[i]
        # a slot before the one in which it completes now
        before = packed.finish[i] if packed.finish[i] >= 0 else window
        if before == 0:
            continue
        last = int(draw[0] * before)
        slot = jobs.arrival[i] + last
        if planned:
            last = window - 1
            at = jobs.begin[i] + int(draw[0] * window)
            while not open_slots[at]:
                at = at + 1 if at + 1 < jobs.begin[i + 1] else jobs.begin[i]
            slot = jobs.arrival[i] + at - jobs.begin[i]
        out[0], many = i, 1
        more = int(draw[1] * (MOST_OUT + 1))
        for place in range(more):
            if packed.many[slot] == 0:
                break
            other = packed.running[slot, int(draw[DRAWS + place] * packed.many[slot])]
            known = False
            for n in range(many):
                known = known or out[n] == other
            if not known:
                out[many] = other
                many += 1
        was = 0.0
        for n in range(many):
            j = out[n]
            low = jobs.begin[j]
            was += packed.worth[j]
            kept_finish[n] = packed.finish[j]
            length = packed.finish[j] + 1
            kept_server[n, :length] = packed.server[low : low + length]
            kept_moved[n, :length] = packed.moved[low : low + length]
            kept_workers[n, :length] = packed.workers[low : low + length]
            clear(jobs, j, packed)
        share = 0.0 if draw[2] < 0.25 else draw[3]
        now = 0.0
        for n in range(many):
            j = out[n]
            final = last if n == 0 else jobs.begin[j + 1] - jobs.begin[j] - 1
            factors = noise[(int(draw[4] * len(noise)) + n) % len(noise)]
            if not insert(jobs, j, packed, room, factors, share, final, open_slots) and n == 0:
                break
            now += packed.worth[j]
        if now >= was - heat * draw[5]:
            gained += now - was
            continue
        for n in range(many):
            clear(jobs, out[n], packed)
        for n in range(many):
            kept = kept_finish[n]
            put(jobs, out[n], packed, kept, kept_workers[n], kept_server[n], kept_moved[n])
    return gained
