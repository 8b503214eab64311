"""What importing loads; `make contracts` holds the floors."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from tests.tools.shared import ROOT
from tests.tools.sources import MODULES, nodes, parsed, short

SOLVERS = {"clarabel", "gurobipy", "highspy", "mosek", "pyscipopt"}
MODELLING = {"cvxpy", "pyomo", "sympy", "matplotlib"}


def loaded_by(code: str, *arguments: str) -> set[str]:
    """Top-level packages in ``sys.modules`` after running ``code`` in a fresh interpreter."""
    report = (
        "\nimport sys, json\n"
        "print('\\n' + json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code + report, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_farkas_loads_no_modelling_language_and_no_solver() -> None:
    assert not loaded_by("import farkas") & (MODELLING | SOLVERS | {"numba", "scipy", "numpy"})


@pytest.mark.parametrize(
    "package", ["instances", "forms", "algebra", "solvers", "online", "proofs"]
)
def test_importing_a_package_loads_no_modelling_language_and_no_solver(package: str) -> None:
    assert not loaded_by(f"import farkas.{package}") & (MODELLING | SOLVERS)


def test_certificates_load_no_solver_no_modelling_language_and_no_scipy() -> None:
    loaded = loaded_by("import farkas.certificates")
    assert not loaded & (MODELLING | SOLVERS | {"scipy"})


def test_help_loads_nothing_heavy() -> None:
    loaded = loaded_by("from farkas.cli import call; call(['--help'])")
    assert not loaded & (MODELLING | SOLVERS | {"scipy", "numba", "numpy"})


@pytest.mark.slow
def test_solver_packages_are_imported_inside_functions() -> None:
    # A missing extra must be an answer ("missing"), not an ImportError while loading backends.
    optional = {"gurobipy", "mosek", "pyscipopt"}
    found = [
        f"{short(path)}:{node.lineno}"
        for path in MODULES
        for node in parsed(path).body
        if imported(node) & optional
    ]
    assert not found


def test_numba_is_imported_in_one_place() -> None:
    others = [
        path for folder in ("benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")
    ]
    found = {
        short(path)
        for path in [*MODULES, *others]
        for node in nodes(path)
        if "numba" in imported(node)
    }
    assert found == {"farkas/kernels/machine.py", "farkas/api/warm.py"}


def imported(node: ast.AST) -> set[str]:
    """Top-level packages that a statement or a call of `farkas.extras.needed` imports."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "needed":
        return {ast.unparse(node.args[0]).strip("'").partition(".")[0]}
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").partition(".")[0]}
    return set()
