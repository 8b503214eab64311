"""Decisions of a seller, replayed in exact arithmetic: payments, placements, units still held.

A sold job pays its unit prices times its units; budgets and the price cap are compared with that
number, not with the rounded one beside it.

A job holds its units in the slots of its runtime (1) as a double (`Market.last_held`), of which
programs and bounds speak, too.  Every way to run that passes here keeps the rows (2b)-(2g), so that
it is a point of the programs and no better than a bound of theirs.

Decisions are looked at as columns.  What is said of them is exact: a comparison of doubles counts
where their rounding errors cannot turn it around, the others are done in fractions job by job, and
the value is a sum of integers.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.errors import NotACertificate
from farkas.instances.dps import Job, Market
from farkas.numbers import Bools, Ints
from farkas.replay.base import (
    Entry,
    Replay,
    Requirements,
    RunDecisions,
    decoded,
    fixed,
    places,
    replays,
    unread,
)
from farkas.tolerances import ROUNDING, TINY, ULP

Index = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

SERVED = ("sold", "explored")
PARTS = round(1 / ROUNDING)
#: Share of a result of a few operations on doubles, more than their rounding errors together.
ULPS = 16 * ULP
#: More than any count or place of a market; larger ones of a decision are read as this.
HUGE = 2**40


class SaleEntry(Entry, frozen=True, kw_only=True, gc=False):
    """What happened to one job; see `farkas.online.dps.environment.Decision`."""

    outcome: Literal["sold", "explored", "declined", "full"]
    payment: Amount
    worker_price: Amount | None
    ps_price: Amount | None
    servers: tuple[Index, ...]
    workers: tuple[Index, ...]
    ps: tuple[Index, ...]
    exploring: bool


unread.add("dps", ("exploring", "prices that a job declined"))


@replays.register("dps")
def replay(market: Market, run: RunDecisions) -> Replay:
    """Add up payments, and check them and the placements."""
    decisions, kept = decoded(run.decisions, list[SaleEntry]), Requirements()
    if len(decisions) != market.num_jobs:
        kept.broken.append(f"{len(decisions)} decisions for {market.num_jobs} jobs")
        return Replay.of(0, kept)
    outcome = np.array([decision.outcome for decision in decisions])
    offers = _Offers(market, decisions, outcome)
    for job, wrong in sorted(offers.faults(kept)):
        kept.broken.append(f"job {job} {wrong}")
    placed, odd = _Placements.of(market, decisions, np.isin(outcome, SERVED))
    for job in odd:
        kept.broken.append(f"job {job} {_misplaced(market, market.jobs[job], decisions[job])}")
    for job in placed.lacking(market).tolist():
        kept.broken.append(f"job {job} takes units that are not idle")
    return Replay.of(offers.earned(), kept)


class _Offers:
    """Prices asked and payments; arrays have shape (jobs,)."""

    def __init__(self, market: Market, decisions: Sequence[SaleEntry], outcome: Any) -> None:
        worker = [decision.worker_price for decision in decisions]
        ps = [decision.ps_price for decision in decisions]
        self.market, self.sold, self.declined = market, outcome == "sold", outcome == "declined"
        self.paid = np.array([decision.payment for decision in decisions], dtype=float)
        self.worker, self.ps = (
            np.array([price or 0.0 for price in side], dtype=float) for side in (worker, ps)
        )
        self.posted = np.array([None not in pair for pair in zip(worker, ps, strict=True)], bool)
        for column in (self.paid, self.worker, self.ps):
            for wrong in column[~np.isfinite(column)][:1].tolist():
                raise NotACertificate(f"the decisions of the run hold {wrong}")

    def faults(self, kept: Requirements) -> Iterator[tuple[int, str]]:
        """Say of which jobs the payment is wrong, and why."""
        for job in np.flatnonzero((self.paid != 0) & ~self.sold).tolist():
            yield job, "pays without being sold anything"
        for job in np.flatnonzero(self.sold & ~self.posted).tolist():
            yield job, "is sold at no price"
        market, budget = self.market, self.market.budget
        with np.errstate(over="ignore", under="ignore"):
            asked = self.worker * market.workers + self.ps * market.ps
            high, low = asked * (1 + ULPS), asked * (1 - ULPS)
            lost = (asked > 0) & (asked < TINY)
            near = np.abs(asked - self.paid) <= asked * (ROUNDING / 2)
            doubted = lost | ~near | ~(high <= budget)
            if market.price_cap is not None:
                most = market.price_cap * (market.workers + market.ps)
                doubted |= ~(high <= most * (1 - ULPS))
        for job in np.flatnonzero(self.sold & self.posted & doubted).tolist():
            if wrong := self._overpaid(job, kept):
                yield job, wrong
        for job in np.flatnonzero(self.declined & self.posted & (lost | ~(low > budget))).tolist():
            if self._asked(job) <= Fraction(market.jobs[job].budget):
                yield job, "declines what is within its budget"

    def _asked(self, job: int) -> Fraction:
        data = self.market.jobs[job]
        return Fraction(self.worker[job]) * data.workers + Fraction(self.ps[job]) * data.ps

    def _overpaid(self, job: int, kept: Requirements) -> str:
        """Say why a sold job pays too much or not what it is asked for; empty if it does not."""
        asked, paid, data = self._asked(job), float(self.paid[job]), self.market.jobs[job]
        cap = self.market.price_cap
        if abs(asked - Fraction(paid)) * PARTS > asked:
            return f"pays {paid:g}, which its prices do not make"
        if not kept.within(asked, Fraction(data.budget)):
            return f"pays {paid:g} with a budget of {data.budget:g}"
        if cap is not None and not kept.within(asked, Fraction(cap) * (data.workers + data.ps)):
            return f"pays {paid:g}, more than the price cap allows"
        return ""

    def earned(self) -> Fraction:
        """Add up what sold jobs are asked for, by prices; in integers."""
        parts: list[tuple[float, int]] = []
        sold, market = self.sold & self.posted, self.market
        for price, units in ((self.worker, market.workers), (self.ps, market.ps)):
            found, place = np.unique(price[sold], return_inverse=True)
            total = np.bincount(place, units[sold], len(found))  # whole numbers below 2^53
            parts += zip(found.tolist(), total.astype(np.int64).tolist(), strict=True)
        after = places(price for price, _ in parts)
        return Fraction(sum(fixed(price, after) * units for price, units in parts), 1 << after)


class _Placements:
    """Placements that are none of their own fault: job, server and units; shape (entries,)."""

    def __init__(self, jobs: int, job: Ints, server: Ints, workers: Ints, ps: Ints) -> None:
        self.job, self.server, self.workers, self.ps = job, server, workers, ps
        self.count = np.bincount(job, minlength=jobs)  #: Servers of each job, shape (jobs,).
        self.alone: Bools = self.count == 1

    @classmethod
    def of(
        cls, market: Market, decisions: Sequence[SaleEntry], served: Bools
    ) -> tuple[_Placements, list[int]]:
        """Read them, and return the jobs with placements that are wrong by themselves."""
        counts = [
            np.fromiter(map(len, map(operator.attrgetter(field), decisions)), np.int64)
            for field in ("servers", "workers", "ps")
        ]
        count = counts[0]
        told = served & (count > 0) & (counts[1] == count) & (counts[2] == count)
        odd = ~told & (served | (sum(counts) > 0))
        listed = [decision for decision, one in zip(decisions, told.tolist(), strict=True) if one]
        server, workers, ps = (
            _column(map(operator.attrgetter(field), listed))
            for field in ("servers", "workers", "ps")
        )
        job = np.repeat(np.flatnonzero(told), count[told])
        stride = market.num_servers + 1  # the last place is for servers that do not exist
        place = np.sort(job * stride + np.minimum(server, market.num_servers))
        twice = place[1:][place[1:] == place[:-1]] // stride
        odd[job[(server >= market.num_servers) | (workers + ps == 0)]] = True
        odd[twice] = True
        for units, asked in ((workers, market.workers), (ps, market.ps)):
            odd |= told & (np.bincount(job, units, len(asked)) != asked)
        fine = ~odd[job]
        columns = (column[fine] for column in (job, server, workers, ps))
        return cls(market.num_jobs, *columns), np.flatnonzero(odd).tolist()

    def lacking(self, market: Market) -> Ints:
        """Return the jobs that take units which others still hold.

        Usage rises on arrivals only; what is free in a slot is given back before they take theirs.
        """
        end = np.where(self.alone, market.colocated_end, market.spread_end)
        free = np.minimum(market.last_held(end) + 1, market.horizon)[self.job]  # nobody comes later
        # by slot, and in a slot what is given back first
        moment = np.concatenate([2 * free, 2 * market.arrival[self.job] + 1])
        taker = np.concatenate([np.full(len(free), -1), self.job])
        found = []
        for types, units, installed in (
            (market.worker_type, self.workers, market.installed_workers),
            (market.ps_type, self.ps, market.installed_ps),
        ):
            cell = np.tile(self.server * installed.shape[1] + types[self.job], 2)
            # one key sorts faster than two; counts of instances keep it far below 2**63
            order = np.argsort(cell * (moment.max(initial=0) + 1) + moment, kind="stable")
            used = np.cumsum(np.concatenate([-units, units])[order])
            # every cell gets all back in the end, so that the next one begins with none in use
            found.append(taker[order][used > installed.ravel()[cell[order]]])
        lacking = np.unique(np.concatenate(found))
        return lacking[lacking >= 0]


def _column(lists: Iterable[Sequence[int]]) -> Ints:
    numbers = list(itertools.chain.from_iterable(lists))
    try:
        return np.minimum(np.array(numbers, np.int64), HUGE)
    except OverflowError:
        return np.array([min(number, HUGE) for number in numbers], np.int64)


def _misplaced(market: Market, job: Job, decision: SaleEntry) -> str:
    """Say what is wrong with a placement by itself."""
    servers, workers, ps = decision.servers, decision.workers, decision.ps
    if decision.outcome not in SERVED or not servers:
        return f"is {decision.outcome} and holds {len(servers)} servers"
    if not len(workers) == len(ps) == len(servers):
        return "does not say how many units it holds on each server"
    if max(servers) >= market.num_servers or len(set(servers)) < len(servers):
        return "holds a server twice, or one that does not exist"
    if sum(workers) != job.workers or sum(ps) != job.ps:
        return "is served without all its units"
    if 0 in workers and (0, 0) in zip(workers, ps, strict=True):
        return "holds a server without units there"
    return ""
