"""A module with logic is tested where its path says: farkas/a/b.py in tests/a/test_b.py."""

import ast
from pathlib import Path

from tests.tools.shared import ROOT


def has_logic(path: Path) -> bool:
    """Whether a module defines a function, a method or a lambda."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return any(isinstance(node, functions) for node in ast.walk(ast.parse(path.read_text())))


def modules() -> list[Path]:
    """Modules with logic, relative to the package; __init__ and __main__ are tested as doors."""
    package = ROOT / "farkas"
    paths = (path for path in sorted(package.rglob("*.py")) if not path.stem.startswith("__"))
    return [path.relative_to(package) for path in paths if has_logic(path)]


def holds_a_test(path: Path) -> bool:
    """Whether a file exists and defines at least one test."""
    if not path.exists():
        return False
    body = ast.parse(path.read_text()).body
    return any(isinstance(node, ast.FunctionDef) and node.name[:5] == "test_" for node in body)


def test_every_module_with_logic_has_its_tests() -> None:
    missing = [
        str(path)
        for path in modules()
        if not holds_a_test(ROOT / "tests" / path.parent / f"test_{path.name}")
    ]
    assert not missing, f"tests/<folder>/test_<module>.py holds no test for {missing}"
