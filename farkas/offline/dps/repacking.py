"""Local search over placements: empty a few servers for a while and fill them again.

Jobs are taken in order of what they pay for a unit of their charge at the prices of the bound.  A
move chooses a job that is not served, empties one or two servers that could host it while it runs,
and offers their idle units to it, to the jobs that were there and to others that wait; it stays if
payments do not fall.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats, Ints
from farkas.offline.dps.timeline import Placed, ServerTimeline
from farkas.online.dps.offers import Decision

MOST_OFFERED = 40  #: Waiting jobs that a move offers idle units.
FAIR_SHARE = 0.5  #: Share of a job in an optimum of a linear program from which it is served.
Ranks = Callable[[int], tuple[Ints, Ints]]
#: Power of a uniform number that chooses a waiting job: the larger, the likelier are those first
#: that pay most for their charge.
EAGER = 3
#: How far the factors are from 1 by which a move changes what jobs pay for their charge.
NOISE = 0.3


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SavedPlacements:
    """Where jobs are."""

    value: float  #: What they pay.
    placed: dict[int, Placed]  #: Where each is.


class Repacking:
    """Jobs on servers, improved.

    Parameters
    ----------
    timeline
        Empty servers.
    payment
        What jobs pay, shape (jobs,); jobs that pay nothing stay away.
    whole, spread
        Charge of a job where one server or several hold it, at the prices of the bound; infinite
        where that is impossible.  Shape (jobs,).
    ranks
        By job, ranks of servers for its workers and its parameter servers when it is spread.
    """

    def __init__(
        self, timeline: ServerTimeline, payment: Floats, whole: Floats, spread: Floats, ranks: Ranks
    ) -> None:
        self.timeline, self.payment, self.spread, self._ranks = timeline, payment, spread, ranks
        least = np.minimum(whole, spread)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.ratio: Floats = np.where(least > 0, payment / least, np.inf)
        self.paying: Bools = (payment > 0) & np.isfinite(least)
        self.served: Bools = np.zeros(len(payment), np.bool_)

    @property
    def value(self) -> float:
        """What the jobs served pay."""
        return math.fsum(self.payment[self.served].tolist())

    @property
    def waiting(self) -> bool:
        """Whether some job pays and is not served."""
        return bool((self.paying & ~self.served).any())

    def saved(self) -> SavedPlacements:
        """Return where the jobs are."""
        return SavedPlacements(self.value, dict(self.timeline.placed))

    def restore(self, kept: SavedPlacements) -> None:
        """Place the jobs as they were."""
        self.clear()
        for job, where in kept.placed.items():
            self.put(job, where)

    def insert(self, job: int) -> bool:
        """Serve a job if there is room; spread only where it pays for that."""
        where = self.timeline.one_server(job)
        if where is None and self.payment[job] >= self.spread[job]:
            where = self.timeline.several_servers(job, *self._ranks(job))
        if where is None:
            return False
        self.put(job, where)
        return True

    def put(self, job: int, where: Placed) -> None:
        """Place a job."""
        self.timeline.put(job, where)
        self.served[job] = True

    def take(self, job: int) -> Placed:
        """Take a job away; returns where it was."""
        self.served[job] = False
        return self.timeline.take(job)

    def fill(self, jobs: Ints) -> None:
        """Insert jobs in order."""
        for job in jobs.tolist():
            if self.paying[job] and not self.served[job]:
                self.insert(job)

    def clear(self) -> None:
        """Take all jobs away."""
        for job in np.flatnonzero(self.served).tolist():
            self.take(job)

    def move(self, rng: np.random.Generator) -> bool:
        """Try one move; returns whether payments have risen."""
        waiting = np.flatnonzero(self.paying & ~self.served)
        if not len(waiting):
            return False
        eager = waiting[np.argsort(-self.ratio[waiting], kind="stable")]
        job = int(eager[int(len(eager) * rng.random() ** EAGER)])
        timeline, first, after = self.timeline, self.timeline.first, self.timeline.after[1]
        hosts = timeline.hosting(job)
        hosts = hosts if len(hosts) else np.arange(timeline.market.num_servers)
        count = min(len(hosts), 1 + int(rng.integers(2)))
        emptied = set(rng.choice(hosts, count, replace=False).tolist())
        begin, end = int(first[job]), int(after[job])
        gone = {
            other: self.take(other)
            for server in sorted(emptied)
            for other in timeline.on(server, begin, end)
            if self.served[other]
        }
        kind = timeline.market.worker_type[job]
        near = waiting[
            (timeline.market.worker_type[waiting] == kind)
            & (first[waiting] < end)
            & (after[waiting] > begin)
            & (waiting != job)
        ]
        near = near[np.argsort(-self.ratio[near], kind="stable")][:MOST_OFFERED]
        offered = np.concatenate([np.array(sorted(gone), np.int64), near])
        noise = rng.uniform(1.0 - NOISE, 1.0 + NOISE, len(offered))
        offered = offered[np.argsort(-self.ratio[offered] * noise, kind="stable")]
        before = self.served.copy()
        self.fill(np.concatenate([np.array([job]), offered]))
        new = np.flatnonzero(self.served & ~before)
        # rounded once, so that jobs in another order gain nothing
        gain = math.fsum([*self.payment[new].tolist(), *(-self.payment[list(gone)]).tolist()])
        if gain >= 0:
            return gain > 0
        for other in new.tolist():
            self.take(other)
        for other, where in gone.items():
            self.put(other, where)
        return False


def best_prices(market: Market) -> Floats:
    """Highest unit price, the same on both sides, at which each job pays; shape (jobs,)."""
    found = []
    for job in market.jobs:
        units = job.workers + job.ps
        price = job.budget / units
        if Fraction(price) * units > Fraction(job.budget):
            price = float(np.nextafter(price, 0.0))
        found.append(price if market.price_cap is None else min(price, market.price_cap))
    return np.array(found, dtype=float)


def decisions_of(market: Market, prices: Floats, timeline: ServerTimeline) -> list[Decision]:
    """Sell to the jobs that are placed, at their own prices; offer nothing to the others."""
    found = []
    for number, job in enumerate(market.jobs):
        where = timeline.placed.get(number)
        if where is None:
            found.append(Decision("declined"))
            continue
        price = float(prices[number])
        held = (tuple(units.tolist()) for units in (where.servers, where.workers, where.ps))
        servers, workers, ps = held
        payment = price * (job.workers + job.ps)
        found.append(Decision("sold", payment, price, price, servers, workers, ps))
    return found
