"""Upper bound on a job's payoff at given prices, by dynamic programming over slots.

Two rows of (7) are relaxed: every slot finds all data of the job in place, and the transfer row is
dropped.  What remains is exact: V(t) is the least cost of processing n chunks up to slot t, and
the bound is the best of worth(t) - V(t)(all chunks), or 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from farkas.compiled import Ints1, Ints2, Out, compiled
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.numbers import Floats, Ints
from farkas.relaxations.eris.site_dp import add_slot, cover_slot, slot_costs, trace_slot
from farkas.relaxations.eris.slots import JobSlots, job_slots, slot_of


def payoff_bound(job: JobSlots) -> float:
    """Upper bound on the payoff, >= 0; the readable version of `bound_payoff`."""
    if job.chunks == 0:
        return max(0.0, float(job.worth[0]))
    best = 0.0
    so_far = np.full(job.chunks + 1, np.inf)
    so_far[0] = 0.0
    for worth, costs in zip(job.worth, slot_costs(job), strict=True):
        shifted = [
            np.append(np.full(d, np.inf), so_far[: len(so_far) - d]) for d in range(len(costs))
        ]
        so_far = np.min(costs[:, None] + np.array(shifted), axis=0)
        best = max(best, float(worth - so_far[-1]))
    return best


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
    return np.array(
        [bound_payoff(job_slots(auction, job, prices, None, used)).payoff for job in auction.jobs]
    )


class Cover:
    """Schedule that attains `bound_payoff`; it may use data twice and ignores the transfer row.

    Parameters
    ----------
    payoff
        The bound.
    finish
        Slot of completion after the arrival, -1 when no schedule earns anything.
    processed
        Shape (window, sites), chunks; zero where nothing runs.
    server
        Shape (window,), site of the server, -1 where nothing runs.
    """

    def __init__(self, payoff: float, finish: int, processed: Ints, server: Ints) -> None:
        self.payoff, self.finish = payoff, finish
        self.processed, self.server = processed, server


def bound_payoff(job: JobSlots, *, trace: bool = False) -> Cover:
    """Compute the bound, with the schedule that attains it if ``trace``."""
    processed = np.zeros((job.window if trace else 1, len(job.data)), np.int64)
    server = np.full(job.window if trace else 1, -1, np.int64)
    if job.chunks == 0:
        worth = float(job.worth[0])
        return Cover(max(0.0, worth), 0 if worth > 0 else -1, processed, server)
    payoff, finish = least_covers(job, trace, Covers(processed, server))
    return Cover(payoff, finish, processed, server)


class Covers(NamedTuple):
    """Where `least_covers` writes the schedule."""

    processed: Ints2  # (window, sites)
    server: Ints1  # (window,)


@compiled(steps=lambda job, *rest: job.window * (len(job.data) + 1) * (job.chunks + 1) ** 2)
def least_covers(job: JobSlots, trace: bool, found: Out[Covers]) -> tuple[float, int]:
    """Best payoff and its slot of completion, -1 for none; the schedule as well if ``trace``."""
    window, sites, total = len(job.worth), len(job.data), job.data.sum()
    idle = np.empty((sites + 1, total + 1))
    served = np.empty((sites + 1, total + 1))
    so_far = np.full((window + 1, total + 1), np.inf)  # V(t)
    so_far[0, 0] = 0.0
    costs = np.zeros((window, total + 1))  # nothing to do costs nothing: it needs no server
    best, finish = 0.0, -1
    for t in range(window):
        if job.worth[t] <= best:  # costs are not negative and worth never rises
            break
        cover_slot(slot_of(job, t, job.data), idle, served)
        for d in range(1, total + 1):
            costs[t, d] = served[sites, d]
        add_slot(so_far[t], costs[t], so_far[t + 1])
        if job.worth[t] - so_far[t + 1, total] > best:
            best, finish = job.worth[t] - so_far[t + 1, total], t
    if trace and finish >= 0:
        left = total
        for t in range(finish, -1, -1):
            # the same sum as in `add_slot`, so one workload of the slot gives it exactly
            done = 0
            while costs[t, done] + so_far[t, left - done] != so_far[t + 1, left]:
                done += 1
            left -= done
            if done > 0:
                slot = slot_of(job, t, job.data)
                cover_slot(slot, idle, served)
                found.server[t] = trace_slot(slot, idle, served, done, found.processed[t])
    return best, finish
