"""What solvers behind CVXPY call our options, and what brings each of them."""

from __future__ import annotations

import importlib.metadata
from typing import Any

from farkas.solvers.options import WORDS, Options, Words

PACKAGES = {
    "COPT": "coptpy", "CVXOPT": "cvxopt", "ECOS": "ecos", "GLPK": "cvxopt",
    "GLPK_MI": "cvxopt", "PIQP": "piqp", "QOCO": "qoco", "XPRESS": "xpress",
}  # fmt: skip
"""What brings a solver of CVXPY; all of it is in farkas[solvers]."""
SHARED = ("GLOP", "PDLP")
"""Solvers of OR-tools: not to be loaded beside HiGHS."""
MANUAL = "https://www.cvxpy.org/tutorial/solvers says how to get it"
FIRST_ORDER = 1e-8
"""Accuracy asked of SCS and OSQP, in their own measure; what they reach is measured here."""

_WORDS: dict[str, Words] = {
    **{name.upper(): words for name, words in WORDS.items()},
    "CLARABEL": ("time_limit", "", "max_threads", ""),
    "SCS": ("time_limit_secs", "", "", ""),
    "OSQP": ("time_limit", "", "", ""),
    "SCIPY": ("time_limit", "mip_rel_gap", "", ""),
    "XPRESS": ("timelimit", "miprelstop", "threads", "randomseed"),
    "COPT": ("TimeLimit", "RelGap", "Threads", ""),
    "MOSEK": (
        "MSK_DPAR_OPTIMIZER_MAX_TIME",
        "MSK_DPAR_MIO_TOL_REL_GAP",
        "MSK_IPAR_NUM_THREADS",
        "",
    ),
}
_NESTED = {"SCIP": "scip_params", "MOSEK": "mosek_params", "SCIPY": "scipy_options"}
"""Argument that takes the words, of solvers that do not take them as arguments of their own."""
_ACCURACY = {"eps_abs": FIRST_ORDER, "eps_rel": FIRST_ORDER}
_ALWAYS: dict[str, dict[str, float]] = {
    "SCS": {**_ACCURACY, "max_iters": 100_000},
    "OSQP": {**_ACCURACY, "max_iter": 100_000},
}


def how_to_get(solver: str) -> str:
    """Return what pip installs for a solver: a package, or CVXPY with an extra; empty if none."""
    if solver in PACKAGES:
        return PACKAGES[solver]
    extra = solver.lower().replace("_", "-")
    extras = importlib.metadata.metadata("cvxpy").get_all("Provides-Extra") or ()
    return f"cvxpy[{extra}]" if extra in extras else ""


def arguments(solver: str, options: Options) -> dict[str, Any]:
    """Our options in the words of each solver; refuses a limit that cannot be passed."""
    words = _WORDS.get(solver, ("", "", "", ""))
    given = options.worded(words, f"cvxpy:{solver}", ("time_limit",))
    return {_NESTED[solver]: given} if solver in _NESTED else {**_ALWAYS.get(solver, {}), **given}
