"""Certificates that a linear form has no point."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from farkas.certificates.bound import Multipliers, prove_bound
from farkas.certificates.files import certificate_type
from farkas.certificates.guards import MOST_WORK, Work
from farkas.certificates.linear import FormCertificate
from farkas.certificates.packed import ExactVector, Size, rational, shown
from farkas.certificates.proof import Proof, Provenance, provenance
from farkas.certificates.rational import RationalCertificate
from farkas.certificates.tree import Number
from farkas.certificates.tree_program import TreeProgram, require
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.forms.rational import RationalForm, Side

if TYPE_CHECKING:
    from farkas.instances import Instance


@certificate_type
class InfeasibleCertificate(FormCertificate, frozen=True, kw_only=True, tag="infeasible"):
    """A ray that proves that a program has no point."""

    #: By how much the rows, combined by the ray, miss the column box; a fraction above 0.
    violation: str
    ray: ExactVector  #: One a row, signs as the multipliers of a minimisation.

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Recompute the violation."""
        claimed = rational(self.violation, "violation")
        own = self.bound_form(form)
        violation = prove_infeasible(own, self.ray.floats("ray", own.num_rows))
        if not 0 < claimed <= violation:
            raise NotACertificate(
                f"the certificate claims the violation {shown(self.violation)}, its ray proves"
                f" {shown(str(violation))}"
            )
        return Proof(
            program=self.program,
            sense=self.sense,
            bound=None,
            infeasible=True,
            value=None,
            tolerance=0.0,
            implied=self._implied(own),
            form=own.sha256,
            instance=self.instance,
            provenance=provenance(form, instance),
        )

    def _implied(self, form: LinearForm) -> int:
        """Columns whose implied bound the ray needs; none when it proves as much without."""
        ray = self.ray.floats("ray", form.num_rows)
        try:
            prove_infeasible(form.replace(implied_lower=None, implied_upper=None), ray)
        except NotACertificate:
            feasibility = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
            return prove_bound(feasibility, ray).implied
        return 0


def prove_infeasible(form: LinearForm, ray: Multipliers) -> Fraction:
    """Prove that no point satisfies all rows and bounds.

    Parameters
    ----------
    ray
        Shape (rows,), signs as the multipliers of a minimisation: positive ones use the lower
        side of their row, negative ones the upper side.

    Returns
    -------
    ``sum of ray * row side`` minus the largest ``ray' A x`` over the column box, > 0.

    Raises
    ------
    NotACertificate
        When that difference is not positive, or infinite columns make it so.
    """
    zero = np.zeros(form.num_columns)
    violation = prove_bound(form.replace(cost=zero, offset=0.0, sense="min"), ray).value
    if violation <= 0:
        from farkas.certificates.linear import show

        raise NotACertificate(
            f"{form.name}: the ray misses by {show(violation)}; only a value above 0 proves"
            " infeasibility"
        )
    return violation


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
