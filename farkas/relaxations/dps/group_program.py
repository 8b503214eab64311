"""The program of a group of servers at market prices, in which jobs are placed whole or spread.

Parameter servers cost their market price wherever they are, so that a group earns what its jobs
pay less what units cost, and the market price of all it has.  With parts of jobs its multipliers
are prices of a leaf (`farkas.certificates.dps_servers`); with whole ones it says how far the
leaves' bounds can fall.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import time
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_fixed import (
    CellNode,
    DpsFixedPrices,
    PriceCell,
    asked_in,
    cell_bound,
    cell_rewards,
)
from farkas.certificates.dps_servers import (
    SPREAD,
    WHOLE,
    Allowed,
    GroupOfServers,
    LeafPrices,
)
from farkas.errors import InvalidOption
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.dps import Market
from farkas.models.dps.windows import MarketSide, clique_rows, jobs_at
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.dps.prices import dual_prices
from farkas.relaxations.integrality import price_bounds
from farkas.solvers import Answer, solve
from farkas.solvers.highs_session import optimum_by_any

#: Times what all jobs pay: what it costs a program not to serve a job that must be served.
MUST = 1024.0
MOST_NODES = 500  #: Nodes of a group's integer program.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class GroupColumns:
    """Columns of a group's program."""

    job: Ints  #: Position among the jobs at home.
    way: Ints  #: `WHOLE` or `SPREAD`, or -1 for units of a spread job.
    place: Ints  #: Class, or -1 for a spread job as such.
    cost: Floats  #: What one earns: the reward less market prices of parameter servers.
    upper: Floats  #: Most of it.


