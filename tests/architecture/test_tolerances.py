"""No tolerance stands in the code: one file names each, once."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable

from tests.tools.sources import FARKAS, MODULES, nodes, text

HOMES = {"tolerances.py"}
ELSEWHERE = {
    "instances/coded.py": {1e-300},  # range of accepted data: beyond it doubles run out
    "instances/mlbroker.py": {1e-300},  # the same for epsilon
    "models/coded/expected.py": {1e-10},  # least progress of a bisection
    "models/coded/kernel.py": {1e-14},  # width of a bisection
    "models/coded/completion_times.py": {1e-11, 1e-12, 1e-13},  # accuracy asked of integrals
    "offline/eris/optimum.py": {2e-5},  # share of a plan's worth that may be missing
    "relaxations/coded/sca.py": {1e-12},  # least load of a step, which the next divides by
    "relaxations/gadget/slot_pricing.py": {1e-6},  # price of what is left of a link
    "relaxations/mlbroker/slot_solver.py": {1e-8, 1e-5},  # places of tangents, shares of deployment
    "solvers/simplex.py": {1e-12},  # the least small_matrix_value of HiGHS: no entry is dropped
    "solvers/via_cvxpy.py": {1e-8},  # accuracy asked of first-order solvers
    "standalone/checker.py": {1e-6},  # FEASIBLE again: the file imports nothing of the package
}
"""Small numbers that are no tolerances, by file, and what they are."""


def small(node: ast.AST) -> float | None:
    """Value of a literal or a power of literals within (0, 1e-4); else None."""
    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        parts = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
        if len(parts) == sum(isinstance(p, ast.Constant | ast.Name) for p in ast.walk(node)):
            value = eval(compile(ast.Expression(node), "", "eval"), {})
    return value if isinstance(value, float) and 0 < value < 1e-4 else None


def found_in(code: Iterable[ast.AST]) -> set[float]:
    values = {small(node) for node in code}
    return {value for value in values if value is not None}


@functools.cache
def found() -> dict[str, set[float]]:
    """Small numbers of every module but the homes of tolerances."""
    by_module = {str(p.relative_to(FARKAS)): found_in(nodes(p)) for p in MODULES}
    assert by_module.keys() >= HOMES
    return {name: values for name, values in by_module.items() if values and name not in HOMES}


def test_no_module_has_a_tolerance_of_its_own():
    strangers = {name: values - ELSEWHERE.get(name, set()) for name, values in found().items()}
    assert not {name: values for name, values in strangers.items() if values}


def written_in(code: Iterable[ast.AST]) -> list[str]:
    """Arguments that name a tolerance and give a number, whatever its size."""
    keywords = (k for k in code if isinstance(k, ast.keyword))
    return [
        ast.unparse(k)
        for k in keywords
        if k.arg in ("noise", "tolerance", "slack", "rtol", "atol", "rel_tol", "abs_tol")
        and any(isinstance(part, ast.Constant) and part.value for part in ast.walk(k.value))
    ]


def test_no_argument_that_is_a_tolerance_is_a_number():
    for path in MODULES:
        assert not written_in(nodes(path)), path
    calls = "f(noise=1e-3)\ng(x, atol=2 * 0.1)\nf(noise=LOOSE)\nh(tolerance=0.0)"
    assert written_in(ast.walk(ast.parse(calls))) == ["noise=0.001", "atol=2 * 0.1"]


def test_the_list_of_other_small_numbers_is_not_longer_than_needed():
    unused = {name: values - found_in(nodes(FARKAS / name)) for name, values in ELSEWHERE.items()}
    assert not {name: values for name, values in unused.items() if values}


def test_the_search_finds_what_it_should():
    source = "a = 1e-9\nb = 2.0 ** -40\nc = x <= 1 + 1e-6\nd = 0.5\ne = 2 ** 3\nf = x ** -2.0\n"
    assert found_in(ast.walk(ast.parse(source))) == {1e-9, 2.0**-40, 1e-6}


def test_tolerances_have_no_other_home():
    assert {path.name for path in MODULES if "tolerance" in path.name} == HOMES


def test_what_judges_data_points_and_bounds_knows_no_tolerance_of_searches():
    _, of_searches = text(FARKAS / "tolerances.py").split("\n# Of solvers and searches: ", 1)
    names = set(re.findall(r"^([A-Z_]{2,}) = ", of_searches, re.MULTILINE))
    assert "SOLVER_GAP" in names
    judging = ("certificates", "forms", "instances", "models", "replay")
    for path in MODULES:
        if path.relative_to(FARKAS).parts[0] not in judging:
            continue
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module == "farkas.tolerances":
                assert not names & {alias.name for alias in node.names}, path
