"""Multipliers that prove a bound, from ones that almost do.

A solver's multipliers leave reduced costs of wrong sign, of the size of its tolerance.  Against an
infinite bound even ``-1e-12`` proves nothing.  Nothing here has to be believed: every candidate is
proved afresh by :func:`farkas.certificates.bound.prove_bound`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.certificates.bound import BoundProof, cheap_and_dear, project, prove_bound
from farkas.certificates.encoding import ExactVector, PackedForm, deflate, pack, trailing_zeros
from farkas.certificates.files import Option
from farkas.certificates.linear import (
    InfeasibleCertificate,
    LinearCertificate,
    PointClaim,
    prove_infeasible,
)
from farkas.certificates.points import activity, below, exact_feasibility, exact_value
from farkas.certificates.sums import ExactNumbers, reduced_costs
from farkas.errors import InvalidOption, NotACertificate
from farkas.forms import LinearForm
from farkas.forms.scale import shifted
from farkas.numbers import Bools, Floats, Ints
from farkas.tolerances import FEASIBLE, FINER

KEPT_BITS = 48  #: Bits below the largest multiplier that the compact candidate keeps.

ROUNDS = 8  #: Sweeps of row shifts; each leaves fewer wrong reduced costs or the repair stops.


def repaired(form: LinearForm, multipliers: Floats) -> tuple[Floats, BoundProof]:
    """Multipliers close to the given ones that prove a bound, and the bound.

    Tried in turn: the multipliers themselves; rounded to a grid, where exact zeros often return;
    shifted on rows whose shift harms no unbounded column; nearer to zero.  Raises `NotACertificate`
    when no candidate proves anything; the message is that of the original multipliers.
    """
    first: NotACertificate | None = None
    for candidate in _candidates(form, np.asarray(multipliers, np.float64)):
        try:
            return candidate, prove_bound(form, candidate)
        except NotACertificate as error:
            first = first or error
    assert first is not None
    raise first


def on_grid(form: LinearForm, multipliers: Floats) -> Floats:
    """Round multipliers, each in the unit of its row, to one grid below the largest."""
    inside = shifted(multipliers, form.units.rows)
    if inside is None:
        return snap(multipliers, min(grid_for(multipliers), 1000))
    near = snap(inside, min(grid_for(inside), 1000))
    with np.errstate(over="ignore"):  # what was rounded up beyond the doubles proves nothing
        return np.ldexp(near, -form.units.rows)


def grid_for(multipliers: Floats) -> int:
    """Exponent of a grid that keeps ``KEPT_BITS`` bits below the largest multiplier."""
    largest = float(np.abs(multipliers).max(initial=0.0))
    return KEPT_BITS - int(np.frexp(largest)[1]) if 0 < largest < np.inf else KEPT_BITS


def _candidates(form: LinearForm, y: Floats) -> Iterator[Floats]:
    yield y
    if y.shape != (form.num_rows,) or not np.isfinite(y).all():
        return
    yield on_grid(form, y)
    moved = shift_rows(form, y)
    if moved is not None:
        yield moved
    for weight in (2.0**-k for k in range(44, -1, -4)):
        yield (1.0 - weight) * y


def shift_rows(form: LinearForm, multipliers: Floats) -> Floats | None:
    """Move multipliers until every reduced cost can be met; None when no harmless row is left.

    A shift of row i changes reduced cost j by ``-a_ij`` times it.  The shift is harmless when it
    turns no reduced cost against an infinite bound; each wrong column takes its harmless row with
    the largest entry, measured in the unit of the row.
    """
    y = project(form, multipliers)
    harmless_up, harmless_down = _harmless(form)
    for _ in range(ROUNDS):
        wrong = _wrong_reduced_costs(form, y)
        if wrong is None or not wrong.any():
            return y if wrong is not None else None
        step = _steps(form, y, wrong, harmless_up, harmless_down)
        if not step.any():
            return None
        moved = project(form, y + step)
        if np.array_equal(moved, y):
            return None
        y = moved
    return y


def _sides_needed(form: LinearForm) -> tuple[Bools, Bools]:
    """Columns whose reduced cost must not be negative, and must not be positive."""
    cheap, dear = cheap_and_dear(form)
    return ~np.isfinite(dear), ~np.isfinite(cheap)


def _harmless(form: LinearForm) -> tuple[Bools, Bools]:
    """Rows whose multiplier may rise, and may fall, without pushing against an infinite bound."""
    floor, ceiling = _sides_needed(form)
    rows, columns, values = form.matrix.rows, form.matrix.columns, form.matrix.values
    lowers = (values > 0) & floor[columns] | (values < 0) & ceiling[columns]
    raises = (values < 0) & floor[columns] | (values > 0) & ceiling[columns]
    up = np.bincount(rows, weights=lowers, minlength=form.num_rows) == 0
    down = np.bincount(rows, weights=raises, minlength=form.num_rows) == 0
    return up, down


def _wrong_reduced_costs(form: LinearForm, y: Floats) -> Floats | None:
    """Reduced costs of wrong sign, 0 elsewhere, shape (columns,); None when no double holds one."""
    reduced = exact_reduced_costs(form, y)
    floor, ceiling = _sides_needed(form)
    negative = reduced.negative
    bad = (floor & negative) | (ceiling & ~negative & reduced.nonzero)
    wrong = np.zeros(form.num_columns)
    try:
        for j in np.flatnonzero(bad).tolist():
            wrong[j] = float(reduced.exact(j))
    except OverflowError:
        return None
    return wrong


def _steps(form: LinearForm, y: Floats, wrong: Floats, up: Bools, down: Bools) -> Floats:
    """Change of each multiplier, shape (rows,), a little more than the wrong columns need."""
    entries = np.flatnonzero(wrong[form.matrix.columns])
    rows, columns = form.matrix.rows[entries], form.matrix.columns[entries]
    values = form.matrix.values[entries]
    needed = wrong[columns] / values
    # a multiplier that pushes against an infinite side counts as 0: that row cannot help
    rising = (y[rows] + needed > 0) == (form.sense == "min")
    side = np.where(rising, form.row_lower[rows], form.row_upper[rows])
    usable = np.where(needed > 0, up[rows], down[rows]) & np.isfinite(side)
    rows, columns = rows[usable], columns[usable]
    values, needed = values[usable], needed[usable]
    # the last entry of each column in this order is its largest
    fraction, exponent = np.frexp(np.abs(values))
    order = np.lexsort((fraction, exponent - form.units.rows[rows], columns))
    last = np.append(np.diff(columns[order]) != 0, True)[: len(order)]
    chosen = order[last]
    step = np.zeros(form.num_rows)
    more = needed[chosen] * (1.0 + FINER)
    np.maximum.at(step, rows[chosen], np.where(more > 0, more, 0.0))
    fall = np.zeros(form.num_rows)
    np.minimum.at(fall, rows[chosen], np.where(more < 0, more, 0.0))
    return np.where(step > 0, step, fall)


def snap(multipliers: Floats, grid: int) -> Floats:
    """Round to multiples of ``2**-grid``; values too large for the grid stay as they are."""
    with np.errstate(over="ignore"):
        raised = np.ldexp(multipliers, grid)
        fine = np.isfinite(raised) & (np.abs(raised) < 2.0**52)
        rounded = np.ldexp(np.rint(np.where(fine, raised, 0.0)), -grid)
    # a coarse grid may round the largest doubles beyond all of them
    return np.where(fine & np.isfinite(rounded), rounded, multipliers)


def exact_reduced_costs(form: LinearForm, multipliers: Floats) -> ExactNumbers:
    """``cost - A' multipliers`` after :func:`project`, shape (columns,)."""
    return reduced_costs(form.cost, form.matrix, project(form, multipliers))


