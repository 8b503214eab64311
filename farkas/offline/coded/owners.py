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

import numpy as np

from farkas.certificates.coded import safe_patience, speeds_above
from farkas.certificates.coded_owners import CountBranch, OwnersTree, Types
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.law import Allocation, dedicated_plan
from farkas.numbers import Floats, Ints
from farkas.offline.coded.pricing import pricing
from farkas.offline.ladder import Ascent, Rung
from farkas.online.coded.environment import Environment, is_dedicated
from farkas.online.coded.exhaustive import search_owners
from farkas.online.coded.local_search import climb as improved
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.run import Bound
from farkas.tolerances import FINE_GAP, WHOLE

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

        Raises
        ------
        NotACertificate
            When they exclude none.
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

    Parameters
    ----------
    counts
        Shape (masters, types).
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
