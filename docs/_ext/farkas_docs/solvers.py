"""Which solver can do what: declared abilities, and what the conformance suite saw it do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from farkas.solvers import Ability, backends
from farkas_docs.claims import LEDGER
from farkas_docs.text import page, table

INTRO = """Names for `--solver`. What is installed and licensed here: `farkas show solvers`.
`pyomo:NAME` and `cvxpy:NAME` reach every solver behind these two bridges."""

ABILITIES = {
    Ability.LINEAR: "LP",
    Ability.INTEGER: "MIP",
    Ability.CONIC: "cones",
    Ability.DUALS: "duals",
    Ability.RAYS: "rays",
    Ability.WARM: "warm start",
}
"""Heads of the columns of abilities."""

LICENCES = {
    "highspy": ("MIT", "part of the core"),
    "gurobipy": ("commercial; 2,000 rows and columns free", "`pip install '.[gurobi]'`"),
    "pyscipopt": ("Apache 2.0", "`pip install '.[scip]'`"),
    "mosek": ("commercial", "`pip install '.[mosek]'`"),
    "clarabel": ("Apache 2.0", "`pip install '.[convex]'`"),
    "ortools": ("Apache 2.0", "`pip install '.[solvers]'`"),
    "cvxpy": ("by solver", "`pip install '.[convex]'`, more with `'.[solvers]'`"),
    "pyomo": ("by solver", "`pip install '.[pyomo]'`"),
}
"""Licence of each package, and how to get it."""

TESTED: dict[str, dict[str, str]] = {
    "LP": {
        "linear_program": "the optimum of linear programs, minimised and maximised",
        "free_and_fixed_columns": "variables without bounds, and fixed ones",
        "columns_bounded_only_above_or_below_zero": "variables with one bound, below zero too",
        "empty_rows_and_columns": "rows and variables without a coefficient",
        "a_form_without_rows": "a program without rows",
        "a_form_without_columns": "a program without variables",
    },
    "duals": {
        "duals_are_derivatives_whatever_the_sense": "a dual value says by how much the optimum "
        "moves with the right-hand side, whether one minimises or maximises",
        "signs_of_duals": "the signs of dual values for every kind of row",
        "duals_of_equations_ranges_and_lower_sides": "dual values of equations and ranges",
        "ranged_row_is_tight_on_the_side_of_the_sense": "which side of a range is tight",
        "degenerate_vertex_gives_any_of_its_duals": "dual values where several are right",
    },
    "none exists": {
        "an_empty_row_that_excludes_zero_is_infeasible": "an empty row that nothing satisfies",
        "a_form_without_columns_may_be_infeasible": "a program without variables and solution",
        "infeasible": "contradicting rows are called infeasible",
        "crossing_bounds_are_infeasible_and_named": "a lower bound above the upper one is named",
        "unbounded": "a program without a best value is called unbounded",
    },
    "rays": {
        "infeasibility_comes_with_multipliers_that_prove_it": "multipliers that prove in exact "
        "arithmetic that there is no solution",
    },
    "MIP": {
        "integer_program": "the optimum of a program of whole numbers",
        "mixed_program_keeps_continuous_columns_fractional": "only the variables that shall be "
        "whole are",
        "integer_program_without_integer_points_is_infeasible": "no solution in whole numbers",
        "unbounded_integer_program": "no best value in whole numbers",
    },
    "limits": {
        "limit_without_incumbent_gives_no_point": "stopped before a solution was found: none is "
        "returned",
        "limit_with_incumbent_gives_a_feasible_point": "stopped later: a solution that keeps all "
        "rows",
        "no_time_at_all_gives_no_garbage": "no time at all gives no wrong answer",
        "same_seed_same_point": "the same seed gives the same point",
        "nothing_reaches_stdout": "prints nothing on standard output",
    },
    "refuses": {
        "integer_columns_are_refused_by_solvers_that_would_ignore_them": "whole numbers are "
        "refused by a solver that would take them for fractions",
        "form_too_large_for_a_limited_licence_is_refused_with_limit_and_size": "a program above "
        "the limit of a licence is refused with both numbers",
    },
    "cones": {
        "relative_entropy": "a program with relative entropy",
        "infeasible_cone_program_has_no_objective": "a program of cones without solution",
    },
}
"""Columns of what was seen: name of a test to what it is about; every test stands once."""

UNSEEN = {"promised_solvers_are_usable_here"}
"""About the machine that ran the suite, and not about a solver."""


def pages() -> Iterator[tuple[str, str]]:
    """``solvers``."""
    seen = json.loads((LEDGER / "solvers.json").read_text())
    runs = json.loads((LEDGER / "runs.json").read_text())
    parts = ["## Which solver", _abilities(), *_seen(seen), *_runs(runs)]
    yield "solvers", page("Solvers", INTRO, *parts)


def _runs(runs: Mapping[str, Any]) -> Iterator[str]:
    yield "## Algorithms by solvers"
    asked = ", ".join(f"`{solver}`" for solver in next(iter(runs.values())) if solver)
    yield (
        "Value and proved bound of each algorithm that solves programs, on a small shipped "
        "instance, by the solver of its slots. *own*: its fastest exact one. Asked are "
        f"{asked}. One that a row leaves out cannot take the program, or has no licence here; "
        "the run is refused before its first slot."
    )
    rows = []
    for name, by in runs.items():
        own = by[""]
        programs = ", ".join(f"`{program}`" for program in own.get("programs", []))
        able = {s: entry for s, entry in by.items() if s and "error" not in entry}
        alike = ", ".join(f"`{s}`" for s, entry in able.items() if _same(entry, own))
        others: dict[str, list[str]] = {}
        for s, entry in able.items():
            if not _same(entry, own):
                others.setdefault(_run(entry), []).append(f"`{s}`")
        told = "; ".join(f"{said}: {', '.join(by_whom)}" for said, by_whom in others.items())
        rows.append([f"`{name}`", programs, _run(own), alike or "–", told or "–"])
    yield table(["algorithm", "programs", "own", "as own", "otherwise"], rows)
    yield (
        "Where a solver is not *as own*, the program has several optima, or the solver stops at "
        "its tolerance; the bound is proved in either case. "
        "`make record NAMES=runs` runs them again."
    )


def _run(entry: Mapping[str, Any]) -> str:
    return f"{entry['value']} / {entry['bound']}"


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(key) == other.get(key) for key in ("value", "bound"))


def _abilities() -> str:
    rows = [
        [
            f"`{name}`",
            *("✓" if a in backends[name].abilities else "–" for a in ABILITIES),
            *LICENCES[backends[name].package],
        ]
        for name in backends
    ]
    return table(["solver", *ABILITIES.values(), "licence", "how to get it"], rows)


def _seen(seen: Mapping[str, Any]) -> Iterator[str]:
    yield "## What was seen"
    yield (
        "Every solver meets the same tests. A number says how many cases of a column it passed, "
        "*3 of 5* that it does not claim to solve two more, a dash that it claims none of them."
    )
    # of a solver that may be asked everything; refusals are about what one solver cannot do
    best = {head: max(_passed(seen, head, s) for s in seen["solvers"]) for head in TESTED}
    rows = []
    for solver in seen["solvers"]:
        counts = {head: _passed(seen, head, solver) for head in TESTED}
        rows.append([f"`{solver}`", *(_count(n, best[head], head) for head, n in counts.items())])
    yield table(["solver", *TESTED], rows)
    yield "The columns, and what is tested:"
    yield table(
        ["column", "tested"], [[head, "; ".join(tests.values())] for head, tests in TESTED.items()]
    )
    yield "The tests are `tests/conformance/solvers`; `make record NAMES=solvers` runs them again."


def _passed(seen: Mapping[str, Any], head: str, solver: str) -> int:
    return sum(int(seen["tests"][f"test_{test}"].get(solver, "0")) for test in TESTED[head])


def _count(passed: int, best: int, head: str) -> str:
    if not passed:
        return "–"
    return (
        f"{passed}"
        if passed == best or head == "refuses"
        else f"{passed}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{best}"
    )
