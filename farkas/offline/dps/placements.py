"""Placements of chosen jobs: those of the linear program, of an integer one, and local search."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.errors import NoAnswer, NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Floats, Ints
from farkas.offline.dps.repacking import Repacking
from farkas.offline.dps.server_bound import server_bound
from farkas.offline.dps.timeline import ServerTimeline
from farkas.offline.ladder import Ascent, Rung
from farkas.online.dps.offers import Decision
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram, Ways
from farkas.solvers import solve

MOST_WAYS = 20_000
"""Columns up to which the integer program is tried."""
INTEGER_SHARE = 0.2
"""Of the time that is left, for the integer program."""
MOST_SECONDS, MOST_NODES = 60.0, 500
"""Limits of the integer program where nobody set one."""
FIRST_MOVES, MORE_MOVES = 500, 1.5
"""Moves before what was found is offered, and how many times as many before it is again."""
STALLED = 5_000
"""Moves without a gain after which the search ends."""
FAIR_SHARE = 0.5
"""Share of a job in an optimum of the linear program from which it is served."""


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


class Placements:
    """Places chosen jobs on empty servers.

    Parameters
    ----------
    program, priced
        What chooses, and its prices.

    Raises
    ------
    NotACertificate
        When the table of idle units would be too large.
    """

    def __init__(self, program: ServerProgram, priced: PricedServers) -> None:
        self.program, self.priced, self.market = program, priced, program.market
        self.prices = best_prices(self.market)
        payment = self.prices * (self.market.workers + self.market.ps)
        self.packing = Repacking(
            ServerTimeline(self.market), payment, *program.least_charges(priced), self._ranks
        )

    def _ranks(self, job: int) -> tuple[Ints, Ints]:
        charges = self.priced.charges
        return self._preferred(charges.workers[job]), self._preferred(charges.ps[job])

    def _preferred(self, units: Ints) -> Ints:
        """Rank servers: those of classes where units are held first."""
        return np.where(units > 0, 0, 1)[self.program.classes.of]

    def follow(self, ways: Ways, share: Floats) -> None:
        """Empty the servers, place jobs as a point of the program does, then others that fit.

        Others that pay more than their charge come in order of arrival, the rest by what they pay
        for it.
        """
        packing = self.packing
        packing.clear()
        taken = np.flatnonzero(share > FAIR_SHARE)
        for way in taken[np.argsort(ways.job[taken], kind="stable")].tolist():
            job, where = int(ways.job[way]), None
            if packing.served[job] or not packing.paying[job]:
                continue
            if ways.whole[way] >= 0:
                where = packing.timeline.one_server(job)
            if where is None:
                ranks = self._preferred(ways.workers[way]), self._preferred(ways.ps[way])
                where = packing.timeline.several_servers(job, *ranks)
            if where is not None:
                packing.put(job, where)
        packing.fill(np.flatnonzero(packing.ratio > 1.0))
        packing.fill(np.argsort(-packing.ratio, kind="stable"))

    def decisions(self) -> list[Decision]:
        """Return what the placements are as decisions."""
        return decisions_of(self.market, self.prices, self.packing.timeline)

    def integer_point(self, ascent: Ascent) -> tuple[Ways, Floats] | None:
        """Solve for whole ways, without those that no better point takes; None without a point."""
        priced, ways = self.priced, self.priced.ways
        room = float(priced.bound) - self.packing.value
        most = np.zeros(self.market.num_jobs)
        np.maximum.at(most, ways.job, priced.margin)
        kept = ways.chosen(most[ways.job] - priced.margin <= room)
        if not 0 < len(kept.job) <= MOST_WAYS:
            return None
        form, _ = self.program.form(kept, integer=True)
        answer = solve(
            form,
            time_limit=min(ascent.deadline.left * INTEGER_SHARE, MOST_SECONDS),
            gap=float(ascent.gap) / 4,
            solver_options={"mip_max_nodes": MOST_NODES},
        )
        return None if answer.raw_point is None else (kept, answer.point)


def placements(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Bound by prices of classes, place the jobs that their program chooses, and improve that."""
    program, priced = yield from server_bound(instance, ascent)
    try:
        found = Placements(program, priced)
    except NotACertificate as refusal:
        raise NoAnswer(str(refusal)) from None
    found.follow(priced.ways, priced.share)
    yield Rung("jobs of the linear program", found.decisions())
    best = found.packing.saved()
    point = found.integer_point(ascent)
    if point is not None:
        found.follow(*point)
        if found.packing.value > best.value:
            yield Rung("jobs of an integer program", found.decisions())
        else:
            found.packing.restore(best)
    yield from _improved(found, ascent)


def _improved(found: Placements, ascent: Ascent) -> Iterator[Rung]:
    """Move until the time is over, or moves have gained nothing for long."""
    rng, packing = np.random.default_rng(0), found.packing
    moves, idle, offered = 0, 0, packing.value
    batch = float(FIRST_MOVES)
    while idle < STALLED and packing.waiting:
        gained = packing.move(rng)
        moves, idle = moves + 1, 0 if gained else idle + 1
        over = not ascent.deadline.left
        if over or moves >= batch or idle >= STALLED:
            batch = moves * MORE_MOVES + FIRST_MOVES
            if packing.value > offered:
                offered = packing.value
                yield Rung("servers emptied and filled again", found.decisions())
        if over:
            return
