"""The highest payments of kind dps when all budgets are known."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Generator, Iterator
from fractions import Fraction

import msgspec
import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.certificates.dps import DpsPrices, Rewards
from farkas.certificates.dps_servers import DpsServerPrices
from farkas.errors import NoAnswer, NotACertificate
from farkas.instances.dps import Market
from farkas.numbers import Floats, Ints, floats
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.dps.place_program import crowded, few_servers, small
from farkas.offline.dps.reassigning import Reassigning, make_room
from farkas.offline.dps.repacking import FAIR_SHARE, Repacking, best_prices, decisions_of
from farkas.offline.dps.scarce_slots import ScarceSlots
from farkas.offline.dps.timeline import ServerTimeline
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.online.dps.environment import run_bound
from farkas.online.dps.offers import Decision
from farkas.online.run import Bound
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram, Ways
from farkas.relaxations.dps.server_trees import ServerTrees

WORDS = "prices by class of servers"
TREES = "trees of whole jobs by group of servers"
PRICES_PART = 100  #: Part of the gap that is asked for in which prices are to end, as a divisor.
#: Nodes before what trees prove is offered, and how many times as many before it is again.
FIRST_NODES, MORE_NODES = 25, 2
#: Share of their distance to the best whole jobs by class by which trees must fall meanwhile.
LEAST_FALL = Fraction(1, 5)


def rewards_that_bind(market: Market) -> Rewards:
    """Budgets, or the price cap too where there is one."""
    return "budget" if market.price_cap is None else "capped"


def bound_of(market: Market, priced: PricedServers) -> Bound:
    """Certify what prices prove."""
    made = DpsServerPrices.of(market, priced.prices, rewards_that_bind(market))
    return Bound.of(Fraction(made.bound), WORDS, made.plain())


def server_bound(
    instance: Market, ascent: Ascent
) -> Generator[Rung, None, tuple[ServerProgram, PricedServers]]:
    """Solve the program by classes of servers; each of its rounds proves a bound.

    Where it is too large, prices by type take their place.  Raises `NoAnswer` when there are too
    many classes.

    Returns
    -------
    The program, and the round that proved most.
    """
    rewards = rewards_that_bind(instance)
    try:
        program = ServerProgram(instance, rewards)
    except NotACertificate as refusal:
        raise NoAnswer(str(refusal)) from None
    best: PricedServers | None = None
    by_type = msgspec.convert(run_bound(instance, rewards).certificate, DpsPrices).prices
    close = float(ascent.gap) / PRICES_PART
    for priced in program.rounds(lambda: ascent.deadline.left, program.tiled(by_type), close):
        if best is None or priced.bound <= best.bound:
            best = priced
        if ascent.better_bound(priced.bound):
            yield Rung(WORDS, bound=bound_of(instance, priced))
    if best is None:
        best = program.by_type(by_type)
        yield Rung(WORDS, bound=bound_of(instance, best))
    return program, best


def group_trees(program: ServerProgram, priced: PricedServers) -> ServerTrees | None:
    """Trees of the groups; None where these are too large."""
    try:
        return ServerTrees(program, priced)
    except NotACertificate:
        return None


def expanded(trees: ServerTrees, ascent: Ascent, excess: Fraction) -> Iterator[Rung]:
    """Decide jobs until the trees are near enough to the best whole jobs by class, or fall slowly.

    ``excess``: how near, as a share of the bound.
    """
    most, before = trees.nodes + FIRST_NODES, trees.excess
    more = falls = True
    while more and falls:
        more = trees.excess > excess * trees.bound and bool(ascent.deadline.left) and trees.expand()
        if more and trees.nodes < most:
            continue
        falls = trees.excess <= before * (1 - LEAST_FALL)
        most, before = MORE_NODES * trees.nodes, trees.excess
        if ascent.better_bound(trees.bound):
            made = trees.certificate()
            yield Rung(TREES, bound=Bound.of(trees.bound, TREES, made.plain()))


TREES_PART = 4  #: Part of the gap that is asked for in which trees are to end, as a divisor.
#: Moves before integer programs, and gains of these before what was found is offered.
MOVES_BEFORE, GAINS_BEFORE = 500, 8
#: Share of what is missing that a turn of programs and moves gains before all groups are planned
#: together, which costs more.
LEAST_GAIN = 0.1
#: Moves before what was found is offered, and how many times as many before it is again.
FIRST_MOVES, MORE_MOVES = 500, 1.5
MOST_NODES = 200  #: Nodes of the integer program of all groups.
STALLED = 5_000  #: Moves without a gain after which the search ends.


class Placements:
    """Places chosen jobs on empty servers.

    ``program``, ``priced``: what chooses, and its prices.  Raises `NotACertificate` when the table
    of idle units would be too large.
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

    def follow(self, share: Floats) -> None:
        """Empty the servers, place jobs as a program does, then others that fit.

        First come whole jobs, the largest first and then in order of arrival: jobs of one size that
        never are more than fit can all be placed so.  Spread ones take what is left.  Others that
        pay more than their charge come in order of arrival, the rest by what they pay for it.
        ``share``: of each job that is whole, and spread; shape (jobs, 2).
        """
        packing = self.packing
        packing.clear()
        taken = (share > FAIR_SHARE) & packing.paying[:, None]
        size = self._size()
        for spread in (False, True):
            jobs = np.flatnonzero(taken[:, int(spread)])
            for job in jobs[np.lexsort((jobs, -size[jobs]))].tolist():
                if packing.served[job]:
                    continue
                where = None if spread else packing.timeline.one_server(job)
                if where is None:
                    where = packing.timeline.several_servers(job, *self._ranks(job))
                if where is not None:
                    packing.put(job, where)
        self.fill()

    def fill(self) -> None:
        """Place others: those that pay more than their charge, then by what they pay for it."""
        packing = self.packing
        packing.fill(np.flatnonzero(packing.ratio > 1.0))
        packing.fill(np.argsort(-packing.ratio, kind="stable"))

    def follow_ways(self, ways: Ways, share: Floats) -> None:
        """Empty the servers, place jobs in the classes in which a program has them, then others.

        As far as whole jobs can be packed in their class, which may have no room in one piece,
        spread ones find all their units there.

        Parameters
        ----------
        ways
            Columns of the program.
        share
            How much of each it takes, shape (ways,).
        """
        packing, of = self.packing, self.program.classes.of
        packing.clear()
        taken = np.flatnonzero((share > FAIR_SHARE) & packing.paying[ways.job])
        jobs, size = ways.job[taken], self._size()[ways.job[taken]]
        order = np.lexsort((jobs, -size, ways.whole[taken] < 0))
        late = []
        for way in taken[order].tolist():
            job, number = int(ways.job[way]), int(ways.whole[way])
            if number < 0:
                where = packing.timeline.by_class(job, of, ways.workers[way], ways.ps[way])
            else:
                where = packing.timeline.one_server(job, of == number)
            if where is None:
                late.append(job)
            else:
                packing.put(job, where)
        packing.fill(np.array(late, np.int64))
        self.fill()

    def _size(self) -> Floats:
        """Return the larger of the parts that jobs take of the largest servers; shape (jobs,)."""
        market = self.market
        parts = self._largest_part(market.workers, 0), self._largest_part(market.ps, 1)
        return np.maximum(*parts)

    def _largest_part(self, units: Ints, side: int) -> Floats:
        """Units of jobs as parts of what one server has of the type at the most."""
        market = self.market
        installed = (market.installed_workers, market.installed_ps)[side].max(axis=0)
        types = (market.worker_type, market.ps_type)[side]
        return floats(units / np.maximum(installed[types], 1))

    def decisions(self) -> list[Decision]:
        """Return what the placements are as decisions."""
        return decisions_of(self.market, self.prices, self.packing.timeline)


