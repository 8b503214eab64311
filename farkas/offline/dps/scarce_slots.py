"""Local search around slots where units are dear and idle, or taken by jobs that pay too little.

Prices of the bound say when what is lost is lost: many jobs hold units for so long that they all
meet in a few slots, and those that arrive near each other do not show it.  A program places anew
who is there in such a slot, with the best of those that wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from farkas.numbers import Bools, Floats, Ints
from farkas.offline.dps.reassigning import ROOM, Reassigning
from farkas.relaxations.dps.server_prices import PricedServers
from farkas.tolerances import FINE_GAP

WIDER = 1.5  #: How many times as many jobs as meet in a slot a program takes after each in vain.
DISCOUNT = 3.0  #: Divisor of what a slot promises for each program in vain.
#: Share of what is lost in a slot that others gain before a smaller program is tried again.
NEW = 1.0
MOST_IDLE = 6  #: Programs in a row that gain nothing, after which other moves have their turn.
MOST_COLUMNS = 30_000  #: Jobs times servers of a program, about.


class ScarceSlots:
    """Places jobs anew that meet in slots where most is lost.

    Parameters
    ----------
    anew
        Programs, and where jobs are; changed.
    priced
        Prices of the bound.
    """

    def __init__(self, anew: Reassigning, priced: PricedServers) -> None:
        self.anew, self.timeline, self.packing = anew, anew.timeline, anew.packing
        market, prices = anew.market, priced.prices
        slots = np.unique(market.arrival)
        self.prices: list[Floats] = []
        """Of both sides, shapes (classes, types, arrival slots); those between are added to the
        slot of arrival before."""
        for positions, numbers, width in (
            (prices.worker_positions, prices.worker_numbers, market.num_worker_types),
            (prices.ps_positions, prices.ps_numbers, market.num_ps_types),
        ):
            price = np.zeros((anew.classes.count * width, len(slots)))
            row, slot = np.divmod(positions, market.horizon)
            at = np.searchsorted(slots, slot, side="right") - 1
            np.add.at(price, (row, at), np.ldexp(numbers.astype(float), -prices.scale))
            self.prices.append(price.reshape(anew.classes.count, width, -1))
        self.dear: Floats = sum(price.sum(axis=(0, 1)) for price in self.prices)
        """All prices of a slot."""
        self.wider: Ints = np.zeros(len(slots), np.int64)
        """Programs around each slot since others last gained as much as is lost there."""
        self.value: Floats = np.zeros(len(slots))
        """Payments after the last one."""
        self.closed: Bools = np.zeros(len(slots), np.bool_)
        """Where there are no other jobs to meet."""
        self.rng = np.random.default_rng(0)
        self.over = False
        """Whether nothing was left to try."""

    def lost(self) -> Floats:
        """Say what is lost by slot: idle units at their prices, and of each job in its dearest.

        Jobs lose what their best way pays beyond its charge and theirs does not.
        """
        anew, timeline = self.anew, self.timeline
        lost = np.zeros(len(self.dear))
        for side, price in enumerate(self.prices):
            for kind in range(price.shape[1]):
                idle = timeline.idle_units(side, kind) * price[anew.classes.of, kind]
                lost += idle.sum(axis=0)
        loss, after = anew.losses(), self._after()
        for job in np.flatnonzero(loss > 0).tolist():
            part = self.dear[timeline.first[job] : after[job]]
            if len(part):
                lost[timeline.first[job] + int(part.argmax())] += loss[job]
        return lost

    def _after(self) -> Ints:
        """First slot at which jobs hold nothing, where they are or would be at best."""
        spread = self.anew.lost[1] > self.anew.lost[0]
        for job, where in self.timeline.placed.items():
            spread[job] = not where.whole
        return np.where(spread, *self.timeline.after)

    def meeting(self, slot: int, wider: int, room: float) -> Ints:
        """Find who is served in a slot or near it, and half as many that wait; ascending.

        Parameters
        ----------
        wider
            How often more jobs are asked for than meet in the slot.
        room
            Most that jobs that wait may lose.
        """
        packing, first = self.packing, self.timeline.first
        away = np.maximum(np.maximum(first - slot, slot + 1 - self._after()), 0)
        served = np.flatnonzero(packing.served)
        count = int((away[served] == 0).sum() * WIDER**wider)
        served = served[np.argsort(away[served], kind="stable")][:count]
        margin = np.maximum(*self.anew.lost)
        near = packing.paying & ~packing.served & (margin > -room)
        waiting = np.flatnonzero(near & (away <= away[served].max(initial=0)))
        waiting = waiting[np.argsort(-margin[waiting], kind="stable")][: 1 + count // 2]
        return np.sort(np.concatenate([served, waiting]))

    def part(self, jobs: Ints) -> tuple[Ints, Bools | None]:
        """Leave out servers, at random, and whose workers are there, where jobs are many.

        Returns
        -------
        The jobs, and the servers that stay; None where all do.
        """
        market = self.anew.market
        columns = len(jobs) * market.num_servers
        if columns <= MOST_COLUMNS:
            return jobs, None
        share = math.sqrt(MOST_COLUMNS / columns)  # of jobs and of servers
        among = np.zeros(market.num_servers, np.bool_)
        for servers in self.anew.servers:
            among[self.rng.permutation(servers)[: math.ceil(share * len(servers))]] = True
        kept = []
        for job in jobs.tolist():
            where = self.timeline.placed.get(job)
            if where is None or among[where.servers[where.workers > 0]].all():
                kept.append(job)
        return np.array(kept, np.int64), among

    def moves(self, left: Callable[[], float], gap: float) -> Iterator[bool]:
        """Place jobs anew around slots that promise most, otherwise as `Reassigning.moves`."""
        packing, idle = self.packing, 0
        enough = FINE_GAP * self.anew.aim
        while left() and idle < MOST_IDLE:
            lost = self.lost()
            again = packing.value - self.value > NEW * lost
            self.wider[again], self.closed[again], self.value[again] = 0, False, packing.value
            promise = np.where(self.closed, 0.0, lost / DISCOUNT**self.wider)
            slot = int(promise.argmax())
            short, loose = self.anew.short()
            self.over = bool(promise[slot] <= enough) or short <= enough
            if self.over:
                return
            jobs = self.meeting(slot, int(self.wider[slot]), ROOM * loose)
            everybody = np.isin(np.flatnonzero(packing.served), jobs).all()
            jobs, among = self.part(jobs)
            self.wider[slot] += 1
            gained = self.anew.place(
                jobs,
                ROOM * loose,
                among=among,
                time_limit=left(),
                gap=max(gap / 4, FINE_GAP),
            )
            self.value[slot] = packing.value
            self.closed[slot] = everybody and not gained
            idle = 0 if gained else idle + 1
            yield gained
