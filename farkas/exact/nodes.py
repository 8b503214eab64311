"""Nodes of a search: decisions, what closed them, and the tree that is left of them."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

from farkas.exact.bounding import ColumnEnd, Weights
from farkas.exact.cuts import Cut
from farkas.exact.ends import Step
from farkas.forms.rational import Side
from farkas.solvers.simplex import Basis


@dataclasses.dataclass(slots=True, eq=False)
class TreeNode:
    """A node of the tree."""

    parent: TreeNode | None  #: None at the root.
    #: column, upper, value: the decision that leads here: ``column <= value`` (``upper``) or
    #: ``column >= value``.
    column: int = -1
    upper: bool = False
    value: int = 0
    #: Number of the weights that bound the node best so far; of the parent until it is solved.
    weights: int = -1
    bound: Side = None  #: What they prove; None for nothing.
    basis: Basis | None = None
    #: Whole column that is broken at the exact optimum of the relaxation, and its value there; None
    #: where that was not asked for, or is whole.
    broken: tuple[int, Fraction] | None = None
    children: tuple[TreeNode, ...] = ()
    used: frozenset[TreeNode] = frozenset()
    closed: bool = False
    #: Not searched, or not further: a sibling's proof covers it, or it lies on a ray.
    dead: bool = False
    instead: TreeNode | None = None
    guess: float = -math.inf

    def path(self) -> list[TreeNode]:
        """Decisions from the root to here."""
        found, node = [], self
        while node.parent is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def close(self) -> None:
        """Close the node, and parents whose children say so."""
        self.closed = True
        node = self
        while node.parent is not None and not node.parent.closed:
            parent = node.parent
            if node not in node.used:
                parent.instead, parent.used = node, node.used
                for child in parent.children:
                    child.dead |= child is not node
            elif all(child.closed for child in parent.children):
                one, other = parent.children
                parent.used = (one.used - {one}) | (other.used - {other})
            else:
                return
            parent.closed = True
            node = parent

    def split(self, column: int, down: int) -> tuple[TreeNode, TreeNode]:
        """Branch on ``column <= down`` and ``column >= down + 1``."""
        left = TreeNode(self, column, True, down)
        right = TreeNode(self, column, False, down + 1)
        for child in (left, right):
            child.weights, child.bound, child.guess = self.weights, self.bound, self.guess
        self.children = (left, right)
        return left, right

    def within(self, low: ColumnEnd, high: ColumnEnd) -> tuple[ColumnEnd, ColumnEnd]:
        """Return the ends of the column after the decision."""
        value = self.value
        if self.upper:
            return low, value if high is None else min(high, value)
        return value if low is None else max(low, value), high


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProofTree:
    """What a search has proved, in the sense of a minimum."""

    bound: Side  #: No point costs less; None where nothing is proved, or there is no point.
    #: value, point: a point and its cost; None without.
    value: Side
    point: list[Fraction] | None
    steps: list[Step]  #: Derived ends of columns, in order.
    cuts: list[Cut]  #: In order; their rows follow those of the program.
    gain: Fraction  #: What the costs are multiples of; 0 where they are of nothing.
    weights: list[Weights]  #: Multipliers that leaves refer to.
    #: Preorder: ``(column, k)`` for ``column <= k`` and then ``column >= k + 1``, or the number of
    #: the weights of a leaf.
    nodes: list[tuple[int, int] | int]
    searched: int  #: Nodes that were solved.
    complete: bool  #: Whether nothing is left open: infeasible without a point, optimal with one.


def covered(node: TreeNode) -> bool:
    """Whether a sibling's proof covers the node, or a parent is closed, or it is given up."""
    while node.parent is not None:
        if node.dead or node.parent.closed:
            return True
        node = node.parent
    return False


def preorder(root: TreeNode) -> list[tuple[int, int] | TreeNode]:
    """Branchings and leaves; where a child's proof covers its parent it stands instead of it."""
    found: list[tuple[int, int] | TreeNode] = []
    stack = [root]
    while stack:
        node = stack.pop()
        while node.instead is not None:
            node = node.instead
        if node.children:
            left, right = node.children
            found.append((left.column, left.value))
            stack += [right, left]
        else:
            found.append(node)
    return found
