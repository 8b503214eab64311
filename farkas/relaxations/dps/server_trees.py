"""Trees of whole jobs, one for each group of servers at market prices.

`farkas.certificates.dps_server_trees` proves what they bound.  A node is solved by the linear
program of its group, whose multipliers are the leaf's prices; a job that is served in part is
decided next.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from farkas.certificates.dps import SlotPrices
from farkas.certificates.dps_server_trees import LEAF, DpsServerTrees
from farkas.certificates.dps_servers import (
    ALL_WAYS,
    Allowed,
    GroupedMarket,
    LeafPrices,
    groups_of,
)
from farkas.certificates.sums import affordable
from farkas.numbers import Floats
from farkas.relaxations.dps.group_program import GroupProgram
from farkas.relaxations.dps.server_prices import PricedServers, ServerProgram
from farkas.solvers import Session, open_session
from farkas.tolerances import SOLVER_GAP
from farkas.tolerances import WHOLE as INTEGRAL

TRIED = 8  #: Jobs whose two branches are solved before one is chosen.
#: How many times larger than the market's, as a power of two, prices of leaves may be before sums
#: leave 64 bits.
SPARE_BITS = 4
MOST_COLUMNS = 200_000  #: Columns of all groups together up to which they are solved.
MOST_NODES = 20_000


@dataclasses.dataclass(slots=True, eq=False)
class GroupNode:
    """A node of a group's tree."""

    allowed: Allowed  #: Bits of ways, shape (jobs at home,).
    bound: int  #: Proved, in units of the grid.
    leaf: LeafPrices  #: Its prices; None where no prices are needed, since a job cannot be placed.
    parts: Floats  #: Of jobs, as the program has them.
    #: Job at home and way that were decided below, and the two nodes there.
    branch: tuple[int, int, GroupNode, GroupNode] | None = None


class GroupTree:
    """The tree of a group."""

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
        self.open: list[tuple[int, int, GroupNode]] = []
        self.push(self.root)
        self.best = self.worth
        """Earned by a placement of whole jobs by class, in units of the grid."""
        self.closed = 0
        """Largest bound of a leaf that is not decided further."""
        self.reachable: int | None = None
        """What a solver says that no placement of whole jobs by class earns more than: a claim."""
        self.nodes = 0
        """Jobs that were decided."""

    def _none(self, allowed: Allowed) -> GroupNode:
        none = np.zeros(0, np.int64)
        leaf = LeafPrices(none, none, none, none)
        bound = self.group.bound(leaf, allowed)
        return GroupNode(allowed, bound or 0, leaf, np.zeros((len(allowed), 2)))

    def settle(self, seconds: float, gap: float) -> None:
        """Find whole jobs by class that earn much, which says how far bounds can fall."""
        program = self.program
        if not len(program.columns.job):
            return
        answer = program.whole_jobs(seconds, gap)
        grid = Fraction(2) ** self.scale
        if math.isfinite(answer.bound):
            self.reachable = math.ceil(Fraction(answer.bound) * grid) + self.worth
        if answer.raw_point is None:
            return
        self.parts = np.rint(program.parts(answer.point))
        earned = Fraction(float((program.form.cost * answer.point).sum())) * grid
        self.best = max(self.best, int(earned) + self.worth)

    @property
    def aim(self) -> int:
        """What placements may earn, as far as is known: the bound, or a solver's if it is less."""
        return self.bound if self.reachable is None else min(self.bound, self.reachable)

    @property
    def excess(self) -> int:
        """How far the bound is above the best placement by class, in units of the grid."""
        return self.bound - self.best

    def push(self, node: GroupNode) -> None:
        """Let a node wait for its decision."""
        heapq.heappush(self.open, (-node.bound, next(self._order), node))

    @property
    def bound(self) -> int:
        """What the tree proves, in units of the grid."""
        return max(self.closed, -self.open[0][0]) if self.open else self.closed

    def solved(self, allowed: Allowed, above: GroupNode) -> GroupNode:
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
            return GroupNode(allowed, 0, above.leaf, parts)
        if kept < bound:
            return GroupNode(allowed, kept, above.leaf, parts)
        return GroupNode(allowed, bound, leaf, parts)

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
            self.nodes += 1
            self.push(only)
            self.push(without)
            return True
        return False

    def _gain(self, node: GroupNode, one: GroupNode, other: GroupNode) -> float:
        """Score how much less two branches are: the product, and the smaller drop."""
        drops = [float(max(node.bound - each.bound, 1)) for each in (one, other)]
        return drops[0] * drops[1]

    def _tried(self, node: GroupNode) -> list[tuple[int, int, GroupNode, GroupNode]]:
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

    ``program``, ``priced``: by class, and what a round of it left.  Raises `NotACertificate` when
    there are too many columns.
    """

    def __init__(self, program: ServerProgram, priced: PricedServers) -> None:
        market, classes, prices = program.market, program.classes, priced.prices
        affordable(float(market.num_jobs) * classes.count, "columns of groups", MOST_COLUMNS)
        none = np.zeros(0, np.int64)
        numbers = prices.ps_numbers >> SPARE_BITS
        kept = numbers > 0
        units = classes.workers.sum(axis=1) + classes.ps.sum(axis=1)
        if sum(units[group].sum() > 0 for group in groups_of(classes)) <= 1:  # nobody else buys
            kept = np.zeros_like(kept)
        self.market_prices = SlotPrices(
            prices.scale - SPARE_BITS, none, none, prices.ps_positions[kept], numbers[kept]
        )
        self.rewards = program.rewards
        self.market = market
        self.grouped = GroupedMarket(market, self.market_prices, program.rewards, classes)
        self.trees = [GroupTree(GroupProgram(group)) for group in self.grouped.groups]

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

    @property
    def nodes(self) -> int:
        """Jobs that were decided, of all groups."""
        return sum(tree.nodes for tree in self.trees)

    def expand(self) -> bool:
        """Decide a job of the group that is furthest from its best for the nodes it has had.

        Returns False where none is left.
        """
        if self.nodes >= MOST_NODES:
            return False
        for tree in sorted(self.trees, key=lambda tree: -tree.excess / (1 + tree.nodes)):
            if tree.excess > 0 and tree.expand():
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
