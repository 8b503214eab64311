"""What other programs say of the optimum of one, which branch and bound on it proves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import farkas
from farkas.algebra import programs

ROUNDED = Fraction(1, 10**12)
"""Share by which optima of two programs differ whose data were rounded one by one."""


def closed(instance: Any, name: str, *others: str) -> set[str]:
    """Names of the others that meet the optimum, up to what solvers leave; all have to bound it."""
    data = farkas.load(instance) if isinstance(instance, str) else instance
    exact = farkas.prove(data, name)
    assert exact.status == "optimal"
    best, sign = exact.value, 1 if programs.build(name).form(data).sense == "min" else -1
    assert best is not None
    found = {other: farkas.solve(data, other, certify=True).bound for other in others}
    for other, bound in found.items():
        assert bound is not None
        assert sign * (best - bound) >= -ROUNDED * abs(best), other
    return {other for other, bound in found.items() if abs(best - bound) <= abs(best) / 10**9}
