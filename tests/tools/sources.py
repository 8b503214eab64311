"""Sources of the product, each read and parsed once a process."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from tests.tools.shared import ROOT

FARKAS = ROOT / "farkas"
MODULES = sorted(FARKAS.rglob("*.py"))

text = functools.cache(Path.read_text)


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(text(path))


@functools.cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a module."""
    return list(ast.walk(parsed(path)))


def short(path: Path) -> str:
    """Path below the checkout."""
    return path.relative_to(ROOT).as_posix()