class GroupProgram:
    """The program of a group at market prices."""

    def __init__(self, group: GroupOfServers) -> None:
        self.group, market = group, group.market
        self.last = {
            SPREAD: market.last_held(market.spread_end),
            WHOLE: market.last_held(market.colocated_end),
        }
        self.paying: Bools = market.fits & (group.reward > 0)
        self.columns, self.links = self._columns()
        self.form, self.rows = self._form()
        self.share = MUST * float(group.reward.sum())

    def _market_cost(self, way: int) -> Floats:
        """Market price of a parameter server for each job, shape (jobs, classes)."""
        group, market = self.group, self.group.market
        prices = group.market_prices
        value = np.ldexp(prices.ps_numbers.astype(float), -prices.scale)
        before = np.concatenate([[0.0], np.cumsum(value)])
        width, horizon = market.num_ps_types, market.horizon
        first = (np.arange(group.classes.count) * width + market.ps_type[:, None]) * horizon
        begin, end = first + market.arrival[:, None], first + self.last[way][:, None] + 1
        listed = prices.ps_positions
        found = before[np.searchsorted(listed, end)] - before[np.searchsorted(listed, begin)]
        return floats(found)

    def _columns(self) -> tuple[GroupColumns, tuple[list[int], list[int], list[float]]]:
        """List columns, and entries of rows that tie units to spread jobs."""
        group, market, classes = self.group, self.group.market, self.group.classes
        short, long = self._market_cost(WHOLE), self._market_cost(SPREAD)
        own = np.zeros(classes.count, np.bool_)
        own[group.own] = True
        job, place = np.nonzero(classes.hosts & own & self.paying[:, None])
        cost = group.reward[job] - market.ps[job] * short[job, place]
        parts = [(job, np.full(len(job), WHOLE), place, cost, np.ones(len(job)))]
        count = len(job)
        rows: tuple[list[int], list[int], list[float]] = ([], [], [])
        height = 0
        listed: list[tuple[int, int, int, float, float]] = []

        def add(*column: float) -> int:
            listed.append(column)  # type: ignore[arg-type]
            return count + len(listed) - 1

        def tie(row: int, column: int, value: float) -> None:
            rows[0].append(row)
            rows[1].append(column)
            rows[2].append(value)

        for i in np.flatnonzero(self.paying).tolist():
            kind, other = int(market.worker_type[i]), int(market.ps_type[i])
            asked, units = int(market.workers[i]), int(market.ps[i])
            spread = add(i, SPREAD, -1, float(group.reward[i]), 1.0)
            sides = (
                (asked, classes.workers[:, kind], np.zeros(classes.count), True),
                (units, classes.ps[:, other], long[i], False),
            )
            for wanted, there, price, at_home in sides:
                tie(height, spread, -float(wanted))
                left = wanted
                for c in np.argsort(price, kind="stable").tolist():
                    most = min(wanted, int(there[c]))
                    if most == 0 or (not own[c] and (at_home or left <= 0)):
                        continue
                    # elsewhere units are as many as there are, the cheapest first
                    left -= 0 if own[c] else most
                    tie(height, add(i, -1 - at_home, c, -float(price[c]), float(most)), 1.0)
                height += 1
        self.ties = height
        pieces = np.array(listed, dtype=float).reshape(-1, 5).T
        joined = [np.concatenate([np.asarray(a), b]) for a, b in zip(parts[0], pieces, strict=True)]
        job, way, place = (each.astype(np.int64) for each in joined[:3])
        return GroupColumns(job, way, place, floats(joined[3]), floats(joined[4])), rows

    def _form(self) -> tuple[LinearForm, list[Ints]]:
        """Program over the columns, and (class x types + type, slot) of capacity rows by side."""
        group, market, columns = self.group, self.group.market, self.columns
        width = market.num_worker_types, market.num_ps_types
        decided = np.flatnonzero(columns.way >= 0)
        parts = [(np.ones(len(decided)), columns.job[decided], decided)]
        height = market.num_jobs
        tied = tuple(np.array(each) for each in self.links)
        parts.append((tied[2], height + tied[0].astype(np.int64), tied[1].astype(np.int64)))
        height += self.ties
        lower = np.concatenate([np.full(market.num_jobs, -np.inf), np.zeros(self.ties)])
        upper = [np.concatenate([np.ones(market.num_jobs), np.zeros(self.ties)])]
        listed = []
        own = np.isin(columns.place, group.own)
        for side, types, units, capacity in (
            (0, market.worker_type, market.workers, group.classes.workers),
            (1, market.ps_type, market.ps, group.classes.ps),
        ):
            piece = -1 - (side == 0)
            users = np.flatnonzero(own & ((columns.way == WHOLE) | (columns.way == piece)))
            job = columns.job[users]
            whole = columns.way[users] == WHOLE
            held = np.where(whole, units[job], 1)
            last = np.where(whole, self.last[WHOLE][job], self.last[SPREAD][job])
            place = columns.place[users] * width[side] + types[job]
            view = MarketSide(place, held, market.arrival[job], capacity, capacity)
            rows = clique_rows(view, [last])
            by_row = jobs_at(rows, view, last)
            row = np.repeat(np.arange(len(rows)), [len(each) for each in by_row])
            entry = np.concatenate(by_row) if by_row else np.zeros(0, np.int64)
            parts.append((held[entry].astype(float), height + row, users[entry]))
            upper.append(capacity.reshape(-1)[rows[:, 0]].astype(float))
            lower = np.concatenate([lower, np.full(len(rows), -np.inf)])
            listed.append(rows)
            height += len(rows)
        values, at, column = (np.concatenate(each) for each in zip(*parts, strict=True))
        matrix = sp.csr_array((values, (at, column)), shape=(height, len(columns.job)))
        form = LinearForm(
            name="a group of servers",
            sense="max",
            cost=columns.cost,
            matrix=rows_of_scipy(matrix),
            row_lower=lower,
            row_upper=np.concatenate(upper),
            lower=np.zeros(len(columns.job)),
            upper=columns.upper,
            integer=np.zeros(len(columns.job), np.bool_),
        )
        return form, listed

    def decided(self, allowed: Allowed) -> tuple[Floats, Floats]:
        """Costs and upper bounds of columns where ways are decided.

        A job that must be served earns so much more that it is, if that is possible at all.
        """
        columns = self.columns
        may = columns.way < 0
        for way in (WHOLE, SPREAD):
            may |= (columns.way == way) & (allowed[columns.job] >> way & 1 > 0)
        must = (allowed == 1 << WHOLE) | (allowed == 1 << SPREAD)
        extra = np.where(must[columns.job] & (columns.way >= 0), self.share, 0.0)
        return columns.cost + extra, np.where(may, columns.upper, 0.0)

    def leaf(self, duals: Floats) -> LeafPrices:
        """Prices of a leaf from the multipliers of rows of capacity."""
        horizon, scale = self.group.market.horizon, self.group.market_prices.scale
        found: list[Ints] = []
        begin = len(duals) - sum(len(rows) for rows in self.rows)
        for rows in self.rows:
            price = np.maximum(duals[begin : begin + len(rows)], 0.0)
            begin += len(rows)
            with np.errstate(over="ignore"):  # cut below
                units = np.ldexp(price, scale)
            numbers = np.rint(np.minimum(units, 2.0**60))
            keep = np.flatnonzero(numbers)
            found += [(rows[:, 0] * horizon + rows[:, 1])[keep], numbers[keep].astype(np.int64)]
        return LeafPrices(*found)

    def parts(self, point: Floats) -> Floats:
        """Share of each job that is whole, and spread; shape (jobs, 2)."""
        found = np.zeros((self.group.market.num_jobs, 2))
        decided = np.flatnonzero(self.columns.way >= 0)
        np.add.at(found, (self.columns.job[decided], self.columns.way[decided]), point[decided])
        return found

    def whole_jobs(self, seconds: float, gap: float) -> Answer:
        """Solve for whole jobs, as far as a number of nodes goes."""
        whole = self.form.replace(integer=np.ones(len(self.columns.job), np.bool_))
        return solve(
            whole, time_limit=seconds, gap=gap, solver_options={"mip_max_nodes": MOST_NODES}
        )


# A proved bound on the best fixed prices, for any number of types: branch and bound over prices.
#
# Every cell of prices is bounded by ``dps.interval_lp`` with what its jobs pay at most, and cut
# where its prices differ most in payments.  Cells shrink towards ``dps.interval_lp[fixed]`` at
# single prices; between that and the profit of a simulation lies what arrivals one by one cost.


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
