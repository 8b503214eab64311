"""Small forms by hand for the solver tests, and the list of solvers that must pass them."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np

from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.solvers import Answer, Conclusion, Reason, availability, backends, solve
from farkas.solvers.base import installed

INF = math.inf

BRIDGES = {"cvxpy", "ortools", "pyomo"}
NO_LICENCE = {"mosek"}  # in its wheel; held to the same cases where it finds one

NATIVE = [name for name in backends if name not in BRIDGES | NO_LICENCE]
BRIDGED = [
    "pyomo:appsi_highs",
    "pyomo:highs",
    "pyomo:gurobi",
    "pyomo:gurobi_direct",
    "pyomo:scip_direct",
    "cvxpy:CLARABEL",
    "cvxpy:SCS",
    "cvxpy:OSQP",
    "cvxpy:HIGHS",
    "cvxpy:GUROBI",
    "cvxpy:SCIP",
]
EVERY = NATIVE + BRIDGED
EXTRA = {"cvxpy:ECOS": "ecos", "cvxpy:PIQP": "piqp", "cvxpy:CVXOPT": "cvxopt",
         "cvxpy:GLPK": "cvxopt", "cvxpy:COPT": "coptpy", "cvxpy:XPRESS": "xpress",
         "ortools:cpsat": "ortools",
         "pyomo:xpress_direct": "xpress"}  # fmt: skip
"""Packages of farkas[solvers]: held to the same cases where they are installed."""
PROGRAMS = {"pyomo:cbc": "cbc"}
"""And programs, where they are found."""
HERE = [
    *EVERY,
    *(name for name in sorted(NO_LICENCE) if availability(name)),
    *(name for name, package in EXTRA.items() if installed(package)),
    *(name for name, program in PROGRAMS.items() if shutil.which(program)),
]
UNLIMITED = {"cvxpy:ECOS", "cvxpy:PIQP", "cvxpy:CVXOPT", "cvxpy:GLPK"}
"""They know no time limit, and refuse one."""


def form(
    cost: Sequence[float],
    rows: Sequence[tuple[float, Sequence[float], float]] = (),
    *,
    lower: Sequence[float] | float = 0.0,
    upper: Sequence[float] | float = INF,
    integer: Sequence[int] = (),
    sense: str = "min",
    offset: float = 0.0,
) -> LinearForm:
    """Each row is (lower side, coefficients, upper side)."""
    n = len(cost)
    whole = np.zeros(n, dtype=bool)
    whole[list(integer)] = True
    dense = np.array([line for _, line, _ in rows], dtype=float).reshape(len(rows), n)
    return LinearForm(
        name="case",
        sense=sense,
        cost=np.array(cost, dtype=float),
        offset=offset,
        matrix=rows_of_dense(dense),
        row_lower=np.array([low for low, _, _ in rows], dtype=float),
        row_upper=np.array([high for _, _, high in rows], dtype=float),
        lower=np.broadcast_to(np.asarray(lower, dtype=float), (n,)).copy(),
        upper=np.broadcast_to(np.asarray(upper, dtype=float), (n,)).copy(),
        integer=whole,
    )


def market_split(rows: int = 5, seed: int = 1) -> LinearForm:
    """Equations in 0-1 variables; finding any point takes these solvers far longer than a test."""
    rng = np.random.default_rng(seed)
    n = 10 * (rows - 1)
    matrix = rng.integers(0, 100, (rows, n)).astype(float)
    side = np.floor(matrix.sum(axis=1) / 2)
    return form(
        np.zeros(n).tolist(),
        [(b, line.tolist(), b) for b, line in zip(side, matrix, strict=True)],
        upper=1.0,
        integer=range(n),
    )


def knapsacks(columns: int = 120, rows: int = 12, seed: int = 3) -> LinearForm:
    """Many knapsacks at once: points are easy (0 is one), proving the best takes very long."""
    rng = np.random.default_rng(seed)
    weight = rng.integers(10, 1000, (rows, columns)).astype(float)
    worth = weight.mean(axis=0) + rng.integers(0, 50, columns)
    return form(
        worth.tolist(),
        [(-INF, line.tolist(), float(line.sum() // 2)) for line in weight],
        upper=1.0,
        integer=range(columns),
        sense="max",
    )


def stopped_with_a_point(case: LinearForm, solver: str) -> Answer:
    """Answer at the first limit of 0.1, 0.2, 0.4, ... seconds that leaves time for a point.

    How long a solver needs for its first point depends on what else the machine does.
    """
    limit = 0.1
    while (answer := solve(case, solver, time_limit=limit)).claim is Conclusion.NONE:
        assert answer.reason is Reason.TIME_LIMIT, answer
        assert limit < 600, "found no point in ten minutes"
        limit *= 2
    return answer


def entropy(total: float = 1.0) -> tuple[Any, Any]:
    """Problem and variable."""
    import cvxpy as cp

    # min sum x ln x with x1 + x2 = 1: x = 1/2 each, value -ln 2.  With multiplier y of the
    # equation ln x + 1 + y = 0, so y = ln 2 - 1; the value changes by -y with the right side.
    x = cp.Variable(2, name="x")
    return cp.Problem(cp.Minimize(-cp.sum(cp.entr(x))), [cp.sum(x) == total]), x
