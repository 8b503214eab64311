"""Branch and bound over counts of equal workers, and the tree of prices that it leaves.

The node that is farthest from closed is next.  Where its prices exclude the level it is a leaf,
else a fractional count splits it.  Whole counts that reach the level are a better plan: the search
begins anew above it.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, Protocol

import numpy as np

from farkas.certificates.coded import safe_patience, speeds_above
from farkas.certificates.coded_owners import CountBranch, OwnersTree, Types, excludes, outbids
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.law import Allocation, dedicated_plan, shared_plan
from farkas.numbers import Floats, Ints
from farkas.offline.ladder import Ascent, Rung
from farkas.online.coded.environment import Environment, certify, is_dedicated
from farkas.online.coded.exhaustive import search_owners
from farkas.online.coded.local_search import climb as improved
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.run import Bound
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.solvers.simplex import End, Simplex
from farkas.tolerances import FINE_GAP, TIE, WHOLE

FEW_COUNTS = 2**13  #: Counts of a master up to which prices of types are worth their time.
MOST_ROUNDS = 200


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class PricedCounts:
    """What prices say of a box of counts."""

    prices: Floats  #: Of masters or types.
    counts: Floats  #: Shape (masters, types), where the relaxation has its point.
    #: How far the box is from being closed: larger is more promising for better counts.
    room: float


class Pricing(Protocol):
    """Finds prices for boxes of counts, and says what they exclude."""

    of: Literal["masters", "types"]

    def look(self, low: Ints, high: Ints) -> PricedCounts:
        """Find prices for a box, not empty, shape (masters, types)."""

    def closes(self, prices: Floats, level: float, low: Ints, high: Ints) -> bool:
        """Whether prices exclude a level in a box, in exact arithmetic."""


def pricing(types: Types, level: float) -> Pricing:
    """Choose: prices of types, which see that counts are whole, where these are few."""
    size = np.sort(types.size)
    if math.prod((size[:-1] + 1).tolist()) <= FEW_COUNTS:
        return TypePricing(types, level)
    return MasterPricing(types, level)


class MasterPricing:
    """The highest level of fractional counts; its rows of masters are the prices.

    ``level``: to be excluded, 1/time; speeds are cut there.
    """

    of: Literal["masters", "types"] = "masters"

    def __init__(self, types: Types, level: float) -> None:
        self.types = types
        self._program = Simplex(_level_program(np.minimum(types.speed / level, 1.0), types.size))

    def look(self, low: Ints, high: Ints) -> PricedCounts:
        """Solve the linear program."""
        masters, kinds = low.shape
        columns = list(range(masters * kinds))
        self._program.bound(columns, low.reshape(-1).astype(float), high.reshape(-1).astype(float))
        if self._program.run() is not End.OPTIMAL:
            raise NoAnswer("HiGHS did not solve a program of counts")
        prices = np.maximum(-self._program.row_duals[:masters], 0.0)
        if not prices.sum() > 0:
            raise NoAnswer("HiGHS gives no prices of the masters")
        counts = self._program.point[:-1].reshape(masters, kinds)
        return PricedCounts(prices, counts, self._program.value)

    def closes(self, prices: Floats, level: float, low: Ints, high: Ints) -> bool:
        """See `farkas.certificates.coded_owners.excludes`."""
        return excludes(self.types.speed, prices, level, low, high, self.types.size)


class TypePricing:
    """Prices at which masters pay most for the level, by columns: whole counts that reach it.

    ``level``: to be excluded, 1/time; speeds are cut there.
    """

    of: Literal["masters", "types"] = "types"

    def __init__(self, types: Types, level: float) -> None:
        self.types, self.level = types, level
        self._cut = np.minimum(types.speed / level, 1.0)
        self._pool: list[list[Ints]] = [[] for _ in range(len(types.speed))]

    def look(self, low: Ints, high: Ints) -> PricedCounts:
        """Generate counts until no master finds cheaper ones."""
        masters, kinds = low.shape
        inside = [
            [x for x in pool if (low[m] <= x).all() and (x <= high[m]).all()]
            for m, pool in enumerate(self._pool)
        ]
        prices = np.full(kinds, 1.0 / float(self.types.size.sum()))
        paid = np.full(masters, -np.inf)
        for turn in range(MOST_ROUNDS):
            if turn or all(inside):
                prices, paid, weights = self._master(inside)
            found = [
                cheapest(self._cut[m], prices, low[m], high[m]) for m in range(masters)
            ]  # fmt: skip
            if any(one is None for one in found):
                return PricedCounts(prices, low.astype(float), -np.inf)
            new = [
                (m, one[1])
                for m, one in enumerate(found)
                if (one is not None and one[0] < paid[m] - FINE_GAP)
                or (not np.isfinite(paid[m]) and one is not None)
            ]
            if not new:
                break
            for m, counts in new:
                inside[m].append(counts)
                self._pool[m].append(counts)
        else:
            raise NoAnswer(f"prices of types did not settle in {MOST_ROUNDS} rounds")
        total = sum(one[0] for one in found if one is not None)
        mixed = [np.average(inside[m], axis=0, weights=weights[m]) for m in range(masters)]
        return PricedCounts(prices, np.array(mixed), 1.0 - float(total))

    def closes(self, prices: Floats, level: float, low: Ints, high: Ints) -> bool:
        """See `farkas.certificates.coded_owners.outbids`."""
        return outbids(self.types.speed, prices, level, low, high, self.types.size)

    def _master(self, inside: list[list[Ints]]) -> tuple[Floats, Floats, list[Floats]]:
        """Prices of types at which the masters pay most, what they pay, weights of their counts."""
        masters, kinds = len(inside), len(self.types.size)
        rows = [(m, x) for m, pool in enumerate(inside) for x in pool]
        matrix = np.zeros((len(rows) + 1, kinds + masters))
        for place, (m, counts) in enumerate(rows):
            matrix[place, :kinds] = -counts
            matrix[place, kinds + m] = 1.0
        matrix[-1, :kinds] = self.types.size
        program = Simplex(
            LinearForm(
                name="prices of types",
                sense="max",
                cost=np.concatenate([np.zeros(kinds), np.ones(masters)]),
                matrix=rows_of_dense(matrix),
                row_lower=np.append(np.full(len(rows), -np.inf), 1.0),
                row_upper=np.append(np.zeros(len(rows)), 1.0),
                lower=np.zeros(kinds + masters),
                upper=np.full(kinds + masters, np.inf),
                integer=np.zeros(kinds + masters, np.bool_),
            )
        )
        if program.run() is not End.OPTIMAL:
            raise NoAnswer("HiGHS did not price types")
        point, duals = program.point, np.maximum(program.row_duals[:-1], 0.0)
        weights, place = [], 0
        for pool in inside:
            part = duals[place : place + len(pool)]
            weights.append(part if part.sum() > 0 else np.ones(len(pool)))
            place += len(pool)
        return np.maximum(point[:kinds], 0.0), point[kinds:], weights


def cheapest(speed: Floats, price: Floats, low: Ints, high: Ints) -> tuple[float, Ints] | None:
    """Least Σ price x over whole ``low <= x <= high`` with Σ speed x >= 1, in doubles, and x.

    As `farkas.certificates.coded_owners.least_cost`, which proves what this finds.
    """
    last = int(np.argmax(np.where(speed > 0, high - low, -1)))
    others = [k for k in range(len(speed)) if k != last]
    sizes = [int(high[k] - low[k]) + 1 for k in others]
    counts = np.repeat(low[:, None], math.prod(sizes), axis=1)
    counts[others] += np.indices(sizes).reshape(len(others), math.prod(sizes))
    missing = 1.0 - speed @ counts
    if speed[last] > 0:
        more = np.maximum(np.ceil(missing / speed[last] - TIE), 0.0)
    else:
        more = np.where(missing > TIE, np.inf, 0.0)
    fits = more <= high[last] - low[last]
    if not fits.any():
        return None
    counts = counts[:, fits]
    counts[last] += more[fits].astype(np.int64)
    cost = price @ counts
    best = int(cost.argmin())
    return float(cost[best]), counts[:, best]


def _level_program(speed: Floats, size: Ints) -> LinearForm:
    """Maximise the level that each master's sum of speeds reaches."""
    masters, kinds = speed.shape
    matrix = np.zeros((masters + kinds, masters * kinds + 1))
    for master in range(masters):
        matrix[master, master * kinds : (master + 1) * kinds] = speed[master]
        matrix[master, -1] = -1.0
        matrix[masters:, master * kinds : (master + 1) * kinds] = np.eye(kinds)
    return LinearForm(
        name="counts of equal workers",
        sense="max",
        cost=np.eye(masters * kinds + 1)[-1],
        matrix=rows_of_dense(matrix),
        row_lower=np.concatenate([np.zeros(masters), np.full(kinds, -np.inf)]),
        row_upper=np.concatenate([np.full(masters, np.inf), size.astype(float)]),
        lower=np.zeros(masters * kinds + 1),
        upper=np.append(np.tile(size.astype(float), masters), np.inf),
        integer=np.zeros(masters * kinds + 1, np.bool_),
    )


