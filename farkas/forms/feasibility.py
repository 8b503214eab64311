"""Which rows and columns a point violates, by how much, in words."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.forms.form import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Floats
from farkas.tolerances import FEASIBLE


@dataclasses.dataclass(frozen=True, slots=True)
class Violation:
    """One violated row, bound or integrality requirement."""

    what: str  #: Name with its index in words.
    kind: str  #: ``"row"``, ``"bound"`` or ``"integrality"``.
    distance: float  #: How far the value lies outside, in the unit that the form is written in.
    #: The same as a share of the side or of the row's or column's unit, whichever is larger.
    share: float


@dataclasses.dataclass(frozen=True, slots=True)
class FeasibilityReport:
    """Result of :func:`check_point`; truthy when the point is feasible."""

    #: Largest share over all requirements, see :class:`Violation`, since distances in different
    #: units are not comparable; 0 when everything holds exactly.
    worst: float
    count: int  #: Number of requirements violated by more than the tolerance.
    #: Those of the largest shares, at most ``most``, worst first.
    violations: tuple[Violation, ...]

    def __bool__(self) -> bool:
        return self.count == 0

    def __str__(self) -> str:
        if self:
            return f"feasible, largest violation {self.worst:.3g}"
        lines = [f"{v.what}: {v.kind} off by {v.distance:.3g}" for v in self.violations]
        more = f"\n... and {self.count - len(lines)} more" if self.count > len(lines) else ""
        return "\n".join(lines) + more


def check_point(
    form: LinearForm,
    point: Floats,
    *,
    tolerance: float = FEASIBLE,
    most: int = 10,
) -> FeasibilityReport:
    """Compare ``point`` with every row, bound and integrality requirement of ``form``.

    Parameters
    ----------
    point
        Shape (columns,).
    tolerance
        Share of the side or bound, or of the unit of the row or column where that is larger; see
        :func:`~farkas.forms.scale.units_of`.  Of an integer column, the distance from a whole
        number.
    most
        How many violations the report names.
    """
    if point.shape != (form.num_columns,):
        raise ValueError(f"{form.name}: point has shape {point.shape}, needs {form.num_columns}")
    if not np.isfinite(point).all():
        j = int(np.flatnonzero(~np.isfinite(point))[0])
        nowhere = Violation(form.column_name(j), "bound", np.inf, np.inf)
        return FeasibilityReport(np.inf, 1, (nowhere,))
    activity = as_scipy(form.matrix) @ point
    units = form.units
    row, column = units.row, units.column
    parts = [
        ("row", _outside(activity, form.row_lower, form.row_upper, row), form.row_name),
        ("bound", _outside(point, form.lower, form.upper, column), form.column_name),
        ("integrality", _fraction(point, form), form.column_name),
    ]
    worst, count = 0.0, 0
    found: list[Violation] = []
    for kind, (distance, scale), name in parts:
        with np.errstate(over="ignore"):
            share = distance / scale
        worst = max(worst, float(share.max(initial=0.0)))
        bad = np.flatnonzero(distance > tolerance * scale)
        count += len(bad)
        for i in bad[np.argsort(-share[bad], kind="stable")][:most]:
            found.append(Violation(name(int(i)), kind, float(distance[i]), float(share[i])))
    found.sort(key=lambda v: -v.share)
    return FeasibilityReport(worst, count, tuple(found[:most]))


def _outside(value: Floats, low: Floats, high: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """Distances from the sides, infinite for values beyond doubles, and what they are shares of."""
    with np.errstate(over="ignore", invalid="ignore"):
        below, above = low - value, value - high
        side = np.where(below > above, np.abs(low), np.abs(high))
        scale = np.maximum(unit, np.where(np.isfinite(side), side, 0.0))
        distance = np.where(np.isfinite(value), np.maximum(0.0, np.maximum(below, above)), np.inf)
    return distance, scale


def _fraction(point: Floats, form: LinearForm) -> tuple[Floats, Floats]:
    distance = np.where(form.integer, np.abs(point - np.rint(point)), 0.0)
    return distance, np.ones(form.num_columns)


def refuse_impossible_sides(form: LinearForm, why: str) -> None:
    """Refuse a lower end that is +inf or NaN, an upper end that is -inf or NaN.

    Raises
    ------
    UnsupportedForm
        Names the first such row or column, and says ``why``.
    """
    for low, high, name in (
        (form.row_lower, form.row_upper, form.row_name),
        (form.lower, form.upper, form.column_name),
    ):
        for i in np.flatnonzero(~((low < np.inf) & (high > -np.inf)))[:1].tolist():
            raise UnsupportedForm(
                f"{form.name}: {name(i)} lies between {low[i]} and {high[i]}; {why}"
            )
