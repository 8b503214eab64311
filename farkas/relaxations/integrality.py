"""The linear relaxation: every integrality requirement dropped."""

from __future__ import annotations

import numpy as np

from farkas.forms import LinearForm


def relax(form: LinearForm) -> LinearForm:
    """Return ``form`` with all variables continuous; the same object when they already are.

    Bounds stay; implied bounds do not, since what some optimal integer point satisfies need not
    hold at any optimum of the relaxation.
    Its optimal value bounds that of ``form``: from below for ``min``, from above for ``max``.
    """
    if not form.is_mip:
        return form
    return form.replace(
        name=f"relaxation of {form.name}",
        integer=np.zeros(form.num_columns, np.bool_),
        implied_lower=None,
        implied_upper=None,
    )
