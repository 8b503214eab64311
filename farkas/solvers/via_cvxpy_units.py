"""Convex problems in units in which their costs are about 1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from farkas.once import once


def near_one(problem: Any, solver: str) -> tuple[Any, float]:
    """Return the problem with its objective divided by a power of two, and that power.

    Conic solvers measure in absolute tolerances, so that costs of 1e-9 would be noise to them.
    """
    import cvxpy as cp

    data, _, _ = problem.get_problem_data(solver=solver)
    # a problem without variables is handed back as it is
    costs = data.get("c") if isinstance(data, dict) else None
    largest = 0.0 if costs is None else float(np.abs(costs).max(initial=0.0))
    if not 0.0 < largest < math.inf:
        return problem, 1.0
    unit = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    made = _divided(problem)
    if unit not in made:
        sense = type(problem.objective)
        made[unit] = cp.Problem(sense(problem.objective.args[0] / unit), problem.constraints)
    return made[unit], unit


@once
def _divided(problem: Any) -> dict[float, Any]:
    """Problems made of one, by the unit of their costs: CVXPY compiles each once."""
    return {}
