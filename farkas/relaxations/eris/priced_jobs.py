"""Kernel: the best schedules of many jobs at given prices, with what they use.

Each job meets the whole empty system; its schedule is the one that attains the bound of
`farkas.relaxations.eris.payoff_bound`.
"""

from typing import NamedTuple

import numpy as np

from farkas.instances.eris import Auction, hosted, left_over
from farkas.kernels import Floats1, Floats2, Floats3, Ints1, Ints2, Out, compiled
from farkas.relaxations.eris.payoff_bound import NO_SERVER, JobSlots, bound_payoff, chunks_sent
from farkas.tolerances import ROUNDING


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
    budget: float  #: MB of a slot.


class ChosenSchedules(NamedTuple):
    """Schedules of some jobs, by row of the windows of `JobsTable`."""

    #: payoff, finish: shape (jobs,): the bound, and the slot of completion after the arrival, -1
    #: for none.
    payoff: Floats1
    finish: Ints1
    processed: Ints2  #: Shape (windows, sites), chunks.
    server: Ints1  #: Shape (windows,), site of the server, -1 where nothing runs.


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
        budget=auction.transfer_budget,
    )


@compiled(steps=lambda jobs, which, transfer, resource, chosen: len(which) * resource.size)
def choose(
    jobs: JobsTable,
    which: Ints1,
    transfer: Floats1,
    resource: Floats3,
    chosen: Out[ChosenSchedules],
) -> None:
    """Fill in the best schedules of the jobs ``which``; those of others are left as they are.

    ``transfer``, ``resource``: prices, shapes (slots,) and (sites, resources, slots).
    """
    sites, resources, slots = resource.shape
    for i in which:
        first = jobs.arrival[i]
        window = slots - first
        low = jobs.begin[i]
        worker_price, server_price = np.zeros((window, sites)), np.zeros((window, sites))
        alone = np.empty((window, sites), np.int64)
        beside_server = np.empty((window, sites), np.int64)
        for t in range(window):
            for r in range(sites):
                alone[t, r], beside_server[t, r] = jobs.alone[i, r], jobs.beside_server[i, r]
                for k in range(resources):
                    price = resource[r, k, first + t]
                    worker_price[t, r] += jobs.worker_demand[i, k] * price
                    server_price[t, r] += jobs.server_demand[i, k] * price
        budget = np.empty(window)
        budget[:] = jobs.budget * (1.0 + ROUNDING)
        seen = JobSlots(
            worker_price, server_price, alone, beside_server, transfer[first:].copy(), budget,
            budget, jobs.data[i].copy(), jobs.worth[low : low + window].copy(),
            jobs.epochs[i], jobs.worker_rate[i], jobs.chunk_size, jobs.parameter_size[i],
        )  # fmt: skip
        cover = bound_payoff(seen, chunks_sent(seen))
        chosen.payoff[i], chosen.finish[i] = cover.payoff, cover.finish
        for t in range(window):
            chosen.server[low + t] = cover.server[t]
            for r in range(sites):
                chosen.processed[low + t, r] = cover.processed[t, r]
