"""Kernel: jobs put into slots that are full, whose workers and servers then change sites.

A job that fits in a slot only with all sites taken together is put there as if it were alone.
Workers and servers of the slot then move to other sites, or change places, at random.  A move
stays unless more is used beyond capacities; where that does not end at 0, all is as it was.
"""

import numpy as np

from farkas.certificates.arrays import copy_ints
from farkas.kernels import Bools1, Floats1, Floats2, Ints1, Out, compiled
from farkas.offline.eris.exchange_kernel import PackedSchedules, clear, settle
from farkas.relaxations.eris.pricing import JobsTable, PricedCapacity, meet
from farkas.tolerances import ROUNDING

MOVE_DRAWS = 6  #: Numbers from [0, 1) that one move uses.
OVERFULL = 0.75  #: Share of moves that begin at a site where something is short.
SWAPS = 0.6  #: Share of moves in which two change places.


@compiled
def excess(
    t: int, site: int, packed: PackedSchedules, room: PricedCapacity, total: Floats1
) -> float:
    """Return what a site uses beyond its capacities, as shares of the ``total`` of all sites."""
    found = 0.0
    for k in range(room.capacity.shape[1]):
        limit = room.capacity[site, k] * (1.0 + ROUNDING)
        found += max(0.0, packed.used[site, k, t] - limit) / total[k]
    return found


@compiled
def overdrawn(t: int, packed: PackedSchedules, room: PricedCapacity) -> float:
    """Return what slot ``t`` transfers beyond its budget, as a share of that."""
    over: float = packed.transferred[t] - room.budget * (1.0 + ROUNDING)
    return over / room.budget if over > 0.0 and room.budget > 0.0 else max(0.0, over)