def certify(
    form: LinearForm,
    multipliers: Floats,
    *,
    point: Floats | None = None,
    tolerance: float = 0.0,
    embed: bool = True,
    kind: str | None = None,
    options: dict[str, Option] | None = None,
    instance: str | None = None,
) -> LinearCertificate:
    """Certificate of the bound that ``multipliers`` prove, repaired where they prove none.

    ``multipliers``: shape (rows,), derivatives of the optimal value with respect to each right-hand
    side.  ``point``: shape (columns,), feasible within ``tolerance``; its value becomes part of the
    claim.  ``embed``: put the form's data into the file, so that it can be checked on its own.
    ``kind``, ``options``, ``instance``: how to rebuild the form: kind, program options, SHA-256 of
    the instance.  Raises `NotACertificate` when the multipliers prove nothing or the point is
    infeasible.
    """
    y, proof = repaired(form, multipliers)
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
        **_about(form, embed, kind=kind, options=options or {}, instance=instance),
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
        **_about(form, embed, kind=kind, options=options or {}, instance=instance),
        violation=str(prove_infeasible(form, y)),
        ray=exact_vector(y),
    )


def _about(form: LinearForm, embed: bool, **origin: Any) -> dict[str, Any]:
    """Fields that say which form a certificate is about, with its data if they are embedded."""
    data = packed_form(form) if embed else None
    about = {"program": form.name, "form": form.sha256, "sense": form.sense, "data": data}
    return about | origin


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


