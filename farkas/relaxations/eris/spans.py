"""Spans of slots that hold jobs of an auction as wholes.

What jobs need in a span fits into what it holds of a limit, transfer or a resource: they are a
choice of a knapsack.  A job that arrives earlier or completes later needs there what its other
slots cannot process.  Of these inequalities those are found that shares violate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from farkas.certificates.eris import PricedAuction
from farkas.certificates.priced_tree import Knapsack
from farkas.decomposition.cuts import VIOLATED, rounded
from farkas.decomposition.protocol import Plans
from farkas.instances.eris import Auction
from farkas.numbers import Bools, Floats, Ints

LONGEST = 30  #: Slots of a span at most.
LARGEST_ROOM = 1 << 14  #: Units of a span at most; its knapsack is a table of so many numbers.
#: Spans of which this share of a slot or more is not needed by who completes there are passed.
SLACK = 0.75
EACH = 2  #: Knapsacks of a round with the same last slot and limit.
REACH = 8  #: Slots before and after a span in which its jobs may be processed, too.
TRANSFER_UNITS = 1 << 9  #: In which the transfer of a slot is counted.


class Shares(NamedTuple):
    """How much of jobs completes by which slot, around a run of slots."""

    job: Ints  #: Shape (jobs,), ascending.
    #: by, worth: shape (jobs, slots of the run and `REACH` more): share that completes by the slot,
    #: 0 where the job is worth the same later, and what the job is worth there.
    by: Floats
    worth: Floats


class Spans:
    """Looks for spans, again and again.

    Limits are numbered, transfer first, then resources.
    """

    def __init__(self, program: PricedAuction) -> None:
        auction: Auction = program.instance
        self.program, self.auction = program, auction
        self._units: dict[int, tuple[float, Fraction]] = {}
        self._sizes: dict[tuple[int, int], Ints] = {}
        self._worth = np.zeros((auction.num_jobs, auction.slots + 1))
        for row, job in zip(self._worth, auction.jobs, strict=True):
            row[: len(job.utility)] = job.utility
        self._worth[auction.chunks == 0] = 0.0

    def units(self, limit: int) -> tuple[float, Fraction]:
        """Return the unit in which a limit is counted, and how many a slot holds."""
        if limit not in self._units:
            a_slot = self.auction.transfer_budget / TRANSFER_UNITS
            unit = unit_of(self.auction, limit - 1) if limit else a_slot
            rows = np.array([begin for begin, _ in self.rows_of(limit, 0, 0)])
            self._units[limit] = unit, self.program.capacity(rows) / Fraction(unit or 1.0)
        return self._units[limit]

    def sizes(self, limit: int, job: int) -> Ints:
        """Return units that a job needs, shape (`LONGEST` + 1, 2 `REACH` + 1).

        The axes are numbers of its slots inside of a span and outside.
        """
        if (limit, job) not in self._sizes:
            unit, found = Fraction(self.units(limit)[0]), np.zeros((LONGEST + 1, 2 * REACH + 1))
            many = 1 if limit else LONGEST  # of resources as much is needed in any number of slots
            for outside in range(2 * REACH + 1):
                each = [self.program.needed(job, limit, n + 1, outside) / unit for n in range(many)]
                found[1:, outside] = [min(int(one), LARGEST_ROOM + 1) for one in each]
                if not found[:, outside].any():
                    break
            self._sizes[limit, job] = found.astype(np.int64)
        return self._sizes[limit, job]

    def rows_of(self, limit: int, first: int, last: int) -> tuple[tuple[int, int], ...]:
        """Ranges of the program's rows that hold a limit of all sites from slot to slot."""
        auction = self.auction
        places = limit + auction.num_resources * np.arange(auction.sites if limit else 1)
        begins = (auction.slots * places).tolist()
        return tuple((begin + first, begin + last + 1) for begin in begins)

    def violated(self, plans: Plans, share: Floats, tight: Bools) -> list[Knapsack]:
        """Return the spans that shares of plans violate most, where limits are tight.

        ``tight``: shape (limits, slots).
        """
        found: list[Knapsack] = []
        for limit, slots in enumerate(tight):
            if self.units(limit)[0]:
                for begin, end in runs(slots):
                    shares = self._shares(plans, share, begin, end)
                    for last in range(begin, end + 1):
                        found += self._ending(limit, begin, last, shares)
        return found

    def _shares(self, plans: Plans, share: Floats, begin: int, end: int) -> Shares:
        """Return what completes by the slots of a run."""
        arrival, slots = self.auction.arrival, np.arange(begin, end + REACH + 1)
        job: Ints = np.arange(*np.searchsorted(arrival, [begin - REACH, end + 1]).tolist())
        some = np.flatnonzero((share > 0) & (plans.value > 0) & np.isin(plans.owner, job))
        some = some[self.auction.chunks[plans.owner[some]] > 0]
        owner = plans.owner[some]
        delay = (self._worth[owner] > plans.value[some, None]).sum(axis=1)
        done = np.maximum(arrival[owner] + delay - begin, 0)
        here = done < len(slots)
        by = np.zeros((len(job), len(slots)))
        np.add.at(by, (np.searchsorted(job, owner[here]), done[here]), share[some[here]])
        by = np.minimum(np.cumsum(by, axis=1), 1.0)
        delays = np.clip(slots - arrival[job, None], 0, self.auction.slots - 1)
        worth = self._worth[job[:, None], delays]
        # who is worth the same later may complete later
        by[worth <= self._worth[job[:, None], delays + 1]] = 0.0
        by[:, slots >= self.auction.slots] = 0.0
        return Shares(job, by, worth)

    def _ending(self, limit: int, begin: int, last: int, shares: Shares) -> Iterator[Knapsack]:
        """Spans from ``begin`` or later to ``last``."""
        (unit, a_slot), earliest = self.units(limit), max(begin, last - LONGEST + 1)
        every, tried = self.auction.arrival[shares.job], []
        ends = slice(last - begin, last - begin + REACH + 1)
        able = (every <= last) & (every >= earliest - REACH)
        some = np.flatnonzero(able & (shares.by[:, ends] > VIOLATED).any(axis=1))
        if not len(some):
            return
        job, arrival, by = shares.job[some], every[some], shares.by[some, ends]
        sizes, number = np.array([self.sizes(limit, i) for i in job.tolist()]), np.arange(len(some))
        for first in range(last, earliest - 1, -1):
            room = int((last + 1 - first) * a_slot)
            if room > LARGEST_ROOM:
                break
            inside = last + 1 - np.maximum(arrival, first)
            before = np.clip(first - arrival, 0, REACH)
            size = sizes[number[:, None], inside[:, None], before[:, None] + np.arange(REACH + 1)]
            size[arrival < first - REACH] = 0
            end = (size[:, : by.shape[1]] * by).argmax(axis=1)
            needed, share = size[number, end], by[number, end]
            kept = np.flatnonzero((needed > 0) & (share > VIOLATED))
            needed, share = needed[kept], share[kept]
            over = float((needed.astype(np.float64) * share).sum()) - room
            between = (share < 1.0 - VIOLATED) & (needed > 1)
            if over > 0.0 or (between.any() and over >= -SLACK * float(a_slot)):
                row = rounded(needed, share, room)
                if row is not None:
                    worth = shares.worth[some[kept], last - begin + end[kept]]
                    tried.append((row[0], first, job[kept], share, worth, row[1]))
        for _, first, owner, share, worth, charges in sorted(tried, key=lambda row: -row[0])[:EACH]:
            paid = charges > 0
            knapsack = Knapsack(
                rows=self.rows_of(limit, first, last),
                unit=unit,
                owners=tuple(owner[paid].tolist()),
                values=tuple(worth[paid].tolist()),
                amounts=tuple(charges[paid].tolist()),
            )
            if float((charges * share).sum()) > float(knapsack.best(self.program)) + VIOLATED:
                yield knapsack


def unit_of(auction: Auction, k: int) -> float:
    """Greatest common divisor of what jobs need of a resource; the least need if it is too fine.

    Needs are doubles, multiples of some power of two, so that the divisor is exact in any unit.
    """
    workers = -(-auction.epochs * auction.chunks // auction.worker_rate)
    needs = workers * auction.worker_demand[:, k] + auction.server_demand[:, k]
    needs = needs[(auction.chunks > 0) & (needs > 0)]
    if not len(needs):
        return 0.0
    exact = list(map(Fraction, needs.tolist()))
    parts = max(need.denominator for need in exact)  # powers of two
    unit = Fraction(math.gcd(*(int(need * parts) for need in exact)), parts)
    return float(unit if needs.max() <= LARGEST_ROOM * unit else needs.min())


def runs(marked: Bools) -> list[tuple[int, int]]:
    """First and last slot of each run of marked ones."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))
