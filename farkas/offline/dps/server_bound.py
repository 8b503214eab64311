"""The bounds by prices of classes of servers, and by trees of whole jobs."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from fractions import Fraction

import msgspec

from farkas.certificates.dps import DpsPrices, Rewards
from farkas.certificates.dps_servers import DpsServerPrices
from farkas.errors import NoAnswer, NotACertificate
from farkas.instances.dps import Market
from farkas.offline.ladder import Ascent, Rung
from farkas.online.dps.environment import run_bound
from farkas.online.run import Bound
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram
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

    Where it is too large, prices by type take their place.

    Returns
    -------
    The program, and the round that proved most.

    Raises
    ------
    NoAnswer
        When there are too many classes.
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

    Parameters
    ----------
    excess
        How near, as a share of the bound.
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
