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
from farkas.atomic import write_text

P = ParamSpec("P")
R = TypeVar("R")
Change = Callable[[Any], Any]

_memory: dict[str, str] = {}
_folder: list[Path] = []
_changes: list[Change] = []


def measurement(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function whose results are kept; they are what JSON gives back (lists, not tuples)."""

    @functools.wraps(function)
    def measured(*arguments: P.args, **named: P.kwargs) -> R:
        name = f"{function.__module__}.{function.__qualname__}"
        key = json.dumps([name, arguments, named], sort_keys=True)
        found = _known(key)
        if found is None:
            with _unchanged():  # it may use other measurements
                found = json.dumps(function(*arguments, **named))
            _keep(key, found)
        result = json.loads(found)
        for change in _changes:
            result = change(result)
        return cast(R, result)

    return measured


@contextlib.contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Read and write measurements in a folder inside the block; it is made when needed."""
    _folder.append(folder)
    try:
        yield
    finally:
        _folder.pop()


@contextlib.contextmanager
def changed(change: Change) -> Iterator[None]:
    """Return ``change(result)`` for every result inside the block; what is kept stays as it is."""
    _changes.append(change)
    try:
        yield
    finally:
        _changes.pop()


@contextlib.contextmanager
def _unchanged() -> Iterator[None]:
    before = _changes[:]
    _changes.clear()
    try:
        yield
    finally:
        _changes[:] = before


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


def _known(key: str) -> str | None:
    if key in _memory:
        return _memory[key]
    if not _folder:
        return None
    try:
        text = _path(key).read_text()
        json.loads(text)
    except (OSError, ValueError):
        return None
    return text


def _keep(key: str, text: str) -> None:
    _memory[key] = text
    if _folder:
        path = _path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)


def _path(key: str) -> Path:
    name = hashlib.sha256(f"{sources()} {key}".encode()).hexdigest()
    return _folder[-1] / f"{name}.json"
