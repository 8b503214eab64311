"""Certificates that a linear form has no point."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from farkas.certificates.bound import Multipliers, prove_bound
from farkas.certificates.files import certificate_type
from farkas.certificates.linear import FormCertificate
from farkas.certificates.packed import ExactVector, rational, shown
from farkas.certificates.proof import Proof, provenance
from farkas.errors import NotACertificate
from farkas.forms import LinearForm

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
        from farkas.certificates.bound import show

        raise NotACertificate(
            f"{form.name}: the ray misses by {show(violation)}; only a value above 0 proves"
            " infeasibility"
        )
    return violation
