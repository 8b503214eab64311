"""A proved bound on the best fixed prices, for any number of types: branch and bound over prices.

Every cell of prices is bounded by ``dps.interval_lp`` with what its jobs pay at most, and cut
where its prices differ most in payments.  Cells shrink towards ``dps.interval_lp[fixed]`` at
single prices; between that and the profit of a simulation lies what arrivals one by one cost.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import time
from fractions import Fraction

import numpy as np

from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_fixed import (
    CellNode,
    DpsFixedPrices,
    PriceCell,
    asked_in,
    cell_bound,
    cell_rewards,
)
from farkas.errors import InvalidOption
from farkas.forms import LinearForm
from farkas.instances.dps import Market
from farkas.numbers import Floats
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import dual_prices
from farkas.relaxations.integrality import price_bounds
from farkas.solvers.highs_session import optimum_by_any

MOST_CELLS = 200  #: Cells that are bounded unless told otherwise.


@dataclasses.dataclass(slots=True, eq=False)
class Bounded:
    """A cell with its bound; `halves` once it is cut at ``cut``, (axis, price)."""

    cell: PriceCell
    prices: SlotPrices
    bound: Fraction
    reached: float
    axis: int
    halves: tuple[Bounded, Bounded] | None = None
    cut: tuple[int, float] | None = None


def prove_fixed_prices(
    market: Market,
    *,
    cells: int = MOST_CELLS,
    parts: int = 1,
    gap: float = 0.0,
    time_limit: float = np.inf,
) -> DpsFixedPrices:
    """Certify an upper bound on the profit of all unit prices that never change.

    Raises `NotApplicable` without a price cap; `NoAnswer` when no solver finds multipliers;
    `InvalidOption`: fewer than one cell or part.

    Parameters
    ----------
    market
        The instance, with a price cap.
    cells
        Cells bounded, at most; the more, the tighter.
    parts
        Parts of the range of either price, for each pair of types; tightens cells of many types,
        where cutting all prices takes too long.
    gap
        Relative distance at which the bound is near enough to what the relaxation reaches at some
        prices, and the search ends.
    time_limit
        Seconds; the cell at hand is finished.
    """
    if cells < 1 or parts < 1:
        raise InvalidOption(f"cells = {cells}, parts = {parts}; give at least one")
    end = time.monotonic() + time_limit
    form = IntervalLP(rewards="capped").form(market)
    root = _bounded(market, form, PriceCell.whole(market), parts)
    order = itertools.count()
    waiting, reached = [(-root.bound, next(order), root)], root.reached
    for _ in range((cells - 1) // 2):
        worst = waiting[0][2]
        if worst.bound <= Fraction(reached) * (1 + Fraction(gap)) or time.monotonic() >= end:
            break
        at = float(worst.cell.low[worst.axis] + worst.cell.high[worst.axis]) / 2.0
        if not worst.cell.low[worst.axis] < at < worst.cell.high[worst.axis]:
            break
        heapq.heappop(waiting)
        one, other = (
            _bounded(market, form, half, parts, worst) for half in worst.cell.halves(worst.axis, at)
        )
        worst.cut, worst.halves = (worst.axis, at), (one, other)
        for half in (one, other):
            reached = max(reached, half.reached)
            heapq.heappush(waiting, (-half.bound, next(order), half))
    return _certificate(market, root, -waiting[0][0], parts)


@price_bounds.register("dps.price_cells")
def price_cells(market: Market, seconds: float) -> DpsFixedPrices:
    """As `prove_fixed_prices`, within seconds."""
    return prove_fixed_prices(market, time_limit=seconds)


def _bounded(
    market: Market, form: LinearForm, cell: PriceCell, parts: int, above: Bounded | None = None
) -> Bounded:
    """Bound a cell by optimal prices of capacity, by none, or by those of the cell above."""
    jobs = np.arange(market.num_jobs)
    corners = [_unit_prices(market, edge) for edge in (cell.low, cell.high)]
    rewards = cell_rewards(market, jobs, corners[0], corners[1])
    where = form.column_block("accepted").where
    cost = np.zeros(form.num_columns)
    cost[where] = rewards
    answer = optimum_by_any(form.replace(cost=cost), duals=True)
    tried = [dual_prices(market, form, answer.row_duals)]
    if parts > 1:
        nothing: dict[str, Floats] = {
            "type": np.zeros(0),
            "slot": np.zeros(0),
            "price": np.zeros(0),
        }
        tried.append(SlotPrices.of(market, nothing, nothing))
    if above is not None:
        tried.append(above.prices)
    bounds = [cell_bound(market, cell, prices, parts) for prices in tried]
    best = min(range(len(tried)), key=bounds.__getitem__)
    accepted = answer.point[where] * (rewards > 0)
    low = float((asked_in(market, jobs, *corners[0], up=False) * accepted).sum())
    width = (cell.high - cell.low) * np.concatenate(
        [
            np.bincount(market.worker_type, market.workers * accepted, market.num_worker_types),
            np.bincount(market.ps_type, market.ps * accepted, market.num_ps_types),
        ]
    )
    return Bounded(cell, tried[best], bounds[best], low, int(np.argmax(width)))


def _unit_prices(market: Market, corner: Floats) -> tuple[Floats, Floats]:
    """Price of a worker and of a parameter server for each job."""
    kinds = market.num_worker_types
    return corner[:kinds][market.worker_type], corner[kinds:][market.ps_type]


def _certificate(market: Market, root: Bounded, bound: Fraction, parts: int) -> DpsFixedPrices:
    waiting: list[Bounded] = [root]
    nodes: list[CellNode] = []
    while waiting:
        one = waiting.pop()
        if one.halves is None or one.cut is None:
            nodes.append(CellNode.of(one.prices))
            continue
        nodes.append(CellNode(axis=one.cut[0], at=one.cut[1]))
        waiting += reversed(one.halves)
    return DpsFixedPrices(
        kind="dps", program="dps.bfp", instance=market.sha256, bound=str(bound), parts=parts,
        cells=tuple(nodes),
    )  # fmt: skip
