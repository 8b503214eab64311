"""Measurements behind figures: each is made once, and kept on disk where a folder is open.

A measurement is a function of plain arguments that returns plain data, under `measurement`.
Figures that show the same runs share them, in one process by memory and between processes by files.
A file appears whole or not at all, and is named after the arguments, the sources of farkas and the
versions of what computes: interrupted figures go on where they stopped, changed code measures anew.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import farkas
from farkas.files.writing import write_text

P = ParamSpec("P")
R = TypeVar("R")

_memory: dict[str, str] = {}
_folder: list[Path] = []


def measurement(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function whose results are kept; they are what JSON gives back (lists, not tuples)."""

    @functools.wraps(function)
    def measured(*arguments: P.args, **named: P.kwargs) -> R:
        name = f"{function.__module__}.{function.__qualname__}"
        key = json.dumps([name, arguments, named], sort_keys=True)
        path = _folder[-1] / f"{_hash(key)}.json" if _folder else None
        if key not in _memory:
            found = _read(path)
            if found is None:
                found = json.dumps(function(*arguments, **named))
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_text(path, found)
            _memory[key] = found
        return cast(R, _plain(_memory[key]))

    return measured


def _plain(text: str) -> Any:
    """Return what a text of JSON says."""
    return json.loads(text)


@contextlib.contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Read and write measurements in a folder inside the block; it is made when needed."""
    _folder.append(folder)
    try:
        yield
    finally:
        _folder.pop()


@functools.cache
def sources() -> str:
    """SHA-256 of all that computes: our sources, and the versions of packages.

    >>> len(sources())
    64
    """
    from farkas.experiments.sweeps.task import versions

    digest = hashlib.sha256(json.dumps(dict(versions()), sort_keys=True).encode())
    root = Path(farkas.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _hash(key: str) -> str:
    return hashlib.sha256(f"{sources()} {key}".encode()).hexdigest()


def _read(path: Path | None) -> str | None:
    """Text of a whole measurement; None where there is none."""
    try:
        text = path.read_text() if path else ""
        json.loads(text)
    except (OSError, ValueError):
        return None
    return text
