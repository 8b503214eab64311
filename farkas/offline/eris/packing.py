"""Schedules of an auction that fit together, guided by prices, and exchanged while that pays."""

from __future__ import annotations

import numpy as np

from farkas.instances.eris import Auction
from farkas.models.eris.prices import Prices
from farkas.numbers import Bools, Ints
from farkas.offline.eris.exchange_kernel import (
    DRAWS,
    MOST_OUT,
    PackedSchedules,
    PricedRoom,
    exchange,
    pack,
)
from farkas.offline.eris.squeeze_kernel import MOVE_DRAWS, squeeze
from farkas.online.eris.environment import Award, Piece, SlotDecision
from farkas.relaxations.eris.priced_jobs import JobPricer, ScheduleColumns

#: Share of a resource's highest price that it costs wherever it costs less, where jobs are packed:
#: what is free now is scarce once others are there.
LEAST_PRICE = 0.01
NOISE = 0.5  #: Prices are multiplied by draws that lie this share below and above 1.
DRAWN_PRICES = 64


class Packing:
    """Schedules that fit together; begins empty."""

    def __init__(self, pricer: JobPricer) -> None:
        auction = self.auction = pricer.auction
        self.pricer, self.jobs = pricer, pricer.jobs
        self.everywhere: Bools = np.ones(len(self.jobs.worth), np.bool_)
        self._last: Ints = np.diff(self.jobs.begin) - 1
        self._rng = np.random.default_rng(0)
        shape = (DRAWN_PRICES, auction.sites, auction.num_resources)
        self._noise = 1.0 + NOISE * (2.0 * self._rng.random(shape) - 1.0)
        self.price(Prices.zero(auction))
        self.empty()

    def empty(self) -> None:
        """Take all schedules away."""
        auction, windows = self.auction, len(self.jobs.worth)
        self.packed = PackedSchedules(
            worth=np.zeros(auction.num_jobs),
            finish=np.full(auction.num_jobs, -1),
            workers=np.zeros((windows, auction.sites), np.int64),
            server=np.full(windows, -1),
            moved=np.zeros(windows, np.int64),
            transferred=np.zeros(auction.slots),
            used=np.zeros(auction.used.shape),
            running=np.zeros((auction.slots, auction.num_jobs), np.int64),
            many=np.zeros(auction.slots, np.int64),
        )

    def copy(self) -> PackedSchedules:
        """Return an independent copy of the schedules, which `packed` may be again."""
        return PackedSchedules._make(array.copy() for array in self.packed)

    def price(self, prices: Prices) -> None:
        """Let these prices guide what follows."""
        highest = prices.resource.max(axis=(0, 2), keepdims=True, initial=0.0)
        resource = np.maximum(prices.resource, LEAST_PRICE * highest)
        auction = self.auction
        self.prices = Prices(prices.transfer, resource)
        self.room = PricedRoom(auction.capacity, auction.transfer_budget, prices.transfer, resource)

    @property
    def worth(self) -> float:
        """Of all jobs that are served."""
        return float(self.packed.worth.sum())

    def fill(self, order: Ints) -> None:
        """Insert what is not served in order, at the prices, and then for nothing."""
        plain = np.ones_like(self._noise[:1])
        for share in (1.0, 0.0):
            pack(
                self.jobs, order, self._last, self.everywhere, self.packed, self.room, plain, share
            )

    def follow(self, order: Ints, planned: Bools) -> None:
        """Insert jobs in order where they are planned.

        Parameters
        ----------
        order
            Jobs that are planned.
        planned
            Shape (windows,), slots in which each job may run.
        """
        pack(
            self.jobs, order, self._last, planned, self.packed, self.room, self._noise, LEAST_PRICE
        )

    def make_room(self, targets: Ints, planned: Bools, tries: int) -> float:
        """Exchange jobs within the slots where they are planned, to make room for others.

        Returns
        -------
        Worth gained.
        """
        return self._exchange(targets, planned, tries, in_plan=True)

    def squeeze(self, targets: Ints, planned: Bools, tries: int) -> int:
        """Insert jobs where they are planned; others there change sites to make room.

        Parameters
        ----------
        targets
            Jobs without a schedule.
        planned
            Shape (windows,), slots in which each job may run.
        tries
            Changes of sites in a slot.

        Returns
        -------
        How many jobs were inserted.
        """
        total = self.auction.capacity.sum(axis=0)
        asked = targets[(self.auction.chunks[targets] > 0) & (self.packed.finish[targets] < 0)]
        if not len(asked) or not (total > 0).all():
            return 0
        nothing = self.packed._replace(
            transferred=np.zeros_like(self.packed.transferred),
            used=np.zeros_like(self.packed.used),
        )
        plain = np.ones_like(self._noise[0])
        return squeeze(
            self.jobs, asked, self.packed, nothing, self.room, total, plain, LEAST_PRICE, planned,
            self._rng.random((tries, MOVE_DRAWS)),
        )  # fmt: skip

    def improve(self, tries: int) -> float:
        """Exchange jobs so that some complete earlier; returns the worth gained."""
        first = self.jobs.worth[self.jobs.begin[:-1]]
        late = np.flatnonzero(self.packed.worth < first)
        return self._exchange(late, self.everywhere, tries, in_plan=False)

    def _exchange(self, targets: Ints, slots: Bools, tries: int, *, in_plan: bool) -> float:
        if not len(targets):
            return 0.0
        chosen = targets[(self._rng.random(tries) * len(targets)).astype(np.int64)]
        draws = self._rng.random((tries, DRAWS + MOST_OUT))
        return exchange(
            self.jobs, chosen, self.packed, self.room, draws, self._noise, slots, in_plan
        )

    def columns(self) -> ScheduleColumns:
        """Return the schedules as columns."""
        now = self.packed
        return self.pricer.columns_of(now.finish, now.workers, now.server, now.moved)

    def decisions(self) -> list[SlotDecision]:
        """Return the schedules as decisions on the jobs' arrivals."""
        found = []
        for slot in range(self.auction.slots):
            jobs = np.flatnonzero(self.auction.arrival == slot).tolist()
            pieces = tuple(piece for job in jobs for piece in self._pieces(job))
            found.append(SlotDecision(tuple(map(self._award, jobs)), pieces))
        return found

    def _award(self, job: int) -> Award:
        finish = int(self.packed.finish[job])
        completed = int(self.auction.arrival[job]) + finish if finish >= 0 else None
        return Award(job, accepted=finish >= 0, completed=completed)

    def _pieces(self, job: int) -> list[Piece]:
        now, low, first = self.packed, int(self.jobs.begin[job]), int(self.auction.arrival[job])
        slots = low + np.flatnonzero(now.server[low : low + int(now.finish[job]) + 1] >= 0)
        return [
            Piece(
                job=job,
                slot=first + at - low,
                server=int(now.server[at]),
                workers=tuple((r, n) for r, n in enumerate(now.workers[at].tolist()) if n > 0),
                moved=int(now.moved[at]),
            )
            for at in slots.tolist()
        ]


def largest_first(auction: Auction, columns: ScheduleColumns) -> Ints:
    """Jobs of schedules, those first that use the largest share of a resource of all sites."""
    total = auction.capacity.sum(axis=0)
    slots = auction.slots
    found = columns.usage.tocoo()
    rows, fine = found.coords
    resource = (fine - slots) // slots % auction.num_resources
    share = np.zeros(len(columns.job))
    at = (fine >= slots) & (total[resource] > 0)
    np.add.at(share, rows[at], found.data[at] / total[resource[at]])
    order: Ints = columns.job[np.argsort(-share, kind="stable")]
    return order
