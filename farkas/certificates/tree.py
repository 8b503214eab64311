"""Trees that prove the optimum of a linear or integer program, or that it has no point.

The argument, for a minimum (a maximum is that of the negated costs).  Let V be the value of the
file's point, if it has one.

- *Ends.*  A step takes a row whose other columns lie within their ends, and so bounds one more
  column; row -1 is ``cost <= V``.  So every point that is better than V, and every point at all
  where row -1 is not used, lies within the ends.
- *Cuts.*  A cut adds rows with weights and slacks ``s >= 0``, measures columns from an end,
  ``t >= 0``, and divides: ``d t + e s = b``.  Mixed-integer rounding gives
  ``F(d) t + F(e) s <= floor(b)`` over whole columns and slacks, other negative ``d`` and ``e``
  divided by ``1 - frac(b)``.  A whole column with a whole ``d`` needs no end: ``d x`` is whole, so
  that the rest is rounded beside ``b - d x``, which has the fraction of b; as if it were measured
  from 0.  Multiplied, and weakened at the ends of columns, it is the stated cut; one whose columns
  are all whole may have its side rounded down.
- *Leaves.*  The branches ``x_j <= k`` and ``x_j >= k + 1`` of a whole column cover the box.  In a
  leaf multipliers give a bound by weak duality, with costs or, as a ray, without: then it is > 0
  and there is no point.  Where costs are multiples of a gain on whole columns alone, a bound is
  rounded up to the next value there is.

So no point is better than V and than the least bound of a leaf at once, which is what is claimed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

import msgspec

from farkas.certificates.doubles import MOST_WORK, Work
from farkas.certificates.encoding import FilePart, Size
from farkas.certificates.files import certificate_type
from farkas.certificates.proof import Proof, Provenance
from farkas.certificates.rational import RationalCertificate
from farkas.certificates.tree_check import TreeChecker
from farkas.certificates.tree_program import TreeProgram, require
from farkas.forms.rational import RationalForm, Side

Number = Annotated[str, msgspec.Meta(max_length=31_000)]
Place = Annotated[int, msgspec.Meta(ge=-1, le=2**31 - 1)]


class Branch(FilePart, frozen=True, kw_only=True, array_like=True):
    """First ``column <= value``, then ``column >= value + 1``."""

    column: Size
    value: Number


class EndStep(FilePart, frozen=True, kw_only=True, array_like=True):
    """By ``row``, ``column`` is at most (``upper``) or at least ``value``; row -1: the cost."""

    row: Place
    column: Size
    upper: bool
    value: Number


class CutStep(FilePart, frozen=True, kw_only=True):
    """A cut ``terms x <= side``; see the module for how it follows from the rest.

    A row with a positive weight counts with its upper side, with a negative one with its lower; a
    row in ``across`` with the other one.
    """

    rows: tuple[tuple[Size, Number], ...]
    across: tuple[Size, ...] = ()
    divisor: Number
    complemented: tuple[Size, ...]
    times: Number
    terms: tuple[tuple[Size, Number], ...]
    side: Number


class LeafWeights(FilePart, frozen=True, kw_only=True):
    """Multipliers ``factors / denominator`` of rows and cuts; a ``ray`` counts costs as 0."""

    ray: bool
    denominator: Number
    factors: tuple[tuple[Size, Number], ...]


@certificate_type
class TreeCertificate(RationalCertificate, frozen=True, kw_only=True, tag="tree"):
    """A point, and a tree that proves that none is better by more than is stated."""

    #: Lower bound of a minimum, upper bound of a maximum; null: there is no point.
    bound: Number | None = None
    #: value, point: a point that is feasible exactly, entries that are not 0, and its value; null
    #: without.
    value: Number | None = None
    point: tuple[tuple[Size, Number], ...] | None = None
    #: Costs are multiples of it on whole columns alone; "0" where that is not used.
    gain: Number = "0"
    #: ends, cuts, weights: derivations in order, and what leaves refer to.
    ends: tuple[EndStep, ...] = ()
    cuts: tuple[CutStep, ...] = ()
    weights: tuple[LeafWeights, ...] = ()
    #: Preorder: ``[column, k]`` branches, a number is a leaf with these weights.
    tree: tuple[Branch | Size, ...]

    def prove_of(
        self, form: RationalForm, whose: Provenance, most_work: float = MOST_WORK
    ) -> Proof:
        """Prove it about a rational form; ``whose`` says where that came from."""
        self.require_same(form)
        work = Work(most_work)
        bound = None if self.bound is None else work.read(self.bound, "bound")
        value = TreeChecker(form, work).check(self, bound)
        return self.proof(form, whose, value=value, bound=bound)


# Proofs that a program is unbounded: a point, and a direction that improves for ever.
#
# From a point that keeps everything, a direction that leaves no side and no bound may be followed
# any distance; the data are rational, so is the direction, and multiples of it are whole: whole
# columns stay whole.


@certificate_type
class UnboundedCertificate(RationalCertificate, frozen=True, kw_only=True, tag="unbounded"):
    """A point and a direction, entries that are not 0."""

    #: value, point: a point that is feasible exactly, and its value.
    value: Number
    point: tuple[tuple[Size, Number], ...]
    direction: tuple[tuple[Size, Number], ...]  #: Improves, and leaves no side and no bound.

    def prove_of(
        self, form: RationalForm, whose: Provenance, most_work: float = MOST_WORK
    ) -> Proof:
        """Prove it about a rational form; ``whose`` says where that came from."""
        self.require_same(form)
        checker = TreeProgram(form, Work(most_work))
        value = checker.point_value(self.point, self.value)
        improves(checker, checker.sparse(self.direction, "direction"))
        return self.proof(form, whose, value=value, unbounded=True)


def improves(checker: TreeProgram, direction: dict[int, Fraction]) -> None:
    """Require that a direction leaves no side and no bound, and improves."""

    def leaves(moved: Fraction, low: Side, high: Side, what: str) -> None:
        fits = (low is None or moved >= 0) and (high is None or moved <= 0)
        require(fits, f"the direction leaves {what}")

    for j, moved in direction.items():
        leaves(moved, checker.lower[j], checker.upper[j], f"a bound of column {j}")
    for i, row in enumerate(checker.rows):
        total = checker.product(row.items(), direction)
        leaves(total, checker.row_lower[i], checker.row_upper[i], f"a side of row {i}")
    require(
        checker.product(enumerate(checker.cost), direction) < 0, "the direction does not improve"
    )
