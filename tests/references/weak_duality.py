"""Bounds by weak duality in plain fractions: slow, short, and easy to believe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from farkas.certificates.bound import no_finite_bound
from farkas.errors import NotACertificate
from farkas.forms import LinearForm


def reference_bound(form: LinearForm, multipliers: Sequence[float]) -> Fraction:
    """Lower bound of a minimum, upper bound of a maximum, proved by ``multipliers``."""
    y = [_exact(value, form.row_name, i) for i, value in enumerate(multipliers)]
    cheap_rows, dear_rows = form.row_lower, form.row_upper
    cheap, dear = form.safe_lower, form.safe_upper
    if form.sense == "max":
        cheap_rows, dear_rows, cheap, dear = dear_rows, cheap_rows, dear, cheap
    total = Fraction(form.offset)
    reduced = [_exact(float(c), form.column_name, j) for j, c in enumerate(form.cost)]
    for i in range(form.num_rows):
        end = float(cheap_rows[i] if y[i] > 0 else dear_rows[i])
        if y[i] == 0 or not np.isfinite(end):
            continue
        total += y[i] * Fraction(end)
        for j, value in zip(*form.matrix.row(i), strict=True):
            reduced[j] -= y[i] * _exact(float(value), form.row_name, i)
    for j, d in enumerate(reduced):
        if d == 0:
            continue
        end = float(cheap[j] if d > 0 else dear[j])
        if not np.isfinite(end):
            raise NotACertificate(no_finite_bound(form, j, d))
        total += d * Fraction(end)
    return total


def reference_violation(form: LinearForm, ray: Sequence[float]) -> Fraction:
    """How far every point of the column box misses ``ray' A x``; positive proves infeasibility."""
    zero = np.zeros(form.num_columns)
    return reference_bound(form.replace(cost=zero, offset=0.0, sense="min"), ray)


def _exact(value: float, name: Callable[[int], str], at: int) -> Fraction:
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        raise NotACertificate(f"{name(at)}: {value} is not a finite number") from None
