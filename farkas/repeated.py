"""Where a key stands twice in JSON."""

from __future__ import annotations

import collections
import json
from collections.abc import Iterator
from typing import Any


def repeated(content: bytes) -> Iterator[tuple[str, str]]:
    """Path and key of every object in which one key stands twice; raises what `json` does."""
    read = json.loads(content, object_pairs_hook=_object, parse_int=len, parse_float=len)
    return _found(read, "$")


class _Repeated(dict[str, Any]):
    """An object of a file in which one key stands twice."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    marked = _Repeated(plain)
    counts = collections.Counter(name for name, _ in pairs)
    marked.key = next(name for name, count in counts.items() if count > 1)
    return marked


def _found(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Repeated):
        yield path, value.key
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _found(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, list | dict):
                yield from _found(item, f"{path}[{index}]")
