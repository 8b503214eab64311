"""A tree of cases by the values of owners' plans, with prices in each leaf."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from farkas.certificates.priced_tree import (
    MOST_NODES,
    MOST_STEPS,
    Case,
    Knapsack,
    Split,
    Window,
    halves,
)
from farkas.decomposition.choice import padded
from farkas.decomposition.column_generation import DualPoint, Left, price_rows
from farkas.decomposition.master import Master
from farkas.decomposition.protocol import Plans, Pricing, Tree
from farkas.numbers import Floats, Ints
from farkas.tolerances import FINE_GAP, WHOLE

SHARED = 1e-4  #: Share of a plan that counts as a part of it.


def best_split(
    problem: Pricing, plans: Plans, share: Floats, case: Case, prices: Floats
) -> Split | None:
    """Find the value of an owner that parts most worth; where none does, how much it uses of a row.

    ``share``: Of plans in a solution; those that joined later may be left out.  ``case``: That is
    split.  ``prices``: Of rows, which weigh their uses.  Returns: None where no owner's plan is in
    parts.
    """
    share = padded(share, len(plans.owner))
    parts: Ints = np.flatnonzero(share > SHARED)
    parts = parts[np.lexsort((-plans.value[parts], plans.owner[parts]))]
    least = FINE_GAP * float(problem.most.max(initial=0.0))
    for each in (_by_value, _by_use):
        best, found = least, None
        for owner, group in itertools.groupby(parts.tolist(), lambda at: int(plans.owner[at])):
            window = case.get(owner) or Window(0.0, problem.program.most(owner))
            some = np.array(list(group))
            for gain, split in each(problem, plans.some(some), share[some], window, prices):
                if gain > best:
                    best, found = gain, split
        if found is not None:
            return found
    return None


def _by_value(
    _problem: Pricing, plans: Plans, share: Floats, window: Window, _prices: Floats
) -> Iterator[tuple[float, Split]]:
    """Yield splits by the values of an owner's plans, which descend, and what each parts."""
    by_level: dict[float, float] = {}
    for value, part in zip(plans.value.tolist(), share.tolist(), strict=True):
        level = min(value, window.high)
        by_level[level] = by_level.get(level, 0.0) + part
    above = 0.0
    for level, lower in itertools.pairwise([*by_level, window.low]):
        above += by_level[level]
        if level > window.low:
            yield (level - lower) * min(above, 1.0 - above), Split(int(plans.owner[0]), level)


def _by_use(
    problem: Pricing, plans: Plans, share: Floats, window: Window, prices: Floats
) -> Iterator[tuple[float, Split]]:
    """Yield splits by what an owner's plans use of a row, and the price of what each parts."""
    if len(share) < 2 or not problem.counts:
        return
    use, owner = plans.use.tocsc(), int(plans.owner[0])
    for row in np.flatnonzero(np.diff(use.indptr)).tolist():
        units = use[:, [row]].toarray().ravel()
        mean = float(units @ share / share.sum())
        few = units <= math.floor(mean + WHOLE)
        spread = float(share[few] @ (mean - units[few]))
        least, most = window.counts.get(row, (0, problem.program.units(owner, row)))
        at = math.floor(mean + WHOLE)
        if spread > WHOLE and least <= at < most:
            weight = float(prices[row]) + WHOLE * float(plans.value.max())  # also of what is free
            yield spread * weight, Split(owner, at, row)


MOST_ROUNDS = 12  #: Of prices in a case.


@dataclasses.dataclass(slots=True, eq=False)
class Node:
    """A case: its prices, and its parts where it is split."""

    case: Case
    dual: DualPoint
    split: Split | None = None
    parts: Sequence[Node] = ()


class Charges(NamedTuple):
    """What plans are charged that are good enough."""

    case: Case
    knapsacks: Sequence[Knapsack]
    paid: float  #: By all together, at most.


class CaseTree:
    """The tree; the case with the largest bound is split next.

    ``root``: Prices of all plans.  ``charges``: What all plans are charged, and what that is in all
    at most; nothing by default.
    """

    def __init__(
        self, problem: Pricing, master: Master, root: DualPoint, charges: Charges | None = None
    ) -> None:
        self.problem, self.master = problem, master
        self.charges = charges or Charges({}, (), 0.0)
        self.root = Node(self.charges.case, root)
        self._number = itertools.count()
        self._open = [(-root.bound, next(self._number), self.root)]

    @property
    def bound(self) -> float:
        """Of all cases."""
        return self.charges.paid - self._open[0][0]

    @property
    def leaves(self) -> int:
        """Number of cases that are not split."""
        return len(self._open)

    @property
    def _full(self) -> bool:
        """Whether a proof of more cases would be too long."""
        distinct = len({id(node.dual.prices) for _, _, node in self._open})
        steps = (distinct + 2) * self.problem.program.steps()
        return steps > MOST_STEPS or 2 * self.leaves + 1 > MOST_NODES

    def expand(self, target: Callable[[], float], nodes: int, gap: float, left: Left) -> None:
        """Split cases until the bound is a target, so many were split, or none can be.

        ``gap``: of prices and program in a case.
        """
        for _ in range(nodes):
            node = self._open[0][2]
            if self.bound <= target() or not left() or self._full:
                return
            split = self._best_split(node)
            if split is None:
                return
            parts = [
                Node(case, self._priced(case, node.dual, target() - self.charges.paid, gap, left))
                for case in halves(self.problem.program, node.case, split)
            ]
            if not left():
                return
            heapq.heappop(self._open)
            node.split, node.parts = split, parts
            for half in parts:
                heapq.heappush(self._open, (-half.dual.bound, next(self._number), half))

    def _best_split(self, node: Node) -> Split | None:
        share = node.dual.share
        if share is None:
            return None
        return best_split(self.problem, self.master.pool.plans, share, node.case, node.dual.prices)

    def _priced(
        self, case: Case, start: DualPoint, target: float, gap: float, left: Left
    ) -> DualPoint:
        """Price a case from prices of the one that it is part of."""
        rounds = price_rows(
            self.problem, self.master, gap=gap, left=left, case=case, start=start.prices,
            rounds=MOST_ROUNDS, below=target,
        )  # fmt: skip
        found = list(rounds)[-1]
        if found.share is None and found.bound > target and left():
            point = self.master.solve(case, left())
            if point is not None:
                found = dataclasses.replace(found, share=point.share, value=point.value)
        return found

    def tree(self) -> Tree:
        """Return splits and prices."""
        splits, leaves, prices = list[Split | None](), list[int](), list[Floats]()
        number: dict[int, int] = {}
        for node in _preorder(self.root):
            splits.append(node.split)
            if node.split is None:
                own = node.dual.prices
                if id(own) not in number:
                    number[id(own)] = len(prices)
                    prices.append(own)
                leaves.append(number[id(own)])
        return Tree(splits, leaves, prices, self.charges.knapsacks)


def _preorder(root: Node) -> Iterator[Node]:
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        yield node
        open_nodes += reversed(node.parts)