@compiled
def moves_of(jobs: JobsTable, j: int, at: int, packed: PackedSchedules) -> int:
    """Chunks that a job moves in a slot now that a worker is elsewhere; -1 for too few workers.

    What the worker processes of a job with several slots counts as moved.
    """
    low, total, slots = jobs.begin[j], 0, 0
    for t in range(packed.finish[j] + 1):
        slots += 1 if packed.server[low + t] >= 0 else 0
    done, stored = 0, 0
    for r in range(packed.workers.shape[1]):
        total += jobs.data[j, r]
        processed = packed.workers[at, r] * jobs.worker_rate[j] // jobs.epochs[j]
        done += processed
        stored += min(processed, jobs.data[j, r])
    if slots == 1:
        return max(0, total - stored) if done >= total else -1
    if jobs.worker_rate[j] % jobs.epochs[j] != 0:
        return -1  # a worker elsewhere might process less
    moved: int = min(total, packed.moved[at] + jobs.worker_rate[j] // jobs.epochs[j])
    return moved


@compiled
def relocate(
    jobs: JobsTable,
    j: int,
    t: int,
    server: bool,
    source: int,
    target: int,
    packed: Out[PackedSchedules],
) -> bool:
    """Move a worker or the server to a site that could hold it alone; False if it cannot."""
    at = jobs.begin[j] + t - jobs.arrival[j]
    if server:
        beside = jobs.beside_server[j, target]
        if beside < 0 or packed.workers[at, target] > beside:
            return False
    else:
        most = jobs.alone[j, target]
        if packed.server[at] == target:
            most = jobs.beside_server[j, target]
        if packed.workers[at, target] >= most:
            return False
    before, moved = packed.server[at], packed.moved[at]
    remote = 0
    if server:
        remote = packed.workers[at, source] - packed.workers[at, target]
        packed.server[at] = target
    else:
        packed.workers[at, source] -= 1
        packed.workers[at, target] += 1
        moved = moves_of(jobs, j, at, packed)
        if moved < 0:
            packed.workers[at, source] += 1
            packed.workers[at, target] -= 1
            return False
        remote = (1 if source == before else 0) - (1 if target == before else 0)
    volume = jobs.chunk_size * (moved - packed.moved[at]) + jobs.parameter_size[j] * remote
    packed.transferred[t] += volume
    packed.moved[at] = moved
    for k in range(packed.used.shape[1]):
        demand = jobs.server_demand[j, k] if server else jobs.worker_demand[j, k]
        packed.used[source, k, t] -= demand
        packed.used[target, k, t] += demand
    return True


@compiled(steps=lambda jobs, t, packed, room, total, draws: 50.0 * draws.size)
def loosen(
    jobs: JobsTable,
    t: int,
    packed: Out[PackedSchedules],
    room: PricedCapacity,
    total: Floats1,
    draws: Floats2,
) -> bool:
    """Move workers and servers of slot ``t`` until they fit; returns whether they do."""
    sites = room.capacity.shape[0]
    items = 0
    for n in range(packed.many[t]):
        j = packed.running[t, n]
        at = jobs.begin[j] + t - jobs.arrival[j]
        items += 1 + packed.workers[at].sum()
    job, host = np.empty(items, np.int64), np.empty(items, np.int64)
    serves = np.zeros(items, np.bool_)
    items = 0
    for n in range(packed.many[t]):
        j = packed.running[t, n]
        at = jobs.begin[j] + t - jobs.arrival[j]
        job[items], host[items], serves[items] = j, packed.server[at], True
        items += 1
        for r in range(sites):
            for _ in range(packed.workers[at, r]):
                job[items], host[items] = j, r
                items += 1
    over = np.empty(sites)
    for r in range(sites):
        over[r] = excess(t, r, packed, room, total)
    late = overdrawn(t, packed, room)
    was_used = np.empty((2, room.capacity.shape[1]))
    for number in range(len(draws)):
        short, full = 0, 0
        for r in range(sites):
            if over[r] > 0.0:
                full += 1
        if full == 0 and late == 0.0:
            return True
        draw = draws[number]
        source = int(draw[0] * sites)
        if full > 0 and draw[1] < OVERFULL:
            short = int(draw[0] * full)
            for r in range(sites):
                if over[r] > 0.0:
                    if short == 0:
                        source = r
                        break
                    short -= 1
        target = int(draw[2] * sites)
        if target == source:
            continue
        one = int(draw[3] * items)
        for _ in range(items):
            if host[one] == source:
                break
            one = one + 1 if one + 1 < items else 0
        if host[one] != source:
            continue
        other = -1
        if draw[4] < SWAPS:
            other = int(draw[5] * items)
            for _ in range(items):
                if host[other] == target:
                    break
                other = other + 1 if other + 1 < items else 0
            if host[other] != target or job[other] == job[one]:
                continue
        was = over[source] + over[target] + late
        at = jobs.begin[job[one]] + t - jobs.arrival[job[one]]
        was_moved, was_transferred = packed.moved[at], packed.transferred[t]
        for k in range(room.capacity.shape[1]):
            was_used[0, k], was_used[1, k] = packed.used[source, k, t], packed.used[target, k, t]
        if not relocate(jobs, job[one], t, serves[one], source, target, packed):
            continue
        back, there_moved = 0, 0
        good = True
        if other >= 0:
            back = jobs.begin[job[other]] + t - jobs.arrival[job[other]]
            there_moved = packed.moved[back]
            good = relocate(jobs, job[other], t, serves[other], target, source, packed)
        if good:
            here = excess(t, source, packed, room, total)
            there = excess(t, target, packed, room, total)
            now = overdrawn(t, packed, room)
            if here + there + now <= was:
                over[source], over[target], late = here, there, now
                host[one] = target
                if other >= 0:
                    host[other] = source
                continue
            if other >= 0:
                replace(back, serves[other], source, target, there_moved, packed)
        replace(at, serves[one], target, source, was_moved, packed)
        packed.transferred[t] = was_transferred
        for k in range(room.capacity.shape[1]):
            packed.used[source, k, t], packed.used[target, k, t] = was_used[0, k], was_used[1, k]
    for r in range(sites):
        if over[r] > 0.0:
            return False
    return late == 0.0


@compiled
def replace(
    at: int,
    server: bool,
    source: int,
    target: int,
    moved: int,
    packed: Out[PackedSchedules],
) -> None:
    """Put a worker or server back without looking at what is used."""
    if server:
        packed.server[at] = target
    else:
        packed.workers[at, source] -= 1
        packed.workers[at, target] += 1
    packed.moved[at] = moved


@compiled(steps=lambda jobs, targets, *_: 1e3 * len(targets) * jobs.data.size)
def squeeze(
    jobs: JobsTable,
    targets: Ints1,
    packed: Out[PackedSchedules],
    empty: PackedSchedules,
    room: PricedCapacity,
    total: Floats1,
    noise: Floats2,
    share: float,
    open_slots: Bools1,
    draws: Floats2,
) -> int:
    """Insert jobs with data as if they were alone, where others then make room; returns how many.

    ``empty`` are schedules that use nothing; every slot has the same ``draws``.
    """
    sites, done = packed.workers.shape[1], 0
    for i in targets:
        low, first = jobs.begin[i], jobs.arrival[i]
        last = jobs.begin[i + 1] - low - 1
        seen = meet(jobs, i, empty.transferred, empty.used, room, noise, share, last, open_slots)
        if not settle(jobs, i, seen, packed):
            continue
        most = 0
        for t in range(packed.finish[i] + 1):
            if packed.server[low + t] >= 0:
                most = max(most, packed.many[first + t])
        kept_workers = np.empty((packed.finish[i] + 1, most, sites), np.int64)
        kept_server = np.empty((packed.finish[i] + 1, most), np.int64)
        kept_moved = np.empty((packed.finish[i] + 1, most), np.int64)
        kept_used = packed.used[:, :, first : first + packed.finish[i] + 1].copy()
        kept_transferred = packed.transferred[first : first + packed.finish[i] + 1].copy()
        fits, tried = True, 0
        while fits and tried <= packed.finish[i]:
            t = tried
            tried += 1
            if packed.server[low + t] < 0:
                continue
            for n in range(packed.many[first + t]):
                j = packed.running[first + t, n]
                at = jobs.begin[j] + first + t - jobs.arrival[j]
                kept_server[t, n], kept_moved[t, n] = packed.server[at], packed.moved[at]
                copy_ints(packed.workers[at], kept_workers[t, n])
            fits = loosen(jobs, first + t, packed, room, total, draws)
        if fits:
            done += 1
            continue
        for t in range(tried):
            slot = first + t
            if packed.server[low + t] < 0:
                continue
            for n in range(packed.many[slot]):
                j = packed.running[slot, n]
                at = jobs.begin[j] + slot - jobs.arrival[j]
                packed.server[at], packed.moved[at] = kept_server[t, n], kept_moved[t, n]
                copy_ints(kept_workers[t, n], packed.workers[at])
            for r in range(sites):
                for k in range(packed.used.shape[1]):
                    packed.used[r, k, slot] = kept_used[r, k, t]
            packed.transferred[slot] = kept_transferred[t]
        clear(jobs, i, packed)
    return done
