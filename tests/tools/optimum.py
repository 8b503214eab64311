"""Optima of programs by name."""

from __future__ import annotations

from farkas.algebra import programs
from farkas.solvers import solve


def optimum(name: str, data: object) -> float:
    """Optimum of the program called ``name`` on an instance or what else it takes."""
    return solve(programs.build(name).form(data)).require_optimal().objective
