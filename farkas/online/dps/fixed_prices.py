"""The best prices in hindsight that never change."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Annotated

import msgspec
import numpy as np

from farkas.errors import NotApplicable
from farkas.instances.dps import Market
from farkas.numbers import Bools, Floats
from farkas.online.dps.cluster import EXPLORED, Cluster, Jobs, Results, filling
from farkas.online.dps.seller import FixedPrice, Hindsight, sell_at
from farkas.online.driver import algorithm
from farkas.tolerances import allowed

MOST_COMBINATIONS = 200_000  #: Price combinations beyond which the exhaustive search gives up.
START = 0.4
STEPS = np.arange(1, 11) / 10.0  #: Prices of the coordinate search, shares of the price cap.
Point = tuple[Fraction, Fraction]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Best:
    """Fixed prices and what they are worth."""

    profit: float  #: Profit of a simulation at these prices, or what else was searched for.
    #: worker, ps: prices by type; 0 for types that nobody asks for.
    worker: Floats
    ps: Floats

    @property
    def seller(self) -> FixedPrice:
        """Seller at these prices."""
        return FixedPrice(self.worker, self.ps)


class Profits:
    """Profit of fixed prices by simulation, skipping prices that cannot win.

    Only jobs that accept are simulated, and none when their payments together are below the best
    profit known.  They are placed by Algorithm 2.
    """

    def __init__(self, market: Market) -> None:
        self.market = market
        self.jobs = Jobs.of(market)
        self._fits = np.array(market.fits)

    def of(self, worker: Floats, ps: Floats, at_least: float = -math.inf) -> float:
        """Profit, or -inf when it certainly does not exceed ``at_least``."""
        asked = self.market.asked(worker, ps)
        able = (asked <= allowed(self.market.budget)) & self._fits
        if float(asked[able].sum()) <= at_least:
            return -math.inf
        return float(asked[self.served(able)].sum())

    def served(self, able: Bools) -> Bools:
        """Jobs served when exactly those in ``able`` accept; the simulation."""
        chosen = np.flatnonzero(able)
        jobs, market = self.jobs.some(chosen), self.market
        cluster = Cluster.empty(market.installed_workers, market.installed_ps).with_room(jobs)
        results, none = Results.empty(len(chosen)), np.zeros(len(chosen))
        sell_at(cluster, jobs, none, none, True, False, filling("pa"), results)
        served = np.zeros(len(able), np.bool_)
        served[chosen] = results.outcome == EXPLORED
        return served


def best_on_grid(market: Market) -> Best | None:
    """Best combination of the instance's ``price_grid``, one price per used type.

    None when there are too many; raises `NotApplicable` when the instance has no grid.
    """
    if market.price_grid is None:
        raise NotApplicable("the best price on a grid needs an instance with price_grid")
    workers, ps = np.unique(market.worker_type), np.unique(market.ps_type)
    if len(market.price_grid) ** (len(workers) + len(ps)) > MOST_COMBINATIONS:
        return None
    profits = Profits(market)
    best, chosen = 0.0, (np.zeros(market.num_worker_types), np.zeros(market.num_ps_types))
    for prices in itertools.product(market.price_grid, repeat=len(workers) + len(ps)):
        worker, other = np.zeros(market.num_worker_types), np.zeros(market.num_ps_types)
        worker[workers], other[ps] = prices[: len(workers)], prices[len(workers) :]
        profit = profits.of(worker, other, best)
        if profit > best:
            best, chosen = profit, (worker, other)
    return Best(best, *chosen)


def best_by_coordinates(
    market: Market,
    rounds: int = 3,
    value: Callable[[Floats, Floats, float], float] | None = None,
) -> Best:
    """Improve one type's price after the other; a lower bound on the best fixed prices.

    Parameters
    ----------
    market
        The instance.
    rounds
        At most this many times over all types; it stops when none changes.
    value
        What prices by type are worth, given what it has to exceed; by default their profit.
    """
    value = value or Profits(market).of
    cap = 1.0 if market.price_cap is None else market.price_cap
    worker, ps = np.zeros(market.num_worker_types), np.zeros(market.num_ps_types)
    coordinates = [(worker, kind) for kind in np.unique(market.worker_type)]
    coordinates += [(ps, kind) for kind in np.unique(market.ps_type)]
    for prices, kind in coordinates:
        prices[kind] = START * cap
    best = value(worker, ps, -math.inf)
    for _ in range(rounds):
        before = best
        for prices, kind in coordinates:
            kept = prices[kind]
            for step in STEPS * cap:
                prices[kind] = step
                found = value(worker, ps, best)
                if found > best:
                    best, kept = found, step
            prices[kind] = kept
        if best <= before:
            break
    return Best(best, worker, ps)


@dataclasses.dataclass(frozen=True, slots=True)
class Supremum:
    """Least upper bound of the fixed-price profit, exact for the budgets as decimals."""

    profit: Fraction  #: The supremum.
    #: worker, ps: prices at which, or next to which, it is reached.
    worker: Fraction
    ps: Fraction
    attained: bool  #: Whether some prices reach it.


def best_exactly(market: Market) -> Supremum:
    """Least upper bound of the fixed-price profit for one worker and one server type.

    Who accepts is constant on the cells between the lines "payment = budget", and payments are
    linear there, so the supremum lies next to a vertex.  Every cell around every vertex is
    simulated; the supremum need not be attained, since on a line one more job accepts.

    Raises
    ------
    NotApplicable
        Without a price cap, or when more than one type of either side is asked for.
    """
    cap = decimal(market.require_cap("the best fixed price"))
    if len(np.unique(market.worker_type)) != 1 or len(np.unique(market.ps_type)) != 1:
        raise NotApplicable("the exact best fixed price needs one worker type and one server type")
    jobs = [
        (int(k), int(m), decimal(v))
        for k, m, v in zip(market.workers, market.ps, market.budget.tolist(), strict=True)
    ]
    profits = Profits(market)
    known: dict[tuple[bool, ...], tuple[int, int]] = {}
    best: Supremum | None = None
    for vertex, lines in _vertices(jobs, cap):
        exact = tuple(k * vertex[0] + m * vertex[1] <= v for k, m, v in jobs)
        for direction in _directions(vertex, lines, cap):
            cell = _accepting(jobs, vertex, direction)
            if cell not in known:
                known[cell] = _units_sold(market, profits, cell)
            units = known[cell]
            profit = units[0] * vertex[0] + units[1] * vertex[1]
            attained = cell == exact
            if best is None or (profit, attained) > (best.profit, best.attained):
                best = Supremum(profit, *vertex, attained)
    assert best is not None
    return best


def decimal(value: float) -> Fraction:
    """Return the number a double was written as, for example 1/10 for 0.1."""
    return Fraction(repr(value))


def _units_sold(market: Market, profits: Profits, cell: tuple[bool, ...]) -> tuple[int, int]:
    """Workers and parameter servers sold when the jobs of a cell accept."""
    served = profits.served(np.array(cell, np.bool_))
    return int(market.workers[served].sum()), int(market.ps[served].sum())


Line = tuple[int, int, Fraction]


def _vertices(jobs: list[Line], cap: Fraction) -> list[tuple[Point, list[Line]]]:
    """Crossings of lines inside the box of prices, each with the lines through it."""
    box: list[Line] = [(1, 0, Fraction(0)), (1, 0, cap), (0, 1, Fraction(0)), (0, 1, cap)]
    lines = list(dict.fromkeys([*jobs, *box]))
    found: dict[Point, list[Line]] = {}
    for (a, b, c), (d, e, f) in itertools.combinations(lines, 2):
        det = a * e - b * d
        if det:
            point = (c * e - b * f) / det, (a * f - c * d) / det
            if 0 <= point[0] <= cap and 0 <= point[1] <= cap:
                found.setdefault(point, [])
    for (p, q), through in found.items():
        through += [line for line in lines if line[0] * p + line[1] * q == line[2]]
    return list(found.items())


def _directions(vertex: Point, lines: list[Line], cap: Fraction) -> Iterator[tuple[int, int]]:
    """Directions into the cells around a vertex that lie in the box: along a line, off to a side.

    Along it by so much that no other line is met: cross products of whole numbers are at least 1.
    """
    along = 1 + 2 * max(max(a, b) for a, b, _ in lines) ** 2
    for (a, b, _), ahead, side in itertools.product(lines, (1, -1), (1, -1)):
        x, y = side * a - ahead * along * b, side * b + ahead * along * a
        toward = zip(vertex, (x, y), strict=True)
        if all((at > 0 or step >= 0) and (at < cap or step <= 0) for at, step in toward):
            yield x, y


def _accepting(jobs: list[Line], vertex: Point, direction: tuple[int, int]) -> tuple[bool, ...]:
    """Who accepts right beside a vertex."""
    accepting = []
    for k, m, budget in jobs:
        slack = budget - k * vertex[0] - m * vertex[1]
        beside = k * direction[0] + m * direction[1] < 0
        accepting.append(slack > 0 or (slack == 0 and beside))
    return tuple(accepting)


Rounds = Annotated[int, msgspec.Meta(ge=1, le=100)]


@algorithm("dps.bfp_coord", source="DPS section V, BFP at scale")
@dataclasses.dataclass(frozen=True)
class Coordinates(Hindsight):
    """Fixed prices improved type by type on the grid 0.1, ..., 1; a lower bound on the best ones.

    Option: ``rounds`` over all types, at most.
    """

    rounds: Rounds = 3

    def seller(self, market: Market) -> FixedPrice:
        """Search by coordinates."""
        return best_by_coordinates(market, self.rounds).seller


@algorithm("dps.bfp_fluid", source="DPS (3), second term")
@dataclasses.dataclass(frozen=True)
class Fluid(Hindsight):
    """Fixed prices with the highest payments if capacity were unlimited.

    Option: ``rounds`` over all types, at most.
    """

    rounds: Rounds = 3

    def seller(self, market: Market) -> FixedPrice:
        """Search by coordinates the demand term of (3), blind to capacity."""
        from farkas.relaxations.dps.interval import demand_bound

        def demand(worker: Floats, ps: Floats, at_least: float) -> float:
            return demand_bound(market, worker, ps)

        return best_by_coordinates(market, self.rounds, demand).seller


@algorithm("dps.bfp_grid", source="DPS section V, BFP on a grid")
@dataclasses.dataclass(frozen=True)
class Grid(Hindsight):
    """Best combination of the instance's ``price_grid``, by trying all of them."""

    def seller(self, market: Market) -> FixedPrice:
        """Try every combination."""
        found = best_on_grid(market)
        if found is None:
            raise NotApplicable(
                f"more than {MOST_COMBINATIONS} combinations of prices; use dps.bfp_coord"
            )
        return found.seller
