"""Bounds and infeasibility proofs from any multipliers, in exact integer arithmetic.

Weak duality as in :mod:`farkas.certificates.reference`, with whole vectors at once.
Unboundedness is not certified here: multipliers cannot prove it.
"""

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from farkas.certificates.limbs import Limbs, RangeTooWide, dot, exact_dot, reduced_costs
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.numbers import Bools, Floats

Multipliers = Floats | Sequence[float] | Sequence[Fraction] | npt.NDArray[np.object_]


@dataclasses.dataclass(frozen=True, slots=True)
class BoundProof:
    """A bound, proved.

    Parameters
    ----------
    value
        Lower bound of a minimum, upper bound of a maximum.
    ignored
        Number of multipliers that pushed against an infinite row side and counted as 0.
    implied
        Number of columns whose implied bound (one that the program argues for, but does not
        state as a constraint) was used.
    """

    value: Fraction
    ignored: int
    implied: int


def exact_bound(form: LinearForm, multipliers: Multipliers) -> Fraction:
    """Lower bound of a minimum, upper bound of a maximum, proved by ``multipliers``.

    Valid for integer programs too: it bounds their linear relaxation.

    Parameters
    ----------
    multipliers
        Shape (rows,): derivative of the optimal value with respect to each right-hand side,
        floats or fractions.  Any finite values are valid; one that pushes against an infinite row
        side counts as 0.

    Raises
    ------
    NotACertificate
        When a reduced cost meets an infinite column bound; names the column.
    """
    return prove_bound(form, multipliers).value


def prove_bound(form: LinearForm, multipliers: Multipliers) -> BoundProof:
    """As :func:`exact_bound`, with what the proof rests on."""
    check_data(form)
    y = _as_floats(form, multipliers)
    if y is None:
        rounded = np.array([float(value > 0) - float(value < 0) for value in multipliers])
        ignored = int(np.count_nonzero(project(form, rounded) != rounded))
        return _slow_proof(form, multipliers, ignored)
    projected = project(form, y)
    ignored = int(np.count_nonzero(projected != y))
    try:
        reduced = reduced_costs(form.cost, form.matrix, projected)
    except RangeTooWide:
        return _slow_proof(form, projected, ignored)
    ends = _column_ends(form, reduced)
    rows = exact_dot(projected, np.where(projected != 0, _row_ends(form, projected), 0.0))
    value = rows + dot(reduced, ends) + Fraction(form.offset)
    return BoundProof(value, ignored, _implied_count(form, reduced))


def _slow_proof(form: LinearForm, multipliers: Multipliers, ignored: int) -> BoundProof:
    """Proof in plain fractions, of numbers that doubles do not hold or that lie too far apart."""
    from farkas.certificates.reference import reference_proof

    value, implied = reference_proof(form, multipliers)
    return BoundProof(value, ignored, implied)


def project(form: LinearForm, multipliers: Floats) -> Floats:
    """Set multipliers that push against an infinite row side to 0; shape (rows,)."""
    return np.where(np.isfinite(_row_ends(form, multipliers)), multipliers, 0.0)


def cheap_and_dear(form: LinearForm) -> tuple[Floats, Floats]:
    """Column ends that a positive and a negative reduced cost meet; shape (columns,) each."""
    low, high = form.safe_lower, form.safe_upper
    return (low, high) if form.sense == "min" else (high, low)


def _row_ends(form: LinearForm, multipliers: Floats) -> Floats:
    rising = multipliers > 0 if form.sense == "min" else multipliers < 0
    return np.where(rising, form.row_lower, form.row_upper)


def _column_ends(form: LinearForm, reduced: Limbs) -> Floats:
    cheap, dear = cheap_and_dear(form)
    used = reduced.nonzero
    ends = np.where(reduced.negative, dear, cheap)
    bad = used & ~np.isfinite(ends)
    if bad.any():
        j = int(np.flatnonzero(bad)[0])
        more = int(bad.sum()) - 1
        also = f" (and {more} more columns)" if more else ""
        raise NotACertificate(no_finite_bound(form, j, reduced.exact(j)) + also)
    return np.where(used, ends, 0.0)


def _implied_count(form: LinearForm, reduced: Limbs) -> int:
    """Columns whose implied bound counts."""
    lower: Bools = form.safe_lower != form.lower
    upper: Bools = form.safe_upper != form.upper
    meets_upper = reduced.negative if form.sense == "min" else ~reduced.negative
    return int(np.count_nonzero(reduced.nonzero & np.where(meets_upper, upper, lower)))


def _as_floats(form: LinearForm, multipliers: Multipliers) -> Floats | None:
    """Multipliers as floats; None when they are fractions that floats cannot hold.

    Integers of 64 bits are rounded to doubles: any multipliers prove something.
    """
    raw = np.asarray(multipliers)
    if raw.shape != (form.num_rows,):
        raise NotACertificate(
            f"{form.name}: multipliers have shape {raw.shape}, needed ({form.num_rows},)"
        )
    if raw.dtype == object:
        exact = raw.tolist()
        if not all(isinstance(value, int | float | Fraction) for value in exact):
            raise NotACertificate(f"{form.name}: a multiplier is no number")
        try:
            y = raw.astype(np.float64)
        except OverflowError:
            return None
        if not _same(exact, y.tolist()):
            return None
    elif raw.dtype.kind not in "fiu" or raw.dtype.itemsize > 8:
        raise NotACertificate(f"{form.name}: multipliers of type {raw.dtype}")
    else:
        y = raw.astype(np.float64)
    if not np.isfinite(y).all():
        i = int(np.flatnonzero(~np.isfinite(y))[0])
        raise NotACertificate(f"{form.row_name(i)}: multiplier {y[i]} is not a finite number")
    return y


def _same(exact: list[Fraction], rounded: list[float]) -> bool:
    return all(x == y for x, y in zip(exact, rounded, strict=True))


def check_data(form: LinearForm) -> None:
    """Raise `NotACertificate` unless numbers are finite, and sides and bounds are numbers."""
    for what, values in (("cost", form.cost), ("matrix", form.matrix.values)):
        if not np.isfinite(values).all():
            raise NotACertificate(f"{form.name}: the {what} holds infinite numbers")
    ends = form.row_lower, form.row_upper, form.safe_lower, form.safe_upper
    if any(np.isnan(end).any() for end in ends):
        raise NotACertificate(f"{form.name}: a side or bound is not a number")
    if not np.isfinite(form.offset):
        raise NotACertificate(f"{form.name}: the offset is {form.offset}")


def no_finite_bound(form: LinearForm, j: int, reduced: Fraction) -> str:
    """Message for a reduced cost that pushes column ``j`` to infinity."""
    side = "upper" if (reduced < 0) == (form.sense == "min") else "lower"
    return (
        f"{form.column_name(j)}: reduced cost {show(reduced)} has no finite {side} bound to meet;"
        f" give the variable a bound (Var: {side}, or implied_{side} with its reason)"
    )


def show(value: Fraction) -> str:
    """Three digits of ``value``, for messages."""
    try:
        return f"{float(value):.3g}"
    except OverflowError:
        return "beyond 1e308"
