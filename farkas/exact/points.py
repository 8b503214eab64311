"""Exact points near those of solvers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from farkas.errors import NoAnswer
from farkas.exact.deadline import Deadline
from farkas.exact.linear import solve_linear
from farkas.exact.same_program import boxed
from farkas.forms.rational import RationalForm
from farkas.numbers import Floats


def exact_point(form: RationalForm, near: Floats, clock: Deadline) -> list[Fraction] | None:
    """Return an exact point with the whole columns of ``near``, rounded; None without one."""
    lower, upper = list(form.lower), list(form.upper)
    for j in np.flatnonzero(form.integer).tolist():
        if not math.isfinite(near[j]):
            return None
        value = Fraction(round(float(near[j])))
        low, high = lower[j], upper[j]
        if (low is not None and value < low) or (high is not None and value > high):
            return None
        lower[j] = upper[j] = value
    try:
        found = solve_linear(boxed(form, lower, upper), deadline=clock)
    except NoAnswer:
        return None  # a point only helps; the search goes on without
    return found.point if found.status == "optimal" else None
