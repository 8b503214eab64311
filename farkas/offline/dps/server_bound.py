"""The bound by prices of classes of servers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from farkas.certificates.dps import Rewards
from farkas.certificates.dps_servers import DpsServerPrices
from farkas.errors import NoAnswer
from farkas.instances.dps import Market
from farkas.offline.ladder import Ascent, Rung
from farkas.online.run import Bound
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram

WORDS = "prices by class of servers"


def rewards_that_bind(market: Market) -> Rewards:
    """Budgets, or the price cap too where there is one."""
    return "budget" if market.price_cap is None else "capped"


def bound_of(market: Market, priced: PricedServers) -> Bound:
    """Certify what prices prove."""
    made = DpsServerPrices.of(market, priced.prices, rewards_that_bind(market))
    return Bound.of(Fraction(made.bound), WORDS, made.plain())


def server_bound(instance: Market, ascent: Ascent) -> Iterator[Rung]:
    """Solve the program by classes of servers; each of its rounds proves a bound."""
    found = False
    program = ServerProgram(instance, rewards_that_bind(instance))
    for priced in program.rounds(lambda: ascent.deadline.left):
        found = True
        if ascent.better_bound(priced.bound):
            yield Rung(WORDS, bound=bound_of(instance, priced))
    if not found:
        raise NoAnswer("no prices by class of servers were found")
