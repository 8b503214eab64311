"""Prices for trees of whole jobs, from linear programs of groups of servers.

`farkas.certificates.dps_server_trees` proves what they bound.  At market prices each group is a
small program of its own: jobs at home are placed whole or spread, and parameter servers cost their
market price wherever they are, so that a group earns what its jobs pay less what units cost, and
the market price of all it has.  Nodes are solved by a linear program, whose multipliers are the
leaf's prices; a job that is served in part is decided next.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from farkas.certificates.casts import affordable
from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_server_trees import (
    ALL_WAYS,
    LEAF,
    SPREAD,
    WHOLE,
    Allowed,
    DpsServerTrees,
    GroupedMarket,
    GroupOfServers,
    LeafPrices,
    groups_of,
)
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.models.dps.windows import MarketSide, clique_rows, jobs_at
from farkas.numbers import Bools, Floats, Ints, floats
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram
from farkas.search_tolerances import SOLVER_GAP
from farkas.search_tolerances import WHOLE as INTEGRAL
from farkas.solvers import Session, open_session, solve

TRIED = 8
"""Jobs whose two branches are solved before one is chosen."""
SPARE_BITS = 4
"""How many times larger than the market's, as a power of two, prices of leaves may be before sums
leave 64 bits."""
MUST = 1024.0
"""Times what all jobs pay: what it costs a program not to serve a job that must be served."""
MOST_COLUMNS = 200_000
"""Columns of all groups together up to which they are solved."""
MOST_NODES = 20_000
MOST_SECONDS = 60.0
"""Limit of a group's integer program where nobody set one."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a group's program.

    Parameters
    ----------
    job
        Position among the jobs at home.
    way
        `WHOLE` or `SPREAD`, or -1 for units of a spread job.
    place
        Class, or -1 for a spread job as such.
    cost
        What one earns: the reward less market prices of parameter servers.
    upper
        Most of it.
    """

    job: Ints
    way: Ints
    place: Ints
    cost: Floats
    upper: Floats


class GroupProgram:
    """The program of a group at market prices.

    Parameters
    ----------
    group
        The group.
    """

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

    def _columns(self) -> tuple[Columns, tuple[list[int], list[int], list[float]]]:
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
        return Columns(job, way, place, floats(joined[3]), floats(joined[4])), rows

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
            numbers = np.rint(np.ldexp(np.minimum(price, math.ldexp(2.0**60, -scale)), scale))
            keep = np.flatnonzero(numbers)
            found += [(rows[:, 0] * horizon + rows[:, 1])[keep], numbers[keep].astype(np.int64)]
        return LeafPrices(*found)

    def parts(self, point: Floats) -> Floats:
        """Share of each job that is whole, and spread; shape (jobs, 2)."""
        found = np.zeros((self.group.market.num_jobs, 2))
        decided = np.flatnonzero(self.columns.way >= 0)
        np.add.at(found, (self.columns.job[decided], self.columns.way[decided]), point[decided])
        return found

    def integer_point(self, seconds: float, gap: float) -> Floats | None:
        """Solve for whole jobs; None where there is no point."""
        whole = self.form.replace(integer=np.ones(len(self.columns.job), np.bool_))
        answer = solve(whole, time_limit=min(seconds, MOST_SECONDS), gap=gap)
        return None if answer.raw_point is None else answer.point


@dataclasses.dataclass(slots=True, eq=False)
class TreeNode:
    """A node of a group's tree.

    Parameters
    ----------
    allowed
        Bits of ways, shape (jobs at home,).
    bound
        Proved, in units of the grid.
    leaf
        Its prices; None where no prices are needed, since a job cannot be placed.
    parts
        Of jobs, as the program has them.
    branch
        Job at home and way that were decided below, and the two nodes there.
    """

    allowed: Allowed
    bound: int
    leaf: LeafPrices
    parts: Floats
    branch: tuple[int, int, TreeNode, TreeNode] | None = None


class GroupTree:
    """The tree of a group.

    Parameters
    ----------
    program
        Of the group.
    """

    def __init__(self, program: GroupProgram) -> None:
        self.program, self.group = program, program.group
        self.session: Session | None = None
        self._order = itertools.count()
        everything: Allowed = np.full(len(self.group.home), ALL_WAYS, np.uint8)
        self.root = self._none(everything)
        self.scale = self.group.market_prices.scale
        self.worth = self.group.least(self.root.leaf)[2]
        """Market price of all that the group has, in units of the grid."""
        self.parts = np.zeros((len(everything), 2))
        """Jobs of the best placement by class, whole and spread."""
        if len(program.columns.job):
            self.session = open_session(program.form)
            self.root = self.solved(everything, self.root)
        self.open: list[tuple[int, int, TreeNode]] = []
        self.push(self.root)
        self.best = self.worth
        """Earned by a placement of whole jobs by class, in units of the grid."""
        self.closed = 0
        """Largest bound of a leaf that is not decided further."""

    def _none(self, allowed: Allowed) -> TreeNode:
        none = np.zeros(0, np.int64)
        leaf = LeafPrices(none, none, none, none)
        bound = self.group.bound(leaf, allowed)
        return TreeNode(allowed, bound or 0, leaf, np.zeros((len(allowed), 2)))

    def settle(self, seconds: float, gap: float) -> None:
        """Find whole jobs by class that earn much, which says how far bounds can fall."""
        program = self.program
        point = program.integer_point(seconds, gap) if len(program.columns.job) else None
        if point is None:
            return
        self.parts = np.rint(program.parts(point))
        earned = Fraction(float(program.form.cost @ point)) * Fraction(2) ** self.scale
        self.best = max(self.best, int(earned) + self.worth)

    @property
    def excess(self) -> int:
        """How far the bound is above the best placement by class, in units of the grid."""
        return self.bound - self.best

    def push(self, node: TreeNode) -> None:
        """Let a node wait for its decision."""
        heapq.heappush(self.open, (-node.bound, next(self._order), node))

    @property
    def bound(self) -> int:
        """What the tree proves, in units of the grid."""
        return max(self.closed, -self.open[0][0]) if self.open else self.closed

    def solved(self, allowed: Allowed, above: TreeNode) -> TreeNode:
        """Solve a node; its bound is no larger than that of the one above."""
        assert self.session is not None
        cost, upper = self.program.decided(allowed)
        self.session.update(cost=cost, upper=upper)
        answer = self.session.solve()
        leaf, parts = above.leaf, above.parts
        if answer.raw_row_duals is not None and answer.raw_point is not None:
            leaf, parts = self.program.leaf(answer.row_duals), self.program.parts(answer.point)
        bound = self.group.bound(leaf, allowed)
        kept = self.group.bound(above.leaf, allowed)
        if bound is None or kept is None:
            return TreeNode(allowed, 0, above.leaf, parts)
        if kept < bound:
            return TreeNode(allowed, kept, above.leaf, parts)
        return TreeNode(allowed, bound, leaf, parts)

    def expand(self) -> bool:
        """Decide a job in the node with the largest bound; False where none is left.

        Nodes that cannot be more than the best placement, or decide all jobs, are closed.
        """
        while self.open:
            node = heapq.heappop(self.open)[2]
            tried = self._tried(node) if node.bound > self.best * (1 + SOLVER_GAP) else []
            if not tried:
                self.closed = max(self.closed, node.bound)
                continue
            job, way, only, without = max(tried, key=lambda t: self._gain(node, t[2], t[3]))
            node.branch = job, way, only, without
            self.push(only)
            self.push(without)
            return True
        return False

    def _gain(self, node: TreeNode, one: TreeNode, other: TreeNode) -> float:
        """Score how much less two branches are: the product, and the smaller drop."""
        drops = [float(max(node.bound - each.bound, 1)) for each in (one, other)]
        return drops[0] * drops[1]

    def _tried(self, node: TreeNode) -> list[tuple[int, int, TreeNode, TreeNode]]:
        """Solve both branches of jobs that are served in part."""
        distance = np.minimum(node.parts, 1.0 - node.parts)
        worth = distance * self.group.reward[:, None]
        job, way = np.nonzero(distance > INTEGRAL)
        order = np.argsort(-worth[job, way], kind="stable")[:TRIED]
        found = []
        for i, w in zip(job[order].tolist(), way[order].tolist(), strict=True):
            if not node.allowed[i] >> w & 1 or node.allowed[i] == 1 << w:
                continue
            only, without = node.allowed.copy(), node.allowed.copy()
            only[i] = 1 << w
            without[i] &= ~np.uint8(1 << w)
            found.append((i, w, self.solved(only, node), self.solved(without, node)))
        return found

    def preorder(self) -> tuple[list[int], list[LeafPrices]]:
        """Nodes and leaves as a file holds them."""
        nodes: list[int] = []
        leaves: list[LeafPrices] = []
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.branch is None:
                nodes.append(LEAF)
                leaves.append(node.leaf)
                continue
            job, way, only, without = node.branch
            nodes.append(2 * int(self.group.home[job]) + way)
            waiting += [without, only]
        return nodes, leaves


class ServerTrees:
    """Trees of all groups at the prices of a program by class.

    Parameters
    ----------
    program, priced
        By class, and what a round of it left.

    Raises
    ------
    NotACertificate
        When there are too many columns.
    """

    def __init__(self, program: ServerProgram, priced: PricedServers) -> None:
        market, classes, prices = program.market, program.classes, priced.prices
        affordable(float(market.num_jobs) * classes.count, "columns of groups", MOST_COLUMNS)
        none = np.zeros(0, np.int64)
        numbers = prices.ps_numbers >> SPARE_BITS
        kept = numbers > 0
        if len(groups_of(classes)) == 1:  # nobody else buys anything
            kept = np.zeros_like(kept)
        self.market_prices = SlotPrices(
            prices.scale - SPARE_BITS, none, none, prices.ps_positions[kept], numbers[kept]
        )
        self.rewards = program.rewards
        self.market = market
        self.grouped = GroupedMarket(market, self.market_prices, program.rewards, classes)
        self.trees = [GroupTree(GroupProgram(group)) for group in self.grouped.groups]
        self.nodes = 0

    def settle(self, left: Callable[[], float], gap: float) -> Floats:
        """Find the best whole jobs by class; returns who is whole and who spread, (jobs, 2)."""
        found = np.zeros((self.market.num_jobs, 2))
        for tree in self.trees:
            tree.settle(left(), gap)
            found[tree.group.home] = tree.parts
        return found

    @property
    def bound(self) -> Fraction:
        """What the trees prove."""
        return self.grouped.in_money(sum(tree.bound for tree in self.trees))

    @property
    def excess(self) -> Fraction:
        """How far that is above the best whole jobs by class that were found."""
        return self.grouped.in_money(sum(max(0, tree.excess) for tree in self.trees))

    def expand(self) -> bool:
        """Decide a job of the group that is furthest from its best; False where none is left."""
        for tree in sorted(self.trees, key=lambda tree: -tree.excess):
            if self.nodes >= MOST_NODES or tree.excess <= 0:
                return False
            if tree.expand():
                self.nodes += 1
                return True
        return False

    def certificate(self) -> DpsServerTrees:
        """State what the trees prove."""
        nodes: list[int] = []
        leaves: list[LeafPrices] = []
        for tree in self.trees:
            more, prices = tree.preorder()
            nodes += more
            leaves += prices
        return DpsServerTrees.of(
            self.market, self.bound, self.rewards, self.market_prices, nodes, leaves
        )
