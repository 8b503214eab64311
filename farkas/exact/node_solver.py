"""The relaxation at a node, warm in a simplex method, and the choice of a column to branch on."""

from __future__ import annotations

import math
import sys

import numpy as np

from farkas.errors import NoAnswer
from farkas.exact.certificate import TreeNode
from farkas.exact.node_bounds import ColumnEnd, Deadline, OutOfTime, floats
from farkas.forms.rational import RationalForm
from farkas.numbers import Floats, Ints
from farkas.solvers.simplex import End, Simplex
from farkas.tolerances import DROPPED, SHARE, WHOLE

CANDIDATES = 20
TRIAL_ITERATIONS = 50
RELIABLE = 4  #: Trials of a column after which its pseudocost is believed.


#: Decisions on a column after which, still without an end, it is branched on no more.
MOST_DECISIONS = 100
#: Nodes that are left open for that before the search ends, which would follow rays for ever.
MOST_RAYS = 10


class NodeSolver:
    """One simplex method that is moved from node to node.

    ``form``: The program; a minimum here, whatever its sense.  ``lower``, ``upper``: Ends of the
    columns at the root.
    """

    def __init__(
        self, form: RationalForm, lower: list[ColumnEnd], upper: list[ColumnEnd], clock: Deadline
    ) -> None:
        self.form, self.lower, self.upper, self._clock = form, lower, upper, clock
        self.whole = np.flatnonzero(form.integer)
        linear = form.linear
        sign = 1.0 if form.sense == "min" else -1.0
        self.simplex = Simplex(
            linear.replace(
                sense="min",
                cost=sign * linear.cost,
                offset=sign * linear.offset,
                lower=floats(lower, -np.inf),
                upper=floats(upper, np.inf),
            )
        )
        self._set: dict[int, tuple[ColumnEnd, ColumnEnd]] = {}
        self._at: TreeNode | None = None
        self._rays = 0
        self._history: dict[tuple[int, bool], tuple[int, float]] = {}

    def go(self, node: TreeNode) -> None:
        """Give the solver the bounds and the basis of a node."""
        wanted: dict[int, tuple[ColumnEnd, ColumnEnd]] = {}
        for step in node.path():
            ends = wanted.get(step.column, (self.lower[step.column], self.upper[step.column]))
            wanted[step.column] = step.within(*ends)
        self._bound_columns(wanted)
        start = node.parent.basis if node.parent is not None else None
        if start is not None and self._at is not node.parent:
            self.simplex.start(start)
        self._at = node

    def _bound_columns(self, wanted: dict[int, tuple[ColumnEnd, ColumnEnd]]) -> None:
        changed = [j for j in {*wanted, *self._set} if wanted.get(j) != self._set.get(j)]
        if changed:
            ends = [wanted.get(j, (self.lower[j], self.upper[j])) for j in changed]
            low = floats([a for a, _ in ends], -np.inf)
            high = floats([b for _, b in ends], np.inf)
            self.simplex.bound(changed, low, high)
        self._set = wanted

    def fractional(self, point: Floats, least: float = WHOLE) -> Ints:
        """Whole columns that are broken at a point, by more than ``least``."""
        values = point[self.whole]
        return self.whole[np.abs(values - np.rint(values)) > least]

    def box(self, node: TreeNode) -> tuple[list[ColumnEnd], list[ColumnEnd]]:
        """Return the ends of all columns at a node."""
        lower, upper = list(self.lower), list(self.upper)
        for step in node.path():
            ends = lower[step.column], upper[step.column]
            lower[step.column], upper[step.column] = step.within(*ends)
        return lower, upper

    def branching(self, node: TreeNode, point: Floats) -> tuple[int, int, bool]:
        """Column to branch on, its lower side's end, and whether that side is nearer."""
        columns = self.fractional(point)
        if not len(columns):
            columns = self.fractional(point, DROPPED)
        if not len(columns):
            columns = self._unfixed()
        column = self._chosen(node, point, columns)
        value = float(point[column])
        down = math.floor(value)
        low, high = self._ends_at(column)
        if low is not None and down < low:
            down = int(low)
        if high is not None and down >= high:
            down = int(high) - 1
        return column, down, value - down <= 0.5

    def runs_away(self, node: TreeNode, column: int) -> bool:
        """Whether a column has no end at the node that is solved, despite many decisions on it.

        Raises `OutOfTime`: so it was at many nodes.
        """
        decisions = sum(step.column == column for step in node.path())
        away = decisions >= MOST_DECISIONS and None in self._ends_at(column)
        self._rays += away
        if self._rays > MOST_RAYS:
            raise OutOfTime("the search follows rays")
        return away

    def _unfixed(self) -> Ints:
        """Whole columns that the bounds of a node leave open."""
        found = [
            j
            for j in self.whole.tolist()
            if (ends := self._ends_at(j))[0] is None or ends[0] != ends[1]
        ]
        if not found:
            raise NoAnswer(f"{self.form.name}: a node with all whole columns fixed stays open")
        return np.array(found)

    def _ends_at(self, column: int) -> tuple[ColumnEnd, ColumnEnd]:
        return self._set.get(column, (self.lower[column], self.upper[column]))

    def _chosen(self, node: TreeNode, point: Floats, columns: Ints) -> int:
        """Column with the best product of pseudocosts; those that are new are tried."""
        base = self.simplex.value
        halves = np.abs(point[columns] - np.floor(point[columns]) - 0.5)
        order = columns[np.argsort(halves, kind="stable")]
        best, chosen = -1.0, int(order[0])
        least = max(SHARE * abs(base), sys.float_info.min)  # where a side does not grow
        tries = 0
        for j in order.tolist():
            part = float(point[j] - math.floor(point[j]))
            gains = []
            unsure = any(self._history.get((j, up), (0, 0.0))[0] < RELIABLE for up in (False, True))
            if unsure and tries < CANDIDATES:
                tries += 1
                gains = self._tried(node, j, float(point[j]), base)
            else:
                gains = [self._expected(j, False) * part, self._expected(j, True) * (1 - part)]
            score = max(gains[0], least) * max(gains[1], least)
            if score > best:
                best, chosen = score, j
        if tries:
            self._bound_columns(dict(self._set))
            if node.basis is not None:
                self.simplex.start(node.basis)
        return chosen

    def _tried(self, node: TreeNode, column: int, value: float, base: float) -> list[float]:
        """Growth of the objective on both sides after a few iterations."""
        low, high = self._ends_at(column)
        down = math.floor(value)
        found = []
        for up, ends in ((False, (low, down)), (True, (down + 1, high))):
            wanted = {**self._set, column: ends}
            kept = self._set
            self._bound_columns(wanted)
            if node.basis is not None:
                self.simplex.start(node.basis)
            end = self.simplex.run(seconds=self._clock.left, iterations=TRIAL_ITERATIONS)
            grown = max(self.simplex.value - base, 0.0) if end is not End.INFEASIBLE else math.inf
            self._bound_columns(kept)
            distance = (float(down) + 1 - value) if up else value - float(down)
            if math.isfinite(grown) and distance > 0:
                count, total = self._history.get((column, up), (0, 0.0))
                self._history[column, up] = (count + 1, total + grown / distance)
            found.append(grown)
        return found

    def _expected(self, column: int, up: bool) -> float:
        count, total = self._history.get((column, up), (0, 0.0))
        if count:
            return total / count
        known = [t / c for (_, side), (c, t) in self._history.items() if side == up and c]
        return sum(known) / len(known) if known else 1.0
