"""What one job meets in every slot: the arguments of all kernels about schedules."""

from typing import NamedTuple

import numpy as np

from farkas.instances.eris import Auction, Job, hosted, left_over, workers_for
from farkas.kernels import Floats1, Floats2, Ints1, Ints2, compiled
from farkas.models.eris.prices import Prices
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