def shares_of(market: Market, ways: Ways, share: Floats) -> Floats:
    """Share of each job that a program places whole, and spread; shape (jobs, 2)."""
    found = np.zeros((market.num_jobs, 2))
    np.add.at(found, (ways.job, (ways.whole < 0).astype(np.int64)), share)
    return found


def placements(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Bound by prices and trees, place the jobs that these choose, and improve that."""
    if crowded(instance):  # parts of jobs bound it badly, however long prices are improved
        yield from few_servers(instance, ascent)
    program, priced = yield from server_bound(instance, ascent)
    try:
        found = Placements(program, priced)
    except NotACertificate as refusal:
        raise NoAnswer(str(refusal)) from None
    found.follow(shares_of(instance, priced.ways, priced.share))
    yield Rung("jobs of the linear program", found.decisions())
    best = found.packing.saved()
    found.follow_ways(priced.ways, priced.share)
    if found.packing.value > best.value:
        yield Rung("jobs of the linear program in their classes", found.decisions())
    else:
        found.packing.restore(best)
    if not crowded(instance):
        yield from few_servers(instance, ascent)
    trees = group_trees(program, priced)
    if trees is None:
        yield from _moved(found, Moving(found.packing), ascent)
        return
    best = found.packing.saved()
    plan = trees.settle(lambda: ascent.deadline.left, float(ascent.gap) / 4)
    found.follow(plan)
    if found.packing.value > best.value:
        yield Rung("whole jobs by class", found.decisions())
    else:
        found.packing.restore(best)
    yield from expanded(trees, ascent, ascent.gap / TREES_PART)
    moving, anew = Moving(found.packing), Reassigning(found.packing, program, priced, trees)
    yield from _roomier(found, anew, plan, ascent)
    slots = ScarceSlots(anew, priced)
    over = False
    while not over and ascent.deadline.left:
        before = found.packing.value
        yield from _improved(found, anew.moves, "jobs placed anew", ascent)
        yield from _moved(found, moving, ascent, MOVES_BEFORE)
        missing = max(0.0, float(trees.bound) - before)
        if found.packing.value - before <= LEAST_GAIN * missing:
            yield from expanded(trees, ascent, Fraction(0))
            yield from _improved(found, slots.moves, "jobs of scarce slots placed anew", ascent)
            over = slots.over and (anew.over or moving.over()) and found.packing.value == before
    with contextlib.suppress(NoAnswer):
        yield from small(instance, ascent)
    yield from expanded(trees, ascent, Fraction(0))
    yield from _moved(found, moving, ascent)


def _roomier(found: Placements, anew: Reassigning, plan: Floats, ascent: Ascent) -> Iterator[Rung]:
    """Make room for the jobs of a plan that found none, and fill what is left."""
    packing = found.packing
    offered, moves = packing.value, 0
    for gained in make_room(anew, plan, lambda: ascent.deadline.left):
        moves += gained
        if moves >= GAINS_BEFORE or ascent.near_enough(packing.value):
            offered, moves = packing.value, 0
            yield Rung("room made for planned jobs", found.decisions())
    found.fill()
    if packing.value > offered:
        yield Rung("room made for planned jobs", found.decisions())


def _improved(
    found: Placements,
    search: Callable[[Callable[[], float], float], Iterator[bool]],
    words: str,
    ascent: Ascent,
) -> Iterator[Rung]:
    """Place jobs anew by integer programs."""
    offered, moves = found.packing.value, 0
    for gained in search(lambda: ascent.deadline.left, float(ascent.gap)):
        moves += gained
        enough = moves >= GAINS_BEFORE or ascent.near_enough(found.packing.value)
        if enough and found.packing.value > offered:
            offered, moves = found.packing.value, 0
            yield Rung(words, found.decisions())
    if found.packing.value > offered:
        yield Rung(words, found.decisions())


@dataclasses.dataclass(slots=True, eq=False)
class Moving:
    """Random moves, which go on where they stopped."""

    packing: Repacking  #: Moved.
    rng: np.random.Generator = dataclasses.field(default_factory=lambda: np.random.default_rng(0))
    moves: int = 0
    idle: int = 0

    def over(self) -> bool:
        """Whether moves have gained nothing for long, or nobody waits."""
        return self.idle >= STALLED or not self.packing.waiting

    def move(self) -> None:
        """Try one."""
        gained = self.packing.move(self.rng)
        self.moves, self.idle = self.moves + 1, 0 if gained else self.idle + 1


def _moved(
    found: Placements, moving: Moving, ascent: Ascent, most: float = math.inf
) -> Iterator[Rung]:
    """Move until the time is over, moves have gained nothing for long, or there were so many."""
    packing, most = found.packing, moving.moves + most
    offered, batch = packing.value, moving.moves + FIRST_MOVES
    left = True
    while left and not moving.over() and moving.moves < most:
        moving.move()
        left = bool(ascent.deadline.left)
        if not left or moving.moves >= batch or moving.over() or moving.moves >= most:
            batch = math.ceil(moving.moves * MORE_MOVES) + FIRST_MOVES
            if packing.value > offered:
                offered = packing.value
                yield Rung("servers emptied and filled again", found.decisions())


ladders.add(
    "dps.optimum",
    Ladder("dps.optimum", climbers=(policies("dps.simple"), placements)),
)


@bounded_by.register("dps.offline")
def offline(program: Formulation) -> tuple[str, ...]:
    """Count all servers of a type as one."""
    rewards = "budget" if program.variant["prices"] == "free" else "capped"
    return (f"dps.interval_ip[{rewards}]",)


@bounded_by.register("dps.bfp")
def best_fixed_price(program: Formulation) -> tuple[str, ...]:
    """Name the search over cells of prices."""
    return ("dps.price_cells",)
