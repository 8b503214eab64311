"""Algorithms by solvers in ``docs/ledger/runs.json``: value and proved bound by each."""

from __future__ import annotations

import json
from typing import Any

import farkas
from farkas.errors import FarkasError
from farkas.messages import one_line
from farkas.online import algorithms
from farkas.online.driver import Algorithm
from tests.tools.shared import ROOT

PATH = ROOT / "docs" / "ledger" / "runs.json"

#: General solvers that are asked beside the default of every algorithm.
SOLVERS = (
    "highs", "gurobi", "scip", "clarabel", "mosek", "cvxpy:SCS", "cvxpy:CLARABEL", "pyomo:highs",
)  # fmt: skip

#: Small enough for every solver, its limits of size included.
INSTANCES = {
    "coded": "coded/tiny",
    "dps": "dps/tiny",
    "eris": "eris/tiny",
    "gadget": "gadget/tiny",
    "mlbroker": "mlbroker/unit_scaling",
}

Entry = dict[str, Any]


def names() -> list[str]:
    """Algorithms that take a solver."""
    shipped = [name for name in algorithms if name.partition(".")[0] in INSTANCES]
    return [name for name in shipped if "solver" in algorithms[name].options]


def entry(algorithm: Algorithm, solver: str) -> Entry:
    """Run once; an error is told in its own words."""
    try:
        options = {"solver": solver} if solver else {}
        run = algorithm.run(farkas.load(INSTANCES[algorithm.kind]), **options)
    except FarkasError as error:
        return {"error": one_line(str(error))}
    bound = None if run.certificate is None else run.certificate.words(run.sense)
    programs = sorted({step.program for step in run.steps if step.program})
    by = sorted({step.solver for step in run.steps if step.solver})
    return {"value": f"{run.value:.9g}", "bound": bound, "programs": programs, "by": by}


def of(name: str) -> dict[str, Entry]:
    """Return what an algorithm does by its default, which is ``""``, and by every solver."""
    return {solver: entry(algorithms[name], solver) for solver in ("", *SOLVERS)}


def kept() -> dict[str, dict[str, Entry]]:
    found: dict[str, dict[str, Entry]] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return found


def renew() -> str:
    """Run every algorithm by every solver and write the table; say which rows change."""
    before, now = kept(), {name: of(name) for name in names()}
    PATH.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    changed = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    return "\n".join(["algorithms by solvers", *(f"  {name}" for name in changed)] * bool(changed))
