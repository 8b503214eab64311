"""Bounds of jobs' payoffs at posted prices, job by job, site by site: what the proof is held to."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from farkas.certificates.sums import finite, whole
from farkas.errors import NotACertificate
from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.numbers import Floats, Ints
from farkas.tolerances import NORMAL, ROUNDING, ULP

WORTH_BITS = 42
NEVER = 1 << 60
SLOTS_AT_ONCE = 16


def payoff_in_turn(auction: Auction, job: Job, transfer: Floats, resource: Floats) -> Fraction:
    """Upper bound on worth less posted cost of every schedule of ``job``, >= 0."""
    total = sum(job.data)
    top = job.utility[0]
    if total == 0:
        return Fraction(top)
    shift = WORTH_BITS - int(np.frexp(top)[1])
    utility = np.array(job.utility)
    # scaling by powers of two is exact but for what vanishes below 1, and that counts as 1
    raised = np.ceil(np.ldexp(finite(utility, "utility"), shift))
    worth = whole(np.maximum(raised, utility > 0), "utility", bits=WORTH_BITS + 1)
    if (utility < 0).any() or (np.diff(utility) > 0).any():
        raise NotACertificate("the utility is negative or rises")
    most = workers_for(total, job.epochs, job.worker_rate)
    room = _rooms(auction, job, most)
    so_far = np.full(total + 1, NEVER)
    so_far[0] = 0
    best = 0
    sizes = [auction.transfer_budget, auction.chunk_size, *(j.parameter_size for j in auction.jobs)]
    bits = WORTH_BITS - int(np.frexp(next((size for size in sizes if size > 0), 1.0))[1])
    free = np.zeros((*auction.capacity.shape, 1))
    (sent,) = slot_costs_in_turn(job, auction, np.ones(1), free, room, bits)
    limit = Fraction(auction.transfer_budget) * (1 + 2 * Fraction(ROUNDING)) * Fraction(2) ** bits
    fits = int(np.flatnonzero(sent <= int(limit)).max())
    for start in range(0, len(worth), SLOTS_AT_ONCE):
        if worth[start] <= best:  # costs are not negative and worth never rises
            break
        slots = slice(job.arrival + start, job.arrival + min(start + SLOTS_AT_ONCE, len(worth)))
        costs = slot_costs_in_turn(
            job, auction, transfer[slots], resource[:, :, slots], room, shift
        )
        for value, row in zip(worth[start:], costs, strict=False):
            so_far = with_slot_in_turn(so_far, row[: fits + 1])
            best = max(best, int(value - so_far[-1]))
    return Fraction(best) / Fraction(2) ** shift


def _rooms(auction: Auction, job: Job, most: int) -> tuple[Ints, Ints]:
    """Chunks an empty site can process without and with the server, shape (sites,); -1: none."""
    worker, server = np.array(job.worker_demand), np.array(job.server_demand)
    alone = hosted(auction.capacity, worker, most)
    free = left_over(auction.capacity, server)
    beside = hosted(free, worker, most) * job.worker_rate // job.epochs
    return alone * job.worker_rate // job.epochs, np.where((free >= 0).all(axis=1), beside, -1)


def slot_costs_in_turn(
    job: Job,
    auction: Auction,
    transfer: Floats,
    resource: Floats,
    room: tuple[Ints, Ints],
    shift: int,
) -> Ints:
    """Units, at most the least cost of processing d chunks in a slot; shape (slots, chunks + 1).

    Farkas states the program in `farkas.relaxations.eris.payoff_bound`; this is a second,
    independent implementation for all slots at once, in integers.
    """
    total, slots = sum(job.data), len(transfer)
    # rounded results of at most 2K operations on numbers >= 0, then 4 more below
    with np.errstate(over="ignore"):
        worker = np.einsum("k,skt->st", job.worker_demand, resource)[:, :, None]
        server = np.einsum("k,skt->st", job.server_demand, resource)[:, :, None]
        remote, moving = transfer * job.parameter_size, transfer * auction.chunk_size
    # none of an infinitely dear thing costs nothing, so no unit cost may be infinite
    worker, server, remote, moving = (
        np.minimum(cost, np.finfo(float).max) for cost in (worker, server, remote, moving)
    )
    roundings = 2 * auction.num_resources + 6
    alone, beside = room
    most = np.minimum(total, np.maximum(alone, beside))
    chunks = np.arange(int(most.max()) + 1)
    workers = -(-job.epochs * chunks // job.worker_rate)
    moved = np.maximum(0, chunks - np.array(job.data)[:, None])
    with np.errstate(over="ignore"):
        moves = moving[:, None] * moved[:, None, :]  # shape (sites, slots, chunks), as all below
        away = np.minimum(worker + remote[:, None], np.finfo(float).max)
        without = _units(away * workers + moves, roundings, shift)
        within = _units(worker * workers + moves + server, roundings, shift)
    idle = np.full((slots, total + 1), NEVER)
    idle[:, 0] = 0
    served = np.full_like(idle, NEVER)
    scratch = np.empty_like(idle)
    reach = 0  # chunks that the sites so far can process at most
    for site in range(auction.sites):
        new_idle, new_served = idle.copy(), served.copy()
        for q in range(int(most[site]) + 1):
            upto = min(total - q, reach) + 1
            sums = scratch[:, :upto]
            if 0 < q <= alone[site]:
                np.add(idle[:, :upto], without[site, :, q, None], out=sums)
                np.minimum(new_idle[:, q : q + upto], sums, out=new_idle[:, q : q + upto])
                np.add(served[:, :upto], without[site, :, q, None], out=sums)
                np.minimum(new_served[:, q : q + upto], sums, out=new_served[:, q : q + upto])
            if q <= beside[site]:
                np.add(idle[:, :upto], within[site, :, q, None], out=sums)
                np.minimum(new_served[:, q : q + upto], sums, out=new_served[:, q : q + upto])
        idle, served = new_idle, new_served
        reach = min(total, reach + int(most[site]))
    served[:, 0] = 0  # nothing to do needs no server
    return served


def _units(costs: Floats, roundings: int, shift: int) -> Ints:
    """Whole units not above the exact costs, of which ``costs`` are rounded results.

    The largest double stands for what overflowed: rounding may have taken costs there that are a
    little below the dearest worth.
    """
    if np.isnan(costs).any() or (costs < 0).any():
        raise NotACertificate("a cost is negative or not a number")
    with np.errstate(over="ignore"):
        known = np.minimum(np.where(costs < NORMAL, 0.0, costs), np.finfo(float).max)
        safe = np.ldexp(known * (1 - (roundings + 2) * ULP), shift)
    # cutting off keeps a lower bound, and no schedule that dear earns anything
    return whole(np.floor(np.minimum(safe, 2.0 ** (WORTH_BITS + 1))), "cost")


def with_slot_in_turn(so_far: Ints, costs: Ints) -> Ints:
    """Least of so_far[n - d] + costs[d] over d, for every n."""
    padded = np.concatenate([np.full(len(costs) - 1, NEVER), so_far])
    # row n of the view is so_far[n], so_far[n - 1], ..., preceded by what is impossible
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(costs))
    sums = windows[:, ::-1] + costs
    least: Ints = np.minimum(sums.min(axis=1), NEVER)
    return least
