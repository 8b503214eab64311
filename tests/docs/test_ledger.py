"""The committed ledger says what the code says."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest

from farkas.proofs import Verdict, claims
from farkas.solvers import Ability, backends
from tests.conformance.solvers.cases import EVERY
from tests.tools.shared import ROOT

LEDGER = ROOT / "docs" / "ledger"
KINDS = sorted({claims[name].kind for name in claims})
RENEW = "run make ledger"


def entries(kind: str) -> dict[str, dict[str, Any]]:
    path = LEDGER / f"{kind}.json"
    assert path.exists(), f"{path.name} is missing: {RENEW}"
    return {entry["claim"]: entry for entry in json.loads(path.read_text())["claims"]}


def known() -> list[dict[str, Any]]:
    paths = [path for path in sorted(LEDGER.glob("*.json")) if path.stem != "solvers"]
    return [entry for path in paths for entry in json.loads(path.read_text())["claims"]]


def assert_agrees(entry: dict[str, Any], verdict: Verdict) -> None:
    said, now = entry["verdict"], verdict.to_builtins()
    assert now["standing"] == said["standing"], RENEW
    assert now.get("runs") == said.get("runs"), RENEW
    assert now.get("note") == said.get("note"), RENEW
    assert isinstance(now.get("counterexample"), str) == isinstance(said.get("counterexample"), str)
    if isinstance(now.get("counterexample"), str):
        assert now["counterexample"] == said["counterexample"], RENEW
    numbers = {
        key: pytest.approx(x, rel=1e-4, abs=1e-6) for key, x in said.get("numbers", {}).items()
    }
    assert now.get("numbers", {}) == numbers, RENEW


@pytest.mark.parametrize("kind", KINDS)
def test_the_ledger_lists_exactly_the_registered_claims(kind: str) -> None:
    listed = {name: entry["source"] for name, entry in entries(kind).items()}
    assert listed == {n: claims[n].source for n in claims.names(f"{kind}.")}, RENEW


QUICK = [entry for entry in known() if not entry["slow"] and entry["claim"] in claims]
SLOW = [entry for entry in known() if entry["slow"] and entry["claim"] in claims]


@pytest.mark.parametrize("entry", QUICK, ids=lambda entry: entry["claim"])
def test_a_verdict_in_the_ledger_is_that_of_the_code(entry: dict[str, Any], verdict_of) -> None:
    assert_agrees(entry, verdict_of(entry["claim"]))


@pytest.mark.slow
@pytest.mark.parametrize("entry", SLOW, ids=lambda entry: entry["claim"])
def test_a_slow_verdict_in_the_ledger_is_that_of_the_code(
    entry: dict[str, Any], verdict_of
) -> None:
    assert_agrees(entry, verdict_of(entry["claim"]))


def solver_page() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LEDGER / "solvers.json").read_text())
    return found


def test_the_matrix_covers_every_solver_of_the_suite() -> None:
    assert set(solver_page()["solvers"]) == set(EVERY), RENEW


def test_the_matrix_lists_the_tests_of_the_suite() -> None:
    files = sorted((ROOT / "tests" / "conformance" / "solvers").glob("test_*.py"))
    defined = {
        node.name
        for path in files
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    assert set(solver_page()["tests"]) <= defined, RENEW
    per_solver = re.compile(r"def (test_\w+)\(solver")
    asked = {name for path in files for name in per_solver.findall(path.read_text())}
    assert asked <= set(solver_page()["tests"]), RENEW


@pytest.mark.parametrize("solver", backends.names())
def test_no_solver_passed_what_it_says_it_cannot(solver: str) -> None:
    integer = solver_page()["tests"]["test_integer_program"]
    if Ability.INTEGER not in backends[solver].abilities:
        assert solver not in integer
    elif solver in solver_page()["solvers"]:
        assert int(integer[solver]) > 0
