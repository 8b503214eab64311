"""Spans of slots that hold jobs of an auction as wholes.

What jobs need that arrive and complete in a span fits into what it holds of a resource: they are a
choice of a knapsack.  Of its inequalities those are found that shares violate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

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
EACH = 2  #: Knapsacks of a round with the same last slot and resource.


class Spans:
    """Looks for spans, again and again."""

    def __init__(self, program: PricedAuction) -> None:
        auction: Auction = program.instance
        self.program, self.auction = program, auction
        self._sizes: dict[int, tuple[float, Ints, Fraction]] = {}
        self._worth = np.zeros((auction.num_jobs, auction.slots + 1))
        for row, job in zip(self._worth, auction.jobs, strict=True):
            row[: len(job.utility)] = job.utility
        self._worth[auction.chunks == 0] = 0.0

    def sizes(self, resource: int) -> tuple[float, Ints, Fraction]:
        """Return the unit of a resource, how many jobs need, shape (jobs,), and a slot holds."""
        if resource not in self._sizes:
            self._sizes[resource] = self._counted(resource)
        return self._sizes[resource]

    def _counted(self, resource: int) -> tuple[float, Ints, Fraction]:
        auction, unit = self.auction, unit_of(self.auction, resource)
        size: Ints = np.zeros(auction.num_jobs, np.int64)
        if not unit:
            return unit, size, Fraction(0)
        for i in np.flatnonzero(auction.chunks > 0).tolist():
            needed = self.program.needed(i, resource) / Fraction(unit)
            size[i] = min(int(needed), LARGEST_ROOM + 1)
        rows = np.array([begin for begin, _ in self.rows_of(resource, 0, 0)])
        return unit, size, self.program.capacity(rows) / Fraction(unit)

    def rows_of(self, resource: int, first: int, last: int) -> tuple[tuple[int, int], ...]:
        """Ranges of the program's rows that hold a resource of all sites from slot to slot."""
        auction = self.auction
        begins = auction.slots * (1 + resource + auction.num_resources * np.arange(auction.sites))
        return tuple((begin + first, begin + last + 1) for begin in begins.tolist())

    def violated(self, plans: Plans, share: Floats, tight: Bools) -> list[Knapsack]:
        """Return the spans that shares of plans violate most, where resources are tight.

        ``tight``: shape (resources, slots).
        """
        found: list[Knapsack] = []
        auction, some = self.auction, np.flatnonzero((share > 0) & (plans.value > 0))
        some = some[auction.chunks[plans.owner[some]] > 0]
        job, part = plans.owner[some], share[some]
        delay = (self._worth[job] > plans.value[some, None]).sum(axis=1)
        done = auction.arrival[job] + delay
        for k, slots in enumerate(tight):
            unit, size, _ = self.sizes(k)
            if not unit:
                continue
            for begin, end in runs(slots):
                low, high = np.searchsorted(auction.arrival, [begin, end + 1]).tolist()
                here = (job >= low) & (job < high) & (done >= begin) & (done <= end)
                complete = np.zeros((high - low, end - begin + 1))
                np.add.at(complete, (job[here] - low, done[here] - begin), part[here])
                complete = np.minimum(np.cumsum(complete, axis=1), 1.0)
                for last in range(begin, end + 1):
                    by = complete[:, last - begin]
                    delays = np.maximum(last - auction.arrival[low:high], 0)
                    worth = self._worth[np.arange(low, high), delays]
                    # who is worth the same later may complete outside of the span
                    falls = worth > self._worth[np.arange(low, high), delays + 1]
                    able = (by > VIOLATED) & (size[low:high] > 0) & falls
                    jobs = low + np.flatnonzero(able)
                    found += self._ending(k, begin, last, jobs, by[able], worth[able])
        return found

    def _ending(
        self, k: int, begin: int, last: int, jobs: Ints, by: Floats, worth: Floats
    ) -> Iterator[Knapsack]:
        """Spans from ``begin`` or later to ``last``, by when shares ``by`` of ``jobs`` complete."""
        arrival, tried = self.auction.arrival[jobs], []
        unit, size, a_slot = self.sizes(k)
        for first in range(last, max(begin, last - LONGEST + 1) - 1, -1):
            here = slice(int(np.searchsorted(arrival, first)), None)
            needed, share = size[jobs[here]], by[here]
            room = int((last + 1 - first) * a_slot)
            if room > LARGEST_ROOM:
                break
            over = float((needed.astype(np.float64) * share).sum()) - room
            between = (share < 1.0 - VIOLATED) & (needed > 1)
            if over > 0.0 or (between.any() and over >= -SLACK * float(a_slot)):
                row = rounded(needed, share, room)
                if row is not None:
                    tried.append((row[0], first, here, row[1]))
        for _, first, here, charges in sorted(tried, key=lambda row: -row[0])[:EACH]:
            kept = charges > 0
            knapsack = Knapsack(
                rows=self.rows_of(k, first, last),
                unit=unit,
                owners=tuple(jobs[here][kept].tolist()),
                values=tuple(worth[here][kept].tolist()),
                amounts=tuple(charges[kept].tolist()),
            )
            limit = float(knapsack.best(self.program))
            if float((charges[kept] * by[here][kept]).sum()) > limit + VIOLATED:
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
