"""Certificates of what exact solving has found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from farkas.certificates.doubles import text_of
from farkas.certificates.rational import PackedText
from farkas.certificates.tree import (
    Branch,
    CutStep,
    EndStep,
    LeafWeights,
    TreeCertificate,
    UnboundedCertificate,
)
from farkas.exact.bound_propagation import Step
from farkas.exact.cuts import Cut
from farkas.exact.node_bounds import ZERO, BoundProblem, ColumnEnd, Weights, weighted_sum
from farkas.forms.rational import RationalForm, Side
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


def tree_certificate(
    form: RationalForm, tree: ProofTree, *, embed: bool = True, about: Mapping[str, Any]
) -> TreeCertificate:
    """Write down what a search has proved.

    ``embed``: Put the program into the certificate.  ``about``: What it says of its origin:
    ``program``, ``kind``, ``options``, ``instance``.
    """
    sign = 1 if form.sense == "min" else -1
    return TreeCertificate(
        **about,
        form=form.sha256,
        sense=form.sense,
        numbers=form.numbers,
        data=PackedText.of(form) if embed else None,
        bound=_text(tree.bound, sign),
        value=_text(tree.value, sign),
        point=None if tree.point is None else sparse(tree.point),
        gain=text_of(tree.gain),
        ends=tuple(
            EndStep(row=s.row, column=s.column, upper=s.upper, value=text_of(s.value))
            for s in tree.steps
        ),
        cuts=tuple(map(_cut, tree.cuts)),
        weights=tuple(map(_weights, tree.weights)),
        tree=tuple(
            n if isinstance(n, int) else Branch(column=n[0], value=text_of(n[1]))
            for n in tree.nodes
        ),
    )


def unbounded_certificate(
    form: RationalForm,
    point: Sequence[Fraction],
    direction: Sequence[Fraction],
    *,
    embed: bool = True,
    about: Mapping[str, Any],
) -> UnboundedCertificate:
    """Write down a point and a direction."""
    return UnboundedCertificate(
        **about,
        form=form.sha256,
        sense=form.sense,
        numbers=form.numbers,
        data=PackedText.of(form) if embed else None,
        value=text_of(form.objective(point)),
        point=sparse(point),
        direction=sparse(direction),
    )


def sparse(values: Sequence[Fraction]) -> tuple[tuple[int, str], ...]:
    """Entries that are not 0."""
    return tuple((j, text_of(x)) for j, x in enumerate(values) if x)


def _text(value: Side, sign: int) -> str | None:
    return None if value is None else text_of(sign * value)


def _cut(cut: Cut) -> CutStep:
    return CutStep(
        rows=tuple((i, text_of(w)) for i, w in cut.rows),
        across=cut.across,
        divisor=text_of(cut.divisor),
        complemented=cut.complemented,
        times=text_of(cut.times),
        terms=tuple((j, text_of(v)) for j, v in sorted(cut.terms.items())),
        side=text_of(cut.side),
    )


def _weights(weights: Weights) -> LeafWeights:
    # a common factor of all is of no use
    factors = sorted(weights.factors.items())
    return LeafWeights(
        ray=weights.ray,
        denominator=text_of(weights.denominator),
        factors=tuple((i, text_of(y)) for i, y in factors),
    )


def one_leaf(weights: Weights, bound: Side, value: Side, point: list[Fraction] | None) -> ProofTree:
    """Return the tree of a linear program: a single leaf."""
    return ProofTree(
        bound=bound,
        value=value,
        point=point,
        steps=[],
        cuts=[],
        gain=ZERO,
        weights=[weights],
        nodes=[0],
        searched=1,
        complete=True,
    )


# Equations of whole columns that no whole point satisfies, refuted by one rounding cut.
#
# The columns need no ends, without which a search may never see it.


MOST_EQUATIONS = 50  #: Equations that are combined; the work grows faster than their square.

ONE = Fraction(1)


def refuted(form: RationalForm) -> ProofTree | None:
    """Refute a program by a sum of rows of whole columns with no whole number between its sides.

    The sum is one row, or that of the equations by the weights of :func:`combined`.  The cut that
    rounds its upper side down contradicts the lower one.
    """
    whole = form.integer.tolist()
    equations: dict[int, Fraction] = {}
    for i, (low, high) in enumerate(zip(form.row_lower, form.row_upper, strict=True)):
        if low is None or high is None or not all(whole[j] for j, _ in form.row(i)):
            continue
        if math.floor(high) < low:
            return _by_cut(form, {i: ONE}, high)
        if low == high and len(equations) < MOST_EQUATIONS:
            equations[i] = low
    found = combined([dict(form.row(i)) for i in equations], list(equations.values()))
    if found is None:
        return None
    # with weights of at most 1/2 and a side whose fraction is no less, slacks are rounded to 0
    weights = {i: w - round(w) for i, w in zip(equations, found, strict=True)}
    level = sum((w * equations[i] for i, w in weights.items()), ZERO)
    way = 1 if level % 1 >= Fraction(1, 2) else -1
    return _by_cut(form, {i: way * w for i, w in weights.items() if w}, way * level)


def combined(rows: Sequence[Mapping[int, int]], sides: Sequence[Fraction]) -> list[Fraction] | None:
    """Weights under which equations have whole coefficients and a side that is not whole.

    Column operations bring the rows to a triangle, whose unknowns follow one by one, each as a
    weighted sum of the sides.  Where all are whole, None, there is a whole point, or no point.
    """
    places = range(len(rows))
    columns = [[row.get(j, 0) for row in rows] for j in sorted({j for row in rows for j in row})]
    known: list[tuple[list[int], list[Fraction]]] = []
    for i in places:
        used = [c for c in columns if c[i]]
        columns = [c for c in columns if not c[i]]
        while len(used) > 1:
            least = min(used, key=lambda c: abs(c[i]))
            for k, c in enumerate(used):
                if c is not least:
                    times = c[i] // least[i]
                    used[k] = [a - times * b for a, b in zip(c, least, strict=True)]
            columns += [c for c in used if not c[i]]
            used = [c for c in used if c[i]]
        for pivot in used:
            terms = [(c[i], weights) for c, weights in known if c[i]]
            rest = [(k == i) - sum((v * w[k] for v, w in terms), ZERO) for k in places]
            unknown = [x / pivot[i] for x in rest]
            value = sum((w * b for w, b in zip(unknown, sides, strict=True)), ZERO)
            if value.denominator != 1:
                return unknown
            known.append((pivot, unknown))
    return None


def _by_cut(form: RationalForm, weights: dict[int, Fraction], level: Fraction) -> ProofTree:
    """Round the weighted sum of rows down from its upper side, and hold the lower against it."""
    terms = {j: v.numerator for j, v in weighted_sum(weights, form.row).items()}
    side = Fraction(math.floor(level))
    cut = Cut(
        rows=tuple(weights.items()), across=(), divisor=ONE, complemented=(), times=ONE,
        terms=terms, side=side,
    )  # fmt: skip
    program = BoundProblem(form)
    program.add_rows([terms], [side])
    ray = program.exact([*(weights.get(i, ZERO) for i in range(form.num_rows)), -ONE], ray=True)
    return dataclasses.replace(one_leaf(ray, None, None, None), cuts=[cut])
