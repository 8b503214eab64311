"""Forms as solvers see them, with numbers about 1, and their answers in the form's own units."""

from __future__ import annotations

import dataclasses

import numpy as np

from farkas.forms import LinearForm
from farkas.forms.rescaled import in_units
from farkas.forms.scale import Units
from farkas.numbers import Bools, Floats, Ints
from farkas.solvers.answer import Answer
from farkas.tolerances import FEASIBLE


def handed(
    form: LinearForm, start: Floats | None
) -> tuple[LinearForm, Floats | None, Units | None]:
    """Return what a solver is given: form and start in the form's units, and those units.

    Solvers measure in absolute tolerances, so that amounts of 1e-8 would be noise to them.  Units
    are None when the form has numbers that no power of two moves exactly; it is handed over in its
    own then.  Ends of whole columns are rounded :func:`inwards`.
    """
    units = form.units
    if form.is_mip:
        lower, upper = inwards(form.lower, form.upper, form.integer)
        form = form.replace(lower=lower, upper=upper)
    scaled = in_units(form, units)
    if scaled is None:
        return form.replace(offset=0.0), start, None
    return scaled, None if start is None else np.ldexp(start, -units.columns), units


def inwards(lower: Floats, upper: Floats, whole: Bools) -> tuple[Floats, Floats]:
    """Return ends of columns, those of whole ones rounded inwards from where they count as kept.

    Some solvers round no such end, and call points optimal that stop there.
    """
    if not whole.any():
        return lower, upper
    low, high = np.ceil(lower - FEASIBLE), np.floor(upper + FEASIBLE)
    return np.where(whole, low, lower), np.where(whole, high, upper)


def returned(answer: Answer, form: LinearForm, units: Units | None) -> Answer:
    """Return what a solver said of a form it was :func:`handed`, in the units of ``form``."""
    if units is None:
        return dataclasses.replace(answer, bound=answer.bound + form.offset)

    def back(values: Floats | None, exponents: Ints) -> Floats | None:
        return None if values is None else np.ldexp(values, exponents)

    with np.errstate(over="ignore"):  # the audit refuses what is not finite
        return dataclasses.replace(
            answer,
            bound=float(np.ldexp(answer.bound, units.cost)) + form.offset,
            raw_point=back(answer.raw_point, units.columns),
            raw_row_duals=back(answer.raw_row_duals, units.cost - units.rows),
            raw_ray=back(answer.raw_ray, -units.rows),
        )


def as_minimum(form: LinearForm) -> LinearForm:
    """Return the form as the minimum of the negated costs where it is a maximum."""
    if form.sense == "min":
        return form
    return form.replace(sense="min", cost=-form.cost, offset=-form.offset)


def of_maximum(answer: Answer, form: LinearForm) -> Answer:
    """Return what a solver said of :func:`as_minimum` of ``form``, in the sense of ``form``."""
    if form.sense == "min":
        return answer
    duals = answer.raw_row_duals
    return dataclasses.replace(
        answer, bound=-answer.bound, raw_row_duals=None if duals is None else -duals
    )
