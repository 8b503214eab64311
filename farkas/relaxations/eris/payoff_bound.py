"""Upper bound on a job's payoff at given prices, by dynamic programming over slots.

Two rows of (7) are relaxed: every slot finds all data of the job in place, and the transfer row is
dropped.  What remains is exact: V(t) is the least cost of processing n chunks up to slot t, and
the bound is the best of worth(t) - V(t)(all chunks), or 0.
"""

from __future__ import annotations

import numpy as np

from farkas.compiled import compiled, compiled_if_long
from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices, posted_on_arrival
from farkas.numbers import Floats, Ints
from farkas.relaxations.eris.site_dp import add_slot, cover_slot, slot_costs, trace_slot
from farkas.relaxations.eris.slots import JobSlots, job_slots


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
    with compiled_if_long(job.window * (len(job.data) + 1) * (job.chunks + 1) ** 2):
        payoff, finish = _bound(
            job.worker_price,
            job.server_price,
            job.alone,
            job.beside_server,
            job.data,
            job.transfer_price,
            job.worth,
            job.chunk_size,
            job.parameter_size,
            job.epochs,
            job.worker_rate,
            trace,
            processed,
            server,
        )
    return Cover(payoff, finish, processed, server)


@compiled
def _bound(
    worker_price: Floats,
    server_price: Floats,
    alone: Ints,
    beside_server: Ints,
    data: Ints,
    transfer_price: Floats,
    worth: Floats,
    chunk_size: float,
    parameter_size: float,
    epochs: int,
    worker_rate: int,
    trace: bool,
    processed: Ints,
    server: Ints,
) -> tuple[float, int]:
    window = len(worth)
    sites = len(data)
    total = data.sum()
    idle = np.empty((sites + 1, total + 1))
    served = np.empty((sites + 1, total + 1))
    so_far = np.full((window + 1, total + 1), np.inf)
    so_far[0, 0] = 0.0
    costs = np.empty((window, total + 1))
    best, finish = 0.0, -1
    for t in range(window):
        if worth[t] <= best:  # costs are not negative and worth never rises
            break
        price = transfer_price[t]
        cover_slot(
            worker_price[t], server_price[t], alone[t], beside_server[t], data,
            price * chunk_size, price * parameter_size, epochs, worker_rate, idle, served,
        )  # fmt: skip
        costs[t] = served[sites]
        costs[t, 0] = 0.0
        add_slot(so_far[t], costs[t], so_far[t + 1])
        if worth[t] - so_far[t + 1, total] > best:
            best, finish = worth[t] - so_far[t + 1, total], t
    if trace and finish >= 0:
        left = total
        for t in range(finish, -1, -1):
            done = 0
            while costs[t, done] + so_far[t, left - done] != so_far[t + 1, left]:
                done += 1
            left -= done
            if done > 0:
                price = transfer_price[t]
                cover_slot(
                    worker_price[t], server_price[t], alone[t], beside_server[t], data,
                    price * chunk_size, price * parameter_size, epochs, worker_rate, idle, served,
                )  # fmt: skip
                server[t] = trace_slot(
                    worker_price[t], server_price[t], alone[t], beside_server[t], data,
                    price * chunk_size, price * parameter_size, epochs, worker_rate, idle, served,
                    done, processed[t],
                )  # fmt: skip
    return best, finish
