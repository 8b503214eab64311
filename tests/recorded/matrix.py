"""The solver matrix in ``docs/ledger/solvers.json``: which test each solver passed, how often."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

from farkas.solvers import backends
from tests.conformance.solvers.cases import EVERY
from tests.tools.shared import ROOT

PATH = ROOT / "docs" / "ledger" / "solvers.json"
SUITE = ROOT / "tests" / "conformance" / "solvers"


def kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text())
    return found


def asked() -> set[str]:
    """Tests of the suite that every solver, or every able one, has to pass."""
    return {
        node.name
        for path in sorted(SUITE.glob("test_*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("test_")
        and [argument.arg for argument in node.args.args[:1]] == ["solver"]
    }


def out_of_date() -> list[str]:
    """Solvers and tests that stand in the matrix or in the suite only."""
    matrix = kept()
    return sorted(set(matrix["solvers"]) ^ set(EVERY) | set(matrix["tests"]) ^ asked())


def renew() -> str:
    """Run the suite and write what every solver passed; say which counts change."""
    before, now = kept(), _measured()
    PATH.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    changes = [
        f"  {test} {solver}: {then} -> {count}"
        for test in sorted(before["tests"].keys() | now["tests"].keys())
        for solver in sorted({*before["solvers"], *now["solvers"]})
        if (then := _count(before, test, solver)) != (count := _count(now, test, solver))
    ]
    return "\n".join(["solver matrix: cases passed", *changes]) if changes else ""


def _count(matrix: dict[str, Any], test: str, solver: str) -> str:
    return matrix["tests"].get(test, {}).get(solver, "none")


def _measured() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [str(SUITE), "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, check=True)
        cases = list(ET.parse(report).getroot().iter("testcase"))
    tests: dict[str, Counter[str]] = {}
    for case in cases:
        test, _, parameters = case.get("name", "").partition("[")
        solver = solver_in(parameters.rstrip("]"))
        if test in asked() and solver and case.find("skipped") is None:
            tests.setdefault(test, Counter())[solver] += 1
    seen = sorted({solver for passed in tests.values() for solver in passed}, key=order)
    counts = {test: {s: str(n) for s, n in passed.items()} for test, passed in tests.items()}
    return {"solvers": seen, "tests": counts}


def solver_in(parameters: str) -> str | None:
    """Solver among the parameters of a test, for example ``highs`` or ``pyomo:scip_direct``."""
    names = "|".join(map(re.escape, backends.names()))
    found = re.findall(rf"(?:^|-)((?:{names})(?::\w+)?)(?=-|$)", parameters)
    return found[0] if found else None


def order(solver: str) -> tuple[bool, str]:
    """Native solvers first."""
    return ":" in solver, solver
