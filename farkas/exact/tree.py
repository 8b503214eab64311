"""Branch and bound whose every leaf is closed in exact arithmetic.

The search runs on a warm simplex method in doubles and decides nothing that is not proved: a leaf
is closed by its multipliers, rounded and evaluated exactly; ties and refused rays by the exact
linear program.  Decisions that a closed leaf does not need are undone, and where a subtree does not
use the decision of its root, the sibling is never searched.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from farkas.errors import NoAnswer
from farkas.exact.bound_propagation import Step, derived
from farkas.exact.certificate import ProofTree, TreeNode, covered, preorder
from farkas.exact.from_doubles import boxed, with_cuts
from farkas.exact.linear import solve_linear
from farkas.exact.node_bounds import (
    BoundProblem,
    ColumnEnd,
    Deadline,
    OutOfTime,
    Weights,
    rounded_up,
    shortened,
)
from farkas.exact.node_solver import NodeSolver
from farkas.exact.root_cuts import root_cuts
from farkas.forms.rational import RationalForm, Side
from farkas.numbers import Floats
from farkas.solvers.simplex import End
from farkas.tolerances import DROPPED, ROUNDING, SIMPLEX

PLUNGE = 200  #: Nodes of one dive before the node with the least bound is next.

ENDS_SHARE = 0.2  #: Share of the time that deriving ends may take.
CUTS_SHARE = 0.2  #: Share of the time that is left which cuts at the root may take.

Progress: TypeAlias = Callable[[int, Side, Side], None]


class TreeSearch:
    """One search.

    ``program``: With its cuts.  ``point``: Feasible exactly, or None.  ``ends``: Lower and upper
    ends of the columns and the steps that derive them.  ``gap``: Relative distance of bound and
    value at which the search may end.
    """

    def __init__(
        self,
        program: BoundProblem,
        point: list[Fraction] | None,
        ends: tuple[list[Side], list[Side], list[Step]],
        *,
        deadline: Deadline,
        gap: float = 0.0,
        progress: Progress | None = None,
    ) -> None:
        self.program, self.form = program, program.form
        self.clock, self.gap, self._progress = deadline, Fraction(gap), progress
        self.lower, self.upper = shortened(ends[0]), shortened(ends[1])
        self.steps, self.point = ends[2], point
        self.value: Side = None if point is None else program.value(point)
        self.weights: list[Weights] = []
        self.searched = 0
        self.root = TreeNode(None)
        self._solver = NodeSolver(self.form, self.lower, self.upper, deadline)
        self._simplex = self._solver.simplex
        enough = self._needed()
        level = None if enough is None else _above(float(enough))
        share = deadline.part(CUTS_SHARE)
        self.cuts = root_cuts(program, ends[0], ends[1], self._simplex, share, level)
        self._tried: set[bytes] = set()
        self._with_cuts = with_cuts(self.form, self.cuts)
        self._start()
        self._ticket = itertools.count()

    def _start(self) -> None:
        """Bound the root by what is there already, so that no limit leaves nothing."""
        self._close(self.root, self.program.weighted({}, 1, ray=False))
        duals = self._simplex.row_duals
        if not self.root.closed and len(duals) == self.program.num_rows:
            weights = self.program.rounded(duals)
            if weights is not None:
                self._close(self.root, weights)

    def run(self) -> ProofTree:
        """Search until everything is closed, the gap is met or the time is over."""
        heap: list[tuple[float, int, TreeNode]] = []
        node: TreeNode | None = None if self.root.closed else self.root
        dive = 0
        try:
            while node is not None:
                self.clock.check()
                self._solve(node)
                if not node.closed and not node.dead and (children := self._branch(node)):
                    for child in children[::-1]:
                        heapq.heappush(heap, (child.guess, next(self._ticket), child))
                    node, dive = children[0], dive + 1
                    if dive < PLUNGE:
                        continue
                node, dive = self._next(heap, node, dive)
                if self._progress is not None and self.searched % 50 == 0:
                    self._progress(self.searched, self._bound(), self.value)
                if self._near_enough():
                    break
        except OutOfTime:
            pass
        return self._tree()

    def _next(
        self, heap: list[tuple[float, int, TreeNode]], last: TreeNode, dive: int
    ) -> tuple[TreeNode | None, int]:
        """Nearest open sibling of the dive, else the open node with the least bound."""
        while dive < PLUNGE and last.parent is not None:
            last = last.parent
            for child in last.children:
                if not child.closed and not covered(child) and not child.children:
                    return child, dive + 1
        while heap:
            _, _, node = heapq.heappop(heap)
            if not node.closed and not covered(node) and not node.children:
                return node, 0
        return None, 0

    # one node

    def _solve(self, node: TreeNode) -> None:
        """Bound a node; close it where that is enough."""
        if node.closed or covered(node):
            return
        self.searched += 1
        if self._crossed(node):
            return
        self._solver.go(node)
        needed = self._needed()
        cutoff = None if needed is None else _above(float(needed))
        end = self._simplex.run(seconds=self.clock.left, cutoff=cutoff)
        if end is End.STOPPED:
            self.clock.check()
        if end is End.INFEASIBLE:
            ray = self._simplex.ray
            weights = None if ray is None else self.program.rounded(ray, ray=True)
            if weights is None or not self._close(node, weights):
                self._settle(node)
            return
        weights = self.program.rounded(self._simplex.row_duals)
        if weights is not None and self._close(node, weights):
            return
        if end is not End.OPTIMAL:
            self._settle(node)
            return
        node.basis = self._simplex.basis
        point = self._simplex.point
        open_columns = self._solver.fractional(point)
        value = self._simplex.value
        tie = needed is not None and value >= float(needed) - ROUNDING * abs(float(needed))
        if not len(open_columns):
            self._try_point(point)
            if weights is not None and self._close(node, weights):
                return
            # a large constant opens little of a column: branches close it, exact vertices do not
            if tie or not len(self._solver.fractional(point, DROPPED)):
                self._settle(node)
        elif tie and not self.program.gain:
            self._settle(node)
        if not node.closed:
            node.guess = value

    def _crossed(self, node: TreeNode) -> bool:
        """Close a node that leaves a column nothing between its ends."""
        lower, upper = self._solver.box(node)
        pairs = enumerate(zip(lower, upper, strict=True))
        empty = [j for j, (a, b) in pairs if a is not None and b is not None and a > b]
        if empty:
            node.weights = self._kept(self.program.weighted({}, 1, ray=True))
            node.used = frozenset(step for step in node.path() if step.column == empty[0])
            node.close()
        return bool(empty)

    def _needed(self) -> Side:
        """Least bound that closes a leaf; None while no point is known."""
        if self.value is None:
            return None
        return self.value - self.gap * abs(self.value)

    def _enough(self, bound: Side) -> bool:
        needed = self._needed()
        if bound is None or needed is None:
            return False
        return rounded_up(bound, self.program.gain, self.program.offset) >= needed

    def _close(self, node: TreeNode, weights: Weights) -> bool:
        """Close a node by weights, where they suffice; keep them where they are the best so far."""
        lower, upper = self._solver.box(node)
        value = weights.value(lower, upper)
        if weights.ray:
            if value is None or value <= 0:
                return False
        else:
            if value is not None and (node.bound is None or value > node.bound or node.weights < 0):
                node.bound, node.weights = value, self._kept(weights)
            if not self._enough(value):
                return False
            node.bound = value
        node.weights = self._kept(weights)
        node.used = frozenset(self._needed_decisions(node, weights, value))
        node.close()
        return True

    def _kept(self, weights: Weights) -> int:
        if not self.weights or self.weights[-1] is not weights:
            self.weights.append(weights)
        return len(self.weights) - 1

    def _needed_decisions(self, node: TreeNode, weights: Weights, value: Side) -> list[TreeNode]:
        """Decisions without which the leaf would not be closed; the deepest ones go first."""
        pulls = dict(weights.pulls)
        kept = node.path()
        for step in kept[::-1]:
            pull = pulls.get(step.column, 0)
            if pull == 0 or (pull > 0) == step.upper:
                kept.remove(step)  # the bound rests on the other end
                continue
            same = [s for s in kept if s is not step and s.column == step.column]
            stated = (self.upper if step.upper else self.lower)[step.column]
            ends: list[ColumnEnd] = [s.value for s in same if s.upper == step.upper]
            known = [end for end in [*ends, stated] if end is not None]
            if not known or value is None:
                continue
            pick = min if step.upper else max
            moved = pick(known) - pick([*known, step.value])
            looser = value + Fraction(pull) * moved / weights.scale
            if (looser > 0) if weights.ray else self._enough(looser):
                kept.remove(step)
                value = looser
        if not weights.ray:
            node.bound = value
        return kept

    def _settle(self, node: TreeNode) -> None:
        """Decide a node by the exact linear program; branches are left where that is not enough."""
        lower, upper = (
            tuple(None if end is None else Fraction(end) for end in ends)
            for ends in self._solver.box(node)
        )
        try:
            found = solve_linear(
                boxed(self._with_cuts, lower, upper), deadline=self.clock, basis=node.basis
            )
        except OutOfTime:
            raise
        except NoAnswer:
            return
        if found.multipliers is None:
            return
        ray = found.status == "infeasible"
        sign = 1 if ray or self.form.sense == "min" else -1
        exact = [sign * y for y in found.multipliers]
        if found.point is not None:
            node.broken = self._most_broken(found.point)
            if node.broken is None:
                self._improve(found.point)
        self._close(node, self.program.exact(exact, ray=ray))

    # points

    def _most_broken(self, point: list[Fraction]) -> tuple[int, Fraction] | None:
        """Whole column furthest from whole numbers at a point, and its value; None where whole."""
        parts = ((point[j] % 1, j) for j in self._solver.whole.tolist())
        part, column = max(((min(p, 1 - p), j) for p, j in parts), default=(Fraction(0), -1))
        return (column, point[column]) if part else None

    def _improve(self, point: list[Fraction]) -> None:
        value = self.program.value(point)
        if self.value is None or value < self.value:
            self.value, self.point = value, point

    def _try_point(self, near: Floats) -> None:
        """Fix whole columns at rounded values and solve the rest exactly, once."""
        values = np.rint(near[self._solver.whole]).tobytes()
        if values in self._tried:
            return
        self._tried.add(values)
        point = exact_point(self.form, near, self.clock)
        if point is not None:
            self._improve(point)

    def _branch(self, node: TreeNode) -> tuple[TreeNode, ...]:
        """Split a node; returns the child to go on with and the other, or none on a ray."""
        if node.broken is None:
            column, down, nearer = self._solver.branching(node, self._simplex.point)
        else:  # doubles see nothing to branch on, or would not have settled the node
            column, value = node.broken
            down = math.floor(value)
            nearer = value - down <= Fraction(1, 2)
        node.dead = self._solver.runs_away(node, column)
        if node.dead:
            return ()
        left, right = node.split(column, down)
        return (left, right) if nearer else (right, left)

    # what is proved

    def _leaves(self) -> list[TreeNode]:
        return [node for node in preorder(self.root) if not isinstance(node, tuple)]

    def _bound(self) -> Side:
        """Exact bound over all leaves, open ones included; None for nothing."""
        bounds = []
        for leaf in self._leaves():
            if leaf.closed and self.weights[leaf.weights].ray:
                continue
            if leaf.bound is None:
                return None
            bounds.append(rounded_up(leaf.bound, self.program.gain, self.program.offset))
        least = min(bounds, default=None)
        if least is None or self.value is None:
            return least
        return min(least, self.value)

    def _near_enough(self) -> bool:
        if not self.gap or self.value is None or self.searched % 20:
            return False
        bound = self._bound()
        return bound is not None and self.value - bound <= self.gap * abs(self.value)

    def _tree(self) -> ProofTree:
        leaves = preorder(self.root)
        complete = self.root.closed
        bound = self._bound()
        trivial = self._kept(self.program.weighted({}, 1, ray=False))
        places: dict[int, int] = {}
        nodes: list[tuple[int, int] | int] = []
        for node in leaves:
            if isinstance(node, tuple):
                nodes.append(node)
            else:
                place = node.weights if node.weights >= 0 else trivial
                nodes.append(places.setdefault(place, len(places)))
        return ProofTree(
            bound=bound,
            value=self.value,
            point=self.point,
            steps=self.steps,
            cuts=self.cuts,
            gain=self.program.gain,
            weights=[self.weights[k] for k in places],
            nodes=nodes,
            searched=self.searched,
            complete=complete,
        )


def _above(value: float) -> float:
    return value + SIMPLEX * abs(value)


def search(
    form: RationalForm,
    *,
    near: Floats | None = None,
    deadline: Deadline | None = None,
    gap: float = 0.0,
    progress: Progress | None = None,
) -> ProofTree:
    """Prove the optimum of an integer program, or as much as the time allows.

    ``near``: A solver's point, shape (columns,): its whole columns are kept, the rest solved
    exactly.  ``gap``: Relative distance of value and bound that is small enough.
    """
    clock = deadline or Deadline()
    program = BoundProblem(form)
    point = None if near is None else exact_point(form, near, clock)
    cost = None if point is None else program.value(point)
    share = clock.part(ENDS_SHARE)
    ends = derived(program, cost, everything=True, deadline=share)
    return TreeSearch(program, point, ends, deadline=clock, gap=gap, progress=progress).run()


def exact_point(form: RationalForm, near: Floats, clock: Deadline) -> list[Fraction] | None:
    """Return an exact point with the whole columns of ``near``, rounded; None without one."""
    lower, upper = list(form.lower), list(form.upper)
    for j in np.flatnonzero(form.integer).tolist():
        if not math.isfinite(near[j]):
            return None
        value = Fraction(round(float(near[j])))
        low, high = lower[j], upper[j]
        if (low is not None and value < low) or (high is not None and value > high):
            return None
        lower[j] = upper[j] = value
    try:
        found = solve_linear(boxed(form, lower, upper), deadline=clock)
    except NoAnswer:
        return None  # a point only helps; the search goes on without
    return found.point if found.status == "optimal" else None