def sharing(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Share workers as the linear program says.  Coded (14), (18)."""
    found = shared_optimum(instance)
    plan = shared_plan(instance, found.share, found.time)
    yield Rung("shares of coded.assignment_lp", [plan], certify(instance))


PART = 100  #: Nodes after which what is proved so far is offered.
OWNERS_SHARE = 0.2  #: Of the time that is left, for good owners before the proof begins.
HIGHEST = 2.0**20  #: Times the level that is sought, above which no level is tried.


@dataclasses.dataclass(slots=True, eq=False)
class CountNode:
    """Counts from ``low`` to ``high``, shape (masters, types); None for prices: there are none."""

    low: Ints
    high: Ints
    prices: Floats | None = None
    split: tuple[int, int, int] | None = None
    branches: tuple[CountNode, CountNode] | None = None


class OwnersSearch:
    """A search above one level.

    Parameters
    ----------
    types
        Workers by type, with speeds that are rounded up.
    level
        To be excluded, 1/time.
    """

    def __init__(self, types: Types, level: float) -> None:
        self.types, self.level = types, level
        self.pricing = pricing(types, level)
        shape = types.speed.shape
        most = np.broadcast_to(types.size, shape).copy()
        self.root = CountNode(np.zeros(shape, np.int64), most)
        self.better: Ints | None = None
        """Counts that reach the level, once some were found."""
        self._tickets = itertools.count()
        self._open: list[tuple[float, int, CountNode]] = []
        self._look(self.root)

    @property
    def done(self) -> bool:
        """Whether all leaves are closed."""
        return not self._open

    def advance(self, nodes: int, deadline: Deadline) -> None:
        """Split so many nodes; stops at better counts and at the deadline."""
        for _ in range(nodes):
            if not self._open or self.better is not None or not deadline.left:
                return
            _, _, node = heapq.heappop(self._open)
            assert node.split is not None
            master, kind, count = node.split
            below, above = node.high.copy(), node.low.copy()
            below[master, kind], above[master, kind] = count, count + 1
            node.branches = CountNode(node.low, below), CountNode(above, node.high)
            for branch in node.branches:
                self._look(branch)

    def _look(self, node: CountNode) -> None:
        """Bound a node; keep it open unless its prices exclude the level."""
        if (node.low.sum(axis=0) > self.types.size).any():
            return
        found = self.pricing.look(node.low, node.high)
        node.prices = found.prices
        if self.excluded(node, self.level):
            return
        away = np.abs(found.counts - np.rint(found.counts))
        where = np.unravel_index(int(away.argmax()), away.shape)
        if away[where] <= WHOLE:
            whole = np.rint(found.counts).astype(np.int64)
            if ((self.types.speed * whole).sum(axis=1) >= self.level).all():
                self.better = whole
                return
            loose = np.argwhere(node.low < node.high)
            if not len(loose):
                raise NoAnswer("counts that are fixed are neither a plan nor excluded")
            where = tuple(loose[0])
        master, kind = (int(i) for i in where)
        floor = math.floor(found.counts[where])
        count = min(max(floor, int(node.low[where])), int(node.high[where]) - 1)
        node.split = (master, kind, count)
        heapq.heappush(self._open, (-found.room, next(self._tickets), node))

    def excluded(self, node: CountNode, level: float) -> bool:
        """Whether the prices of a node exclude a level there."""
        if node.prices is None:
            return True
        return self.pricing.closes(node.prices, level, node.low, node.high)

    def reached(self) -> float:
        """Return the least level found that the prices of all leaves exclude, 1/time.

        Raises `NotACertificate` when they exclude none.
        """
        high = self.level
        for node in self._leaves():
            if self.excluded(node, high):
                continue
            low = high
            while not self.excluded(node, high):
                low, high = high, 2.0 * high
                if high > HIGHEST * self.level:
                    raise NotACertificate("prices exclude no level")
            while high > low * (1.0 + FINE_GAP):
                middle = (low + high) / 2
                low, high = (low, middle) if self.excluded(node, middle) else (middle, high)
        return high

    def _leaves(self) -> Iterator[CountNode]:
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.branches is None:
                yield node
            else:
                waiting += reversed(node.branches)

    def tree(self) -> tuple[tuple[CountBranch | int, ...], Floats]:
        """Return the tree in preorder, and the prices of its leaves, shape (leaves, priced)."""
        nodes: list[CountBranch | int] = []
        prices: list[Floats] = []
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node.branches is not None:
                assert node.split is not None
                master, kind, count = node.split
                nodes.append(CountBranch(master=master, type=kind, count=count))
                waiting += reversed(node.branches)
            elif node.prices is None:
                nodes.append(-1)
            else:
                nodes.append(len(prices))
                prices.append(node.prices)
        return tuple(nodes), np.array(prices)


class DedicatedEnvironment(Environment):
    """The environment of the kind, where no worker may serve several masters."""

    def unusable(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> list[str]:
        """List the requirements that the plan breaks."""
        words = super().unusable(instance, decisions)
        return words or ([] if is_dedicated(decisions[0]) else ["a worker serves several masters"])


def owners_of(types: Types, counts: Ints) -> Ints:
    """Owners with these counts, shape (workers,), -1 where idle; first masters own first workers.

    ``counts``: shape (masters, types).
    """
    owner = np.full(len(types.of), -1, dtype=np.int64)
    for kind, column in enumerate(counts.T):
        given = np.repeat(np.arange(len(counts)), column)
        owner[np.flatnonzero(types.of == kind)[: len(given)]] = given
    return owner


def _proved(data: CodedComputing, search: OwnersSearch, patience: Floats) -> Iterator[Rung]:
    """Certify what the search has excluded; nothing where open leaves exclude no level yet.

    Raises `NoAnswer` when rounding leaves a finished search without a proof.
    """
    tree, prices = search.tree()
    try:
        level = search.reached()
        proved = OwnersTree.closing(data, level, tree, prices, patience, search.pricing.of)
    except NotACertificate as failure:
        if search.done:
            raise NoAnswer(f"counts of equal workers are not proved: {failure}") from None
        return
    kinds, whose = len(search.types.size), search.pricing.of
    words = f"counts of {kinds} types of equal workers, {len(tree)} nodes, prices of {whose}"
    yield Rung(words, bound=Bound.of(Fraction(str(proved.bound)), words, proved.plain()))


def owners_tree(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Find the best dedicated workers, and certify that none are faster."""
    pairs = Pairs.of(instance)
    patience = safe_patience(pairs.patience)
    types = Types(speeds_above(instance, np.ones(instance.num_masters), patience))
    owner = improved(pairs.speed, greedy_owner(pairs.speed), "lexicographic")
    yield Rung("moves and swaps", [dedicated_plan(instance, owner)])
    owner = search_owners(pairs.speed, ascent.deadline.left * OWNERS_SHARE).owner
    yield Rung("search of owners", [dedicated_plan(instance, owner)])
    while True:
        best = float(owner_levels(pairs.speed, owner).min())
        if not best > 0:
            raise NoAnswer("no dedicated workers were found that serve every master")
        search = OwnersSearch(types, best * (1.0 + FINE_GAP))
        nodes = PART
        while search.better is None:
            search.advance(nodes, ascent.deadline)
            nodes *= 2
            if search.better is None:
                yield from _proved(instance, search, patience)
            if search.done:
                return
            ascent.deadline.check()
        owner = improved(pairs.speed, owners_of(types, search.better), "lexicographic")
        yield Rung("counts of equal workers", [dedicated_plan(instance, owner)])
