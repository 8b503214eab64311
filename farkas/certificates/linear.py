"""Certificates about a linear form: its hash, and multipliers that prove a bound."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from farkas.certificates.bound import Multipliers, prove_bound, show
from farkas.certificates.encoding import ExactVector, FilePart, PackedForm, rational, shown, unpack
from farkas.certificates.files import Certificate, Hash, certificate_type
from farkas.certificates.points import exact_feasibility, exact_value
from farkas.certificates.proof import Proof, provenance
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.tolerances import FEASIBLE

if TYPE_CHECKING:
    from farkas.instances import Instance


class PointClaim(FilePart, frozen=True, kw_only=True):
    """A point whose objective is claimed to be reached."""

    objective: str  #: Exact objective, a fraction.
    #: Violation claimed at most, as a share of the side or of its row's or column's unit; 0 for
    #: exact feasibility.
    tolerance: Annotated[float, msgspec.Meta(ge=0.0, le=FEASIBLE)]
    values: str  #: Base64 of the deflated doubles, one a column.

    def floats(self, size: int) -> Floats:
        """Return the point, shape (size,)."""
        return unpack(self.values, (size,), "point.values")


class FormCertificate(Certificate, frozen=True, kw_only=True):
    """A certificate about one linear form."""

    form: Hash  #: SHA-256 of the form.
    sense: Literal["min", "max"]  #: Sense of the program.
    #: The form itself, so that the file can be checked on its own; null to leave it out.
    data: PackedForm | None = None

    def bound_form(self, rebuilt: LinearForm | None) -> LinearForm:
        """Return the form the certificate speaks of, its hash recomputed and compared.

        That is the program rebuilt from the instance, or without it the data of the file.
        """
        form = rebuilt
        if form is None:
            from farkas.certificates.form_encoding import own_form

            form = own_form(self)
        if form.sha256 != self.form:
            whose = "its own data" if rebuilt is None else f"the rebuilt {form.name}"
            raise NotACertificate(
                f"the certificate is about form {self.form[:12]}..., {whose} hash to"
                f" {form.sha256[:12]}..."
            )
        if form.sense != self.sense:
            raise NotACertificate(f"the certificate says {self.sense}, the program {form.sense}")
        return form


@certificate_type
class LinearCertificate(FormCertificate, frozen=True, kw_only=True, tag="linear"):
    """Multipliers that prove a bound on the optimal value."""

    bound: str  #: Lower bound of a minimum, upper bound of a maximum, a fraction.
    multipliers: ExactVector  #: One a row.
    point: PointClaim | None = None  #: A point that reaches a value, or null.

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Recompute the bound, and the point's feasibility and value."""
        bound = rational(self.bound, "bound")
        own = self.bound_form(form)
        y = self.multipliers.floats("multipliers", own.num_rows)
        proof = prove_bound(own, y)
        better = bound > proof.value if self.sense == "min" else bound < proof.value
        if better:
            raise NotACertificate(
                f"the certificate claims the bound {shown(self.bound)}, its multipliers prove"
                f" {shown(str(proof.value))} only"
            )
        value, tolerance = None, 0.0
        if self.point is not None:
            value, tolerance = self._checked_point(self.point, own), self.point.tolerance
        return Proof(
            program=self.program,
            sense=self.sense,
            bound=bound,
            value=value,
            tolerance=tolerance,
            implied=proof.implied,
            form=own.sha256,
            instance=self.instance,
            provenance=provenance(form, instance),
        )

    def _checked_point(self, point: PointClaim, form: LinearForm) -> Any:
        values = point.floats(form.num_columns)
        exact_feasibility(form, values, point.tolerance)
        value = exact_value(form, values)
        if value != rational(point.objective, "point.objective"):
            raise NotACertificate(
                f"the point is claimed to reach {shown(point.objective)}, it reaches"
                f" {shown(str(value))}"
            )
        return value


def exact_bound(form: LinearForm, multipliers: Multipliers) -> Fraction:
    """Lower bound of a minimum, upper bound of a maximum, proved by ``multipliers``.

    Arguments and errors are those of :func:`farkas.certificates.bound.prove_bound`.
    """
    return prove_bound(form, multipliers).value


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
        ray = self.ray.floats("ray", own.num_rows)
        violation = prove_infeasible(own, ray)
        if not 0 < claimed <= violation:
            raise NotACertificate(
                f"the certificate claims the violation {shown(self.violation)}, its ray proves"
                f" {shown(str(violation))}"
            )
        return Proof(
            program=self.program,
            sense=self.sense,
            bound=None,
            implied=implied_of_ray(own, ray),
            form=own.sha256,
            instance=self.instance,
            provenance=provenance(form, instance),
        )


def implied_of_ray(form: LinearForm, ray: Multipliers) -> int:
    """Columns whose implied bound a ray needs; none when it proves as much without."""
    try:
        prove_infeasible(form.replace(implied_lower=None, implied_upper=None), ray)
    except NotACertificate:
        feasibility = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
        return prove_bound(feasibility, ray).implied
    return 0


def prove_infeasible(form: LinearForm, ray: Multipliers) -> Fraction:
    """Prove that no point satisfies all rows and bounds.

    ``ray``, shape (rows,), has the signs of the multipliers of a minimisation: positive ones use
    the lower side of their row, negative ones the upper side.  Gives ``sum of ray * row side``
    minus the largest ``ray' A x`` over the column box, > 0.  Raises `NotACertificate` when that
    difference is not positive, or infinite columns make it so.
    """
    zero = np.zeros(form.num_columns)
    violation = prove_bound(form.replace(cost=zero, offset=0.0, sense="min"), ray).value
    if violation <= 0:
        raise NotACertificate(
            f"{form.name}: the ray misses by {show(violation)}; only a value above 0 proves"
            " infeasibility"
        )
    return violation
