"""Proofs that a program is unbounded: a point, and a direction that improves for ever.

From a point that keeps everything, a direction that leaves no side and no bound may be followed any
distance; the data are rational, so is the direction, and multiples of it are whole: whole columns
stay whole.
"""

from __future__ import annotations

from fractions import Fraction

from farkas.certificates.files import certificate_type
from farkas.certificates.packed import Size
from farkas.certificates.proof import Proof, Provenance
from farkas.certificates.rational import RationalCertificate
from farkas.certificates.tree import Number
from farkas.certificates.tree_program import TreeProgram, require
from farkas.certificates.work import MOST_WORK, Work
from farkas.forms.rational import RationalForm, Side


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