# Points that keep every row exactly, from ones that nearly do.
#
# A solver's point misses rows by the rounding of its last operations: 1/3 + 2/3 is more than 1 by
# half a unit in the last place.  Moving a few columns by as much often mends that, and what is
# claimed is then a point, not nearly one.  Nothing here has to be believed: the last word is
# :func:`farkas.certificates.points.exact_feasibility`.


PASSES = 20  #: Readings of all rows; each mends those that the one before broke.
MOST = 2000  #: Rows that are mended in a reading at most: fractions are slow.


def settled(form: LinearForm, point: Floats) -> Floats | None:
    """Find a point beside ``point`` that keeps all rows and bounds exactly; None if none is found.

    Every missed row moves one continuous column by what it is missed by: that which puts the fewest
    rows at risk, and of these the smallest, since a sum of doubles less all but the smallest is a
    double again.  ``point``: shape (columns,), finite, feasible within a tolerance.
    """
    x = np.clip(np.where(form.integer, np.rint(point), point), form.lower, form.upper)
    risks = _risks(form)
    try:
        for _ in range(PASSES):
            missed = _missed(form, x)
            if not missed.any():
                exact_feasibility(form, x)
                return x
            rows = np.flatnonzero(missed).tolist()
            if len(rows) > MOST or not all(_mended(form, x, i, risks) for i in rows):
                return None
    except NotACertificate:
        pass
    return None


def _missed(form: LinearForm, x: Floats) -> Bools:
    return below(form, x, form.row_lower, 1.0) | below(form, x, form.row_upper, -1.0)


def _risks(form: LinearForm) -> tuple[Ints, Ints]:
    """Sides that a column may break when it falls, and when it rises; shape (columns,) each."""
    rows, values = form.matrix.rows, form.matrix.values
    floor, ceiling = np.isfinite(form.row_lower)[rows], np.isfinite(form.row_upper)[rows]
    up, down = values > 0, values < 0
    falls, rises = up & floor | down & ceiling, up & ceiling | down & floor

    def count(some: Bools) -> Ints:
        return np.bincount(form.matrix.columns[some], minlength=form.num_columns)

    return count(falls), count(rises)


def _mended(form: LinearForm, x: Floats, i: int, risks: tuple[Ints, Ints]) -> bool:
    """Move one column so that row ``i`` is kept; tell whether one could."""
    low, high = float(form.row_lower[i]), float(form.row_upper[i])
    total = activity(form, x, i)
    if low <= total <= high:  # another row's column mended it
        return True
    gap = Fraction(low if total < low else high) - total
    columns, values = form.matrix.row(i)
    pairs = zip(columns.tolist(), values.tolist(), strict=True)
    moves = [(j, gap / Fraction(a)) for j, a in pairs if not form.integer[j]]
    moves.sort(key=lambda move: (risks[move[1] > 0][move[0]], abs(x[move[0]])))
    for j, step in moves:
        wanted = Fraction(float(x[j])) + step
        value = float(wanted)
        if value != wanted and low == high:
            continue
        if (value < wanted) if step > 0 else (value > wanted):
            value = math.nextafter(value, math.copysign(math.inf, step))
        if form.lower[j] <= value <= form.upper[j] and math.isfinite(value):
            x[j] = value
            return True
    return False
