"""Points that keep a form beyond doubt, shown without the form's own units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from farkas.forms import FeasibilityReport, LinearForm, check_point
from farkas.numbers import Floats
from farkas.tolerances import FEASIBLE

if TYPE_CHECKING:
    import scipy.sparse as sp


class KeptPoint(FeasibilityReport):
    """Report of a point that keeps everything; how far it is off is measured when asked."""

    __slots__ = ("_form", "_point")
    _form: LinearForm
    _point: Floats

    def __init__(self, form: LinearForm, point: Floats) -> None:
        for name, value in (
            ("count", 0),
            ("violations", ()),
            ("_form", form),
            ("_point", point),
        ):
            object.__setattr__(self, name, value)

    @property
    def worst(self) -> float:
        """Largest share over all requirements, see `FeasibilityReport`."""
        return check_point(self._form, self._point).worst

    def __reduce__(self) -> tuple[type[FeasibilityReport], tuple[object, ...]]:
        """Keep the numbers, not the form, in copies and files."""
        return FeasibilityReport, (self.worst, self.count, self.violations)


def kept(
    form: LinearForm, matrix: sp.csr_array, point: Floats, row_unit: Floats, column_unit: Floats
) -> KeptPoint | None:
    """Report of a point that is feasible in units no larger than the form's own, else None.

    None decides nothing: `farkas.forms.check_point` measures by the form's own units, and by sides
    where these are larger.

    Parameters
    ----------
    form
        A form without integer columns.
    matrix
        Its matrix.
    point
        Shape (columns,).
    row_unit, column_unit
        Shape (rows,) and (columns,): at most the units of the form, see
        `farkas.forms.scale.units_of`.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        activity = matrix @ point
        for value, low, high, unit in (
            (activity, form.row_lower, form.row_upper, row_unit),
            (point, form.lower, form.upper, column_unit),
        ):
            # NaN, which infinite values leave, fails the comparison
            if not (np.maximum(low - value, value - high) <= FEASIBLE * unit).all():
                return None
    return KeptPoint(form, point)
