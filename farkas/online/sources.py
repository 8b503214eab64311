"""The code of a policy that is not farkas's own: its file, and what it imports from its folder."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]  #: Folder of farkas's own files.
#: Folders of what is installed: modules there are no part of a policy.
INSTALLED = ("site-packages", "dist-packages")


def source_sha256(path: str | Path) -> str:
    """Hash a file together with the modules that it imports from its own folder.

    A file that imports none hashes as its content.
    """
    own = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    modules = own_modules(path)
    if not modules:
        return own
    parts = [
        f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
        for name, file in sorted(modules.items())
    ]
    return hashlib.sha256("\n".join([own, *parts]).encode()).hexdigest()


def own_modules(path: str | Path) -> dict[str, Path]:
    """Files, by module, that import statements take from beside a file or below, all the way.

    Statements are read, not `sys.modules`: what else a process has imported changes nothing.
    """
    file = Path(path).resolve()
    folder = file.parent
    found: dict[str, Path] = {}
    if folder.name in INSTALLED:
        return found
    todo: list[tuple[Path, tuple[str, ...]]] = [(file, ())]  # a file and its package
    while todo:
        file, package = todo.pop()
        for level, name in _imported_names(file.read_bytes()):
            if level > len(package) + 1:  # above the folder
                continue
            parts = (*package[: len(package) - level + 1], *name) if level else name
            for end in range(1, len(parts) + 1):
                known, at = ".".join(parts[:end]), folder.joinpath(*parts[:end])
                module = next(
                    filter(Path.is_file, (at / "__init__.py", at.with_suffix(".py"))), None
                )
                if module is None or module.is_relative_to(HOME):
                    continue
                if known not in found:
                    found[known] = module
                    inside = parts[:end] if module.name == "__init__.py" else parts[: end - 1]
                    todo.append((module, inside))
    return found


@functools.cache
def _imported_names(content: bytes) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Level and parts of each name that is imported; none of what is no Python."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return ()
    return tuple(_names(tree))


def _names(tree: ast.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, tuple(alias.name.split("."))) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = tuple(node.module.split(".")) if node.module else ()
            # what is taken from a package may be a module of it
            yield from ((node.level, (*base, alias.name)) for alias in node.names)
