"""Solvers of Pyomo that take linear programs, and what brings each of them."""

from __future__ import annotations

BRINGS = {
    "appsi_highs": "highspy",
    "highs": "highspy",
    "gurobi": "farkas[gurobi]",
    "gurobi_direct": "farkas[gurobi]",
    "scip": "the program scip",
    "scip_direct": "farkas[scip]",
    "mosek": "farkas[mosek]",
    "mosek_direct": "farkas[mosek]",
    "xpress": "farkas[solvers]",
    "xpress_direct": "farkas[solvers]",
    "cplex": "the program cplex",
    "cplex_direct": "cplex",
    "cbc": "the program cbc (Debian: coinor-cbc)",
    "glpk": "the program glpsol (Debian: glpk-utils)",
}
"""What `pip` installs, or which program has to be on the path."""


def how_to_get(solver: str) -> str:
    """Say what brings a solver; empty where that is not known."""
    found = BRINGS.get(solver, "")
    if not found:
        return ""
    return f"put {found} on the path" if found.startswith("the ") else f"install {found!r}"
