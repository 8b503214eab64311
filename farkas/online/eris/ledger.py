"""What is in use in every slot, and the prices that follow from it."""

from __future__ import annotations

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.eris import Auction, Job
from farkas.models.eris.prices import Prices, posted, resource_price, transfer_price
from farkas.numbers import Floats, floats
from farkas.online.eris.proposal import Proposal
from farkas.relaxations.eris.job_slots import JobSlots, job_slots


class Ledger:
    """State ρ, η of the auction with its posted prices; begins empty.

    Parameters
    ----------
    auction
        Sites and budgets; jobs and state of the file are not looked at.
    floor
        Share of what `heard` jobs offer for a unit, on top of every resource price.

    Raises
    ------
    InvalidOption
        For a floor below 0.
    """

    def __init__(self, auction: Auction, floor: float = 0.0) -> None:
        if not floor >= 0:
            raise InvalidOption(f"price_floor = {floor}; a price cannot be negative")
        self.auction, self.floor = auction, floor
        self.transferred = np.zeros(auction.slots)
        self.used = np.zeros((auction.sites, auction.num_resources, auction.slots))
        self.prices: Prices = posted(auction, self.transferred, self.used)
        self.offered, self.asked = 0.0, np.zeros(auction.num_resources)

    def copy(self) -> Ledger:
        """Return an independent copy."""
        twin = Ledger.__new__(Ledger)
        twin.auction, twin.floor = self.auction, self.floor
        twin.transferred, twin.used = self.transferred.copy(), self.used.copy()
        twin.prices = Prices(self.prices.transfer.copy(), self.prices.resource.copy())
        twin.offered, twin.asked = self.offered, self.asked.copy()
        return twin

    def hear(self, job: Job) -> None:
        """Learn what a job offers and how much it asks for; only later jobs pay another price.

        A job that asks for nothing offers nothing for a unit.
        """
        work = job.epochs * sum(job.data) / job.worker_rate
        asked = work * np.array(job.worker_demand)
        if not self.floor or not asked.any():
            return
        self.offered += job.utility[0]
        self.asked += asked
        self.prices.resource[:] = resource_price(self.auction, self.used, self.unit_floor())

    def unit_floor(self) -> Floats:
        """Floor of each resource's price, utility per unit, shape (resources,).

        What was asked for, at these prices, costs the share ``floor`` of what was offered, to equal
        parts for every resource that was asked for.
        """
        known = self.asked > 0
        per_unit = np.zeros_like(self.asked)
        np.divide(self.offered, self.asked, out=per_unit, where=known)
        return floats(self.floor * per_unit / max(1, int(known.sum())))

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
            self.auction, self.used[:, :, at], self.unit_floor()
        )
