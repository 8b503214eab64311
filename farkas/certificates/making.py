"""Make certificates from a solver's multipliers, and from infeasibility rays."""

import numpy as np

from farkas.certificates.bound import project, prove_bound
from farkas.certificates.files import Option
from farkas.certificates.infeasible import InfeasibleCertificate, prove_infeasible
from farkas.certificates.linear import LinearCertificate, PointClaim
from farkas.certificates.packed import ExactVector, PackedForm, deflate, pack, trailing_zeros
from farkas.certificates.points import exact_feasibility, exact_value
from farkas.certificates.repair import on_grid, repaired
from farkas.errors import InvalidOption, NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.tolerances import FEASIBLE


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
    short = on_grid(form, y)
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
        data=packed_form(form) if embed else None,
        bound=str(proof.value),
        multipliers=exact_vector(project(form, y)),
        point=None if point is None else claimed_point(form, point, tolerance),
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
        data=packed_form(form) if embed else None,
        violation=str(prove_infeasible(form, y)),
        ray=exact_vector(y),
    )


def claimed_point(form: LinearForm, point: Floats, tolerance: float) -> PointClaim:
    """Claim ``point``, shape (columns,), after checking it."""
    if not 0 <= tolerance <= FEASIBLE:
        raise InvalidOption(f"tolerance = {tolerance:g}; points are claimed within {FEASIBLE:g}")
    exact_feasibility(form, point, tolerance)
    return PointClaim(
        objective=str(exact_value(form, point)),
        tolerance=tolerance,
        values=pack(point),
    )


def exact_vector(values: Floats) -> ExactVector:
    """Store finite doubles; shape (size,)."""
    where = np.flatnonzero(values)
    pairs = [value.as_integer_ratio() for value in values[where].tolist()]
    exponent = max((bottom.bit_length() - 1 for _, bottom in pairs), default=0)
    numbers = [(top << exponent) // bottom for top, bottom in pairs]
    common = min((trailing_zeros(n) for n in numbers), default=0) if exponent == 0 else 0
    return ExactVector(
        size=len(values),
        exponent=exponent - common,
        positions=tuple(where.tolist()),
        numbers=tuple(n >> common for n in numbers),
    )


def packed_form(form: LinearForm) -> PackedForm:
    """Pack every number that the form's hash covers."""
    implied = form.implied_lower is not None or form.implied_upper is not None
    columns = [form.cost, form.row_lower, form.row_upper, form.lower, form.upper]
    columns += [form.safe_lower, form.safe_upper] if implied else []
    raw = b"".join(
        (
            form.matrix.starts.astype("<i8").tobytes(),
            form.matrix.columns.astype("<i4").tobytes(),
            *((part + 0.0).astype("<f8").tobytes() for part in (form.matrix.values, *columns)),
            np.packbits(form.integer).tobytes(),
        )
    )
    return PackedForm(
        rows=form.num_rows,
        columns=form.num_columns,
        entries=form.num_entries,
        implied=implied,
        offset=form.offset + 0.0,
        data=deflate(raw),
    )
