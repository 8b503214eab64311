"""Make certificates from a solver's multipliers, and from infeasibility rays."""

import numpy as np

from farkas.certificates.bound import project, prove_bound, prove_infeasible, snap
from farkas.certificates.files import (
    InfeasibleCertificate,
    LinearCertificate,
    Option,
    PointClaim,
)
from farkas.certificates.packed import ExactVector, PackedForm
from farkas.certificates.repair import grid_for, repaired
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Floats


def certify(
    form: LinearForm,
    multipliers: Floats,
    *,
    point: Floats | None = None,
    tolerance: float = 0.0,
    inner: Floats | None = None,
    embed: bool = True,
    kind: str | None = None,
    options: dict[str, Option] | None = None,
    instance: str | None = None,
) -> LinearCertificate:
    """Certificate of the bound that ``multipliers`` prove, repaired where they prove none.

    Parameters
    ----------
    multipliers
        Shape (rows,), derivatives of the optimal value with respect to each right-hand side.
    point
        Shape (columns,), feasible within ``tolerance``; its value becomes part of the claim.
    inner
        Shape (rows,), see :func:`farkas.certificates.repair.repaired`.
    embed
        Put the form's data into the file, so that it can be checked on its own.
    kind, options, instance
        How to rebuild the form: kind, program options, SHA-256 of the instance.

    Raises
    ------
    NotACertificate
        When the multipliers prove nothing or the point is infeasible.
    """
    y, proof = repaired(form, multipliers, inner)
    y = project(form, y)
    short = snap(y, min(grid_for(y), 1000))
    try:
        # fewer digits, for a loss far below what a solver's gap leaves
        compact = prove_bound(form, short)
        if abs(compact.value - proof.value) <= abs(proof.value) / 10**9:
            y, proof = short, compact
    except NotACertificate:
        pass
    return LinearCertificate(
        program=form.name,
        kind=kind,
        options=options or {},
        instance=instance,
        form=form.sha256,
        sense=form.sense,
        data=PackedForm.of(form) if embed else None,
        bound=str(proof.value),
        multipliers=ExactVector.of(project(form, y)),
        point=None if point is None else PointClaim.of(form, point, tolerance),
    )


def certify_infeasible(
    form: LinearForm,
    ray: Floats,
    *,
    embed: bool = True,
    kind: str | None = None,
    options: dict[str, Option] | None = None,
    instance: str | None = None,
) -> InfeasibleCertificate:
    """Certificate that ``form`` has no point; parameters as in :func:`certify`."""
    zero = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
    y, _ = repaired(zero, ray)
    y = project(zero, y)
    return InfeasibleCertificate(
        program=form.name,
        kind=kind,
        options=options or {},
        instance=instance,
        form=form.sha256,
        sense=form.sense,
        data=PackedForm.of(form) if embed else None,
        violation=str(prove_infeasible(form, y)),
        ray=ExactVector.of(y),
    )
