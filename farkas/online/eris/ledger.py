"""What is in use in every slot, and the prices that follow from it."""

from __future__ import annotations

import numpy as np

from farkas.instances.eris import Auction, Job
from farkas.models.eris.prices import Prices, posted, resource_price, transfer_price
from farkas.online.eris.proposal import Proposal
from farkas.relaxations.eris.job_slots import JobSlots, job_slots


class Ledger:
    """State ρ, η of the auction with its posted prices; begins empty.

    Parameters
    ----------
    auction
        Sites and budgets; jobs and state of the file are not looked at.
    floor
        Constant on top of every resource price.
    """

    def __init__(self, auction: Auction, floor: float = 0.0) -> None:
        self.auction, self.floor = auction, floor
        self.transferred = np.zeros(auction.slots)
        self.used = np.zeros((auction.sites, auction.num_resources, auction.slots))
        self.prices: Prices = posted(auction, self.transferred, self.used, floor)

    def copy(self) -> Ledger:
        """Return an independent copy."""
        twin = Ledger.__new__(Ledger)
        twin.auction, twin.floor = self.auction, self.floor
        twin.transferred, twin.used = self.transferred.copy(), self.used.copy()
        twin.prices = Prices(self.prices.transfer.copy(), self.prices.resource.copy())
        return twin

    def meet(self, job: Job) -> JobSlots:
        """Collect what ``job`` meets now."""
        return job_slots(self.auction, job, self.prices, self.transferred, self.used)

    def book(self, job: Job, seen: JobSlots, proposal: Proposal) -> None:
        """Add a schedule's use and raise the prices where it runs."""
        slots = proposal.slots
        if len(slots) == 0:
            return
        at = job.arrival + slots
        workers = proposal.workers[slots].T.astype(float)  # (sites, slots)
        servers = np.zeros_like(workers)
        servers[proposal.server[slots], np.arange(len(slots))] = 1.0
        self.transferred[at] += proposal.transfer(seen)[slots]
        self.used[:, :, at] += np.array(job.worker_demand)[:, None] * workers[:, None]
        self.used[:, :, at] += np.array(job.server_demand)[:, None] * servers[:, None]
        self.prices.transfer[at] = transfer_price(self.auction, self.transferred[at])
        self.prices.resource[:, :, at] = resource_price(
            self.auction, self.used[:, :, at], self.floor
        )
