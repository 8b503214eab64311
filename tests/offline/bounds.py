"""What bounds a program, held to its optimum, which branch and bound on it proves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import farkas
from farkas.algebra import programs
from farkas.verbs.solve import others_of

ROUNDED = Fraction(1, 10**12)
"""Share by which optima of two programs differ whose data were rounded one by one."""


def bounds(instance: Any, name: str) -> tuple[dict[str, Fraction], Fraction, int]:
    """Bounds by name, each checked alone and beyond no optimum; the optimum; and its sign.

    The sign is 1 where bounds lie below.
    """
    data = farkas.load(instance) if isinstance(instance, str) else instance
    program = programs.build(name)
    exact = farkas.prove(data, program)
    assert exact.status == "optimal"
    best, sign = exact.value, 1 if program.form(data).sense == "min" else -1
    assert best is not None
    found = {}
    for other in others_of(program, data, solver="highs", embed=False):
        bound, certificate = other.prove(20.0)
        assert bound is not None
        assert sign * (best - bound) >= -ROUNDED * abs(best), other.name
        proof = farkas.check(certificate, data)
        assert (proof.bound, proof.sense) == (bound, "min" if sign > 0 else "max")
        found[other.name] = bound
    return found, best, sign


def closed(found: dict[str, Fraction], best: Fraction) -> set[str]:
    """Names of the bounds that meet the optimum, up to what solvers leave."""
    return {name for name, bound in found.items() if abs(best - bound) <= abs(best) / 10**9}
